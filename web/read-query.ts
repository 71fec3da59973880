/** The query of a page's address, as a form or a person writes it. */
import type { z } from 'zod';
import { readParameters } from '../schemas/parameters.ts';

/**
 * Checks it. A field that was left empty counts as unset; what the page does not know is let pass, unlike in the API:
 * people share links with trackers hung on to them.
 * @throws Refusal naming what cannot be used
 */
export const readQuery = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  query: unknown,
): z.output<z.ZodObject<Shape>> =>
  readParameters(
    schema,
    Object.fromEntries(
      Object.entries(Object(query)).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''),
    ),
  );

/** The address of a page with what narrows it, unset fields left out: `/people?lens=board`. */
export function addressWith(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}
