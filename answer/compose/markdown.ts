/** Markdown whose source text can do nothing but be read. */

/** Escapes what Markdown would act on; a reader shows the text as it was. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>|#~]/g, '\\$&').replace(/\n/g, ' ');

/** A quotation of stored text. */
export const quotation = (text: string): string => `“${escapeMarkdown(text)}”`;

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** `1 store`, `2 stores`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-IN')} ${number === 1 ? one : many}`;
