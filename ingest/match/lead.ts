/** What an item leads with: a digest tells several stories at once. */
import { cleanHeadline } from '../understand/item-reading.ts';
import { plainText } from '../understand/tokens.ts';

/** So much of a summary is read, in characters. */
const MAXIMUM_SUMMARY = 1_600;
const DIGEST = /(?:&|and) more\s*$|\bround-?up\b|\bthis week\b|\bweek(?:ly)? (?:in|funding)\b|\bmorning brief\b/i;

const TALLY = /\bround-?up\b|\bthis week\b|\bweekly\b|\bthis month\b|\bweek in\b/i;

/** True for a tally of a week or month: it tells the sum of many events, and none of them even where it names one. */
export const isTally = (title: string): boolean => TALLY.test(title);

export interface Lead {
  readonly title: string;
  readonly summary: string;
  /** True when the item tells several stories: only the first counts, the rest is dropped. */
  readonly digest: boolean;
}

/** Most of its words begin small: `A; B` then joins two stories, while in Title Case It Joins Two Facts of one. */
function isSentenceCase(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^[a-z]{4,}|^[A-Z][a-z]{3,}/.test(word));
  return words.filter((word) => /^[a-z]/.test(word)).length * 2 >= words.length;
}

/**
 * What an item leads with. A digest (`A, B & More`, `A; B`) tells its first event only: matched on the others, it
 * would chain unrelated signals together.
 */
export function leadOf(title: string, summary: string | null): Lead {
  const clean = cleanHeadline(title);
  const told = plainText(summary ?? '', MAXIMUM_SUMMARY);
  const more = DIGEST.test(clean);
  const [first = clean, second = ''] = clean.split(more ? /;|,(?!\d)/ : /;\s+(?=[A-Z])/);
  const digest = more || (second.trim().split(/\s+/).length > 2 && isSentenceCase(first));
  if (!digest) return { title: clean, summary: told, digest };
  return { title: first, summary: told.split(/(?<=[.!?])\s/)[0] ?? '', digest };
}
