/** A headline without its house style, and the lead of a digest that tells several stories at once. */

const PREFIX =
  /^\s*(?:[[{(][^\]})]{1,40}[\]})]|retail india news|exclusive|breaking|update|watch|live|in charts?|mint explainer)\s*[:|–-]?\s*/i;
const DIGEST = /(?:&|and) more\s*$|\bround-?up\b|\bthis week\b|\bweek(?:ly)? (?:in|funding)\b|\bmorning brief\b/i;

const TALLY = /\bround-?up\b|\bthis week\b|\bweekly\b|\bthis month\b|\bweek in\b/i;

/** True for a tally of a week or month: it tells the sum of many events, and none of them even where it names one. */
export const isTally = (title: string): boolean => TALLY.test(title);

/** Strips prefixes such as `{Funding Alert}`, `[Update]`, `Retail India News:`, also several in a row. */
export function withoutPrefix(title: string): string {
  let text = title;
  for (let turn = 0; turn < 3; turn++) {
    const shorter = text.replace(PREFIX, '');
    if (!shorter || shorter === text) break;
    text = shorter;
  }
  return text;
}

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
  const clean = withoutPrefix(title);
  const more = DIGEST.test(clean);
  const [first = clean, second = ''] = clean.split(more ? /;|,(?!\d)/ : /;\s+(?=[A-Z])/);
  const digest = more || (second.trim().split(/\s+/).length > 2 && isSentenceCase(first));
  if (!digest) return { title: clean, summary: summary ?? '', digest };
  return { title: first, summary: (summary ?? '').split(/(?<=[.!?])\s/)[0] ?? '', digest };
}
