/** Markup made by the escaping `html` tag: what is put into it is text unless it is markup itself. */
import type { html } from 'hono/html';

export type Markup = ReturnType<typeof html>;

/** The finished text of a page. */
export const rendered = async (markup: Markup): Promise<string> => String(await markup);
