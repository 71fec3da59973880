/** A headline without its house style, and the lead of a digest that tells several stories at once. */

const PREFIX =
  /^\s*(?:[[{(][^\]})]{1,40}[\]})]|retail india news|exclusive|breaking|update|watch|live|in charts?|mint explainer)\s*[:|–-]?\s*/i;
const DIGEST = /(?:&|and) more\s*$|\bround-?up\b|\bthis week\b|\bweek(?:ly)? (?:in|funding)\b|\bmorning brief\b/i;

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

/**
 * What an item leads with. A digest (`A, B & More`, `A; B`) tells its first event only: matched on the others, it
 * would chain unrelated signals together.
 */
export function leadOf(title: string, summary: string | null): Lead {
  const clean = withoutPrefix(title);
  const more = DIGEST.test(clean);
  const [first = clean, second = ''] = clean.split(more ? /;|,(?!\d)/ : /;/);
  const digest = more || second.trim().split(/\s+/).length > 2;
  if (!digest) return { title: clean, summary: summary ?? '', digest };
  return { title: first, summary: (summary ?? '').split(/(?<=[.!?])\s/)[0] ?? '', digest };
}
