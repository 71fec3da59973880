/** Numbers, counts and lists as sentences write them. */

/** A number with Indian digit grouping: `10,869`, `1,00,000`. */
export const formatNumber = (number: number): string => number.toLocaleString('en-IN');

/** `1 outlet`, `3 outlets`, `3 companies`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/**
 * Joins names as a sentence does: `Pune`, `Pune and Nagpur`, `Pune, Nagpur and 3 more`.
 * @param maximum how many are named; the rest is counted
 */
export function joinNames(names: readonly string[], maximum = names.length): string {
  const more = names.length - maximum;
  const all = more > 0 ? [...names.slice(0, maximum), `${more} more`] : names;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const SENTENCE = /[^.!?…]+(?:[.!?…](?![\s"'”’)]|$)[^.!?…]*)*[.!?…]*["'”’)]*/gu;
const ABBREVIATED = /(?:\b(?:rs|mr|mrs|ms|dr|st|no|vs|inc|ltd|co|pvt|jr|sr|u\.s|i\.e|e\.g|approx|etc)|\b\p{Lu})\.$/iu;

/** With a capital letter at its beginning. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Sentences as written, with the last one even if it was cut short. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const [piece] of text.matchAll(SENTENCE)) {
    open = open ? `${open} ${piece.trim()}` : piece.trim();
    if (ABBREVIATED.test(open)) continue;
    if (open) sentences.push(open);
    open = '';
  }
  if (open) sentences.push(open);
  return sentences;
}
