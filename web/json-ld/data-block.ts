/** A data block of JSON-LD in a page: it runs nothing, and nothing in it ends it. */
import { html, raw } from 'hono/html';
import type { Markup } from '../markup.ts';

/** JSON that cannot end the element it stands in, nor open a comment: every `<`, `>` and `&` is written as an escape. */
export const dataBlock = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The element. @param block in terms of schema.org */
export const linkedData = (block: Readonly<Record<string, unknown>>): Markup =>
  html`<script type="application/ld+json">${raw(dataBlock({ '@context': 'https://schema.org', ...block }))}</script>`;
