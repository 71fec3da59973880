/** What a poll would make of each entry, for operators. */
import type { Entry } from '../read/entry.ts';
import { cleanText } from './clean-text.ts';
import { dateOf, type FoundItem, LONGEST_TITLE, readItems, whyRefused } from './read-items.ts';

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
 * Judges entries.
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
    const refused = whyRefused(entry, base);
    if (refused) return { entry, read, item: null, refused };
    const [alone] = readItems([entry], base, now).items;
    const item = items[next];
    if (item && alone && item.url === alone.url && item.title === alone.title && !seen.has(item.item_key)) {
      seen.add(item.item_key);
      next += 1;
      return { entry, read, item, refused: null };
    }
    return { entry, read, item: null, refused: 'an entry with the same id is before it' };
  });
}

const readOf = (entry: Entry, now: Date): JudgedEntry['read'] => ({
  title: cleanText(entry.title ?? '', LONGEST_TITLE),
  link: entry.link,
  id: entry.id,
  published_at: dateOf(entry, now).published,
});
