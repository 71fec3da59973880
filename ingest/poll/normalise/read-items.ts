/** From entries as outlets wrote them to items: dated, cleaned, with one address and one key each. */
import type { ItemKey } from '../../../schemas/poll.ts';
import { fingerprint } from '../../../schemas/scalar.ts';
import type { Entry } from '../read/entry.ts';
import { canonicalUrl } from './canonical-url.ts';
import { cleanSummary, cleanText, shorten } from './clean-text.ts';
import { parseDate } from './parse-date.ts';
import { parseRelativeTime } from './relative-time.ts';

export interface FoundItem {
  readonly item_key: ItemKey;
  readonly url: string;
  readonly title: string;
  readonly summary: string | null;
  readonly published_at: Date | null;
  /**
   * When it was published, as far as a distance from now such as "2 hours ago" says. It is not part of the
   * fingerprint: it would be another at each poll.
   */
  readonly approximate_at: Date | null;
  readonly fingerprint: string;
}

const MAX_TITLE_LENGTH = 500;
const MAX_KEY_LENGTH = 300;
const DAY = 86_400_000;

/**
 * Reads entries.
 * @param base the page they came from
 * @param now a date more than a day after it is an error of the outlet and counts as none
 * @returns items in the order of the page, each key once, and how many entries have no title or no address
 */
export function readItems(entries: readonly Entry[], base: string, now: Date): { items: FoundItem[]; refused: number } {
  const shared = findSharedIds(entries);
  const items = new Map<string, FoundItem>();
  let refused = 0;
  for (const entry of entries) {
    const item = readItem(entry, base, now, shared);
    if (!item) refused += 1;
    else if (!items.has(item.item_key)) items.set(item.item_key, item);
  }
  return { items: [...items.values()], refused };
}

/** Why an entry gives no item, as a sentence for operators; null when it gives one. */
function explainRefusal(entry: Entry, base: string): string | null {
  if (!entry.link) return 'it has no link';
  if (!canonicalUrl(entry.link, base)) return 'its link is not a web address';
  return readItem(entry, base, new Date(0), new Set()) ? null : 'it has neither title nor text';
}

function readItem(entry: Entry, base: string, now: Date, shared: ReadonlySet<string>): FoundItem | null {
  const url = entry.link && canonicalUrl(entry.link, base);
  const headline = cleanText(entry.title ?? '', MAX_TITLE_LENGTH);
  const text = cleanSummary(entry.summary, headline);
  // An entry without a headline, as in JSON Feed and Atom notes, is named by the beginning of its text.
  const title = headline || (text && shorten(text, 120));
  if (!url || !title) return null;
  const summary = text === title ? null : text;
  const { published, ago } = dateOf(entry, now);
  const key = (entry.id && !shared.has(entry.id) && entry.id.trim()) || url || title;
  return {
    item_key: (key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, 200)}#${fingerprint(key)}`) as ItemKey,
    url,
    title,
    summary,
    published_at: published,
    approximate_at: published ? null : ago,
    fingerprint: fingerprint(title, summary, published?.toISOString()),
  };
}

/**
 * When an entry was published: the first of its dates that can be parsed and is not in the future.
 * @param now when the page was read
 */
function dateOf(
  { date, other_dates = [] }: Pick<Entry, 'date' | 'other_dates'>,
  now: Date,
): { published: Date | null; ago: Date | null } {
  const texts = date ? [date, ...other_dates] : [];
  const dates = texts.map(parseDate);
  return {
    published: dates.find((one) => one !== null && one.getTime() <= now.getTime() + DAY) ?? null,
    ago: texts.map((text) => parseRelativeTime(text, now)).find((one) => one !== null) ?? null,
  };
}

/** Ids that several addresses share, as when a site gives every entry the name of the site: they identify nothing. */
function findSharedIds(entries: readonly Entry[]): Set<string> {
  const links = new Map<string, string | null>();
  const shared = new Set<string>();
  for (const { id, link } of entries) {
    if (!id) continue;
    if (links.has(id) && links.get(id) !== link) shared.add(id);
    else links.set(id, link);
  }
  return shared;
}

export interface JudgedEntry {
  /** As the outlet wrote it. */
  readonly entry: Entry;
  /** What is read of it, also where it gives no item. */
  readonly read: {
    readonly title: string;
    readonly link: string | null;
    readonly id: string | null;
    readonly published_at: Date | null;
  };
  readonly item: FoundItem | null;
  /** Why it gives no item; null where it gives one. */
  readonly refused: string | null;
}

/**
 * Reads entries and says of each whether it gives an item, for operators.
 * @param base the page they came from
 * @returns one for each entry, in the order of the page
 */
export function judgeEntries(entries: readonly Entry[], base: string, now: Date): JudgedEntry[] {
  const seen = new Set<string>();
  // All at once, since an id counts only where it is not shared.
  const { items } = readItems(entries, base, now);
  let next = 0;
  return entries.map((entry) => {
    const read = readOf(entry, now);
    const refused = explainRefusal(entry, base);
    if (refused) return { entry, read, item: null, refused };
    const [alone] = readItems([entry], base, now).items;
    const item = items[next];
    if (item && alone && item.url === alone.url && item.title === alone.title && !seen.has(item.item_key)) {
      seen.add(item.item_key);
      next += 1;
      return { entry, read, item, refused: null };
    }
    return { entry, read, item: null, refused: 'an earlier entry has the same id' };
  });
}

const readOf = (entry: Entry, now: Date): JudgedEntry['read'] => ({
  title: cleanText(entry.title ?? '', MAX_TITLE_LENGTH),
  link: entry.link,
  id: entry.id,
  published_at: dateOf(entry, now).published,
});
