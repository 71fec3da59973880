/** Text from sources on a terminal: it can neither move the cursor nor pass for words of this program. */

/** Controls (but for line ends and tabs), and marks that turn the direction of writing round. */
const DANGEROUS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Shows what a terminal would obey as its code point. */
export const harmless = (text: string): string =>
  text.replace(DANGEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same on one line, at most so many characters long. */
export function oneLine(text: string, most: number): string {
  const line = harmless(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Marks every line as quoted. */
export const quoted = (text: string): string =>
  harmless(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
