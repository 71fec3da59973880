/** Text of strangers, made fit to be shown. Escaping is the `html` tag's work; this is about what letters can do. */
import type { z } from 'zod';

// Control and format characters turn the direction of text or hide in it; the two joiners are spelling in Indic scripts.
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]--[\u200c\u200d\n\t]]/gv;
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Takes out bidirectional controls, invisible characters and piled-up marks. What people read stays. */
export const neutralise = (text: string): string => text.toWellFormed().replace(UNSEEN, '').replace(PILED_MARKS, '$1');

/** Cuts after `most` characters and says so with an ellipsis; never inside a surrogate pair. */
export const clip = (text: string, most: number): string => {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`;
};

/**
 * Reads a stored document for a page: every string in it neutralised, its form checked.
 * @throws zod's error when the document has another form
 */
export const readDocument = <Document>(text: string, schema: z.ZodType<Document>): Document =>
  schema.parse(JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? neutralise(value) : value)));

/** A count as people in India write it: `10,869`, `1,00,000`. */
export const number = (count: number): string => count.toLocaleString('en-IN');

/** `1 outlet`, `3 outlets`, `5,287 stores`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** A slug as words, where no name is known: `quick-commerce` reads "Quick commerce". */
export const unslug = (slug: string): string => {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
