/** What stands under a headline: the outlet's own sentences, without what its publishing system adds. */
import { cleanText, shortened } from './clean-text.ts';

export const LONGEST_SUMMARY = 2_000;
/** What a system adds stands at the end, where a limit could cut it in two and hide it. */
const LONGEST_ADDITION = 1_000;

/** `The post … appeared first on …`, as WordPress writes it, and its kin. */
const FIRST_APPEARED =
  /(?:^|\s)(?:The|This) (?:post|article|story|news|report)\b.{0,700}?\b(?:appeared first|first appeared|was (?:first|originally) published)\b.{0,300}$/isu;
/** `Continue reading …`, `Read more »`, after a sentence, an ellipsis or alone. */
const CONTINUE =
  /(^|[.!?…\])»])\s*[[(]?(?:(?:continue|keep) reading|read (?:more|on|the (?:full|whole|entire) (?:story|article|report)|full (?:story|article|report))|click here to read)\b[^.!?]{0,200}[.\])»→>…]*$/iu;
/** `[…]`, `[...]`, `(…)` where an excerpt was cut. */
const CUT = /\s*[[(]\s*(?:…|\.{3,})\s*[\])]\s*$/u;

/** Letters and digits alone, to compare texts that differ in punctuation. */
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/**
 * The summary that a text of an outlet gives.
 * @param text may hold markup and entities
 * @param title clean, of the same item
 * @returns plain text of at most 2,000 characters, an excerpt that was cut ending in an ellipsis; null where nothing is
 *   left, as of a picture, an address alone or the headline once more
 */
export function cleanSummary(text: string | null | undefined, title: string): string | null {
  if (!text?.trim()) return null;
  const plain = cleanText(text, LONGEST_SUMMARY + LONGEST_ADDITION)
    .replace(FIRST_APPEARED, '')
    .trim()
    .replace(CONTINUE, '$1')
    .replace(CUT, '…')
    .trim();
  const own = letters(plain);
  if (own === '' || /^https?:\/\/\S+$/i.test(plain) || (title !== '' && letters(title).startsWith(own))) return null;
  return shortened(plain, LONGEST_SUMMARY);
}

/**
 * The first of several texts that gives a summary, as it is written; null when none does.
 * @param texts in the order of preference; further ones are looked at only where those before give nothing
 * @param title as written
 */
export function firstSummary(texts: Iterable<string | null | undefined>, title: string | null): string | null {
  const headline = cleanText(title ?? '', LONGEST_SUMMARY);
  for (const text of texts) if (text && cleanSummary(text, headline) !== null) return text;
  return null;
}
