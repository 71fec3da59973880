/** What the structured answers of tools share. */
import { z } from 'zod';
import { NOTICE } from './text/quote.ts';

/** In every structure that quotes outlets: clients may show a model the structure alone. */
export const Noticed = { notice: z.string().describe('How to take quoted text') };
export const noticed = { notice: NOTICE } as const;

/** A signal as a stored document. The store holds what the projector wrote, so its form is not checked again. */
export const readStored = <Document>(text: string): Document => JSON.parse(text) as Document;
