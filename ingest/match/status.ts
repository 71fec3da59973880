/** Whether a signal may be shown, and why not. */
import type { Item } from '../../schemas/item.ts';
import { MOVES } from '../../schemas/scalar.ts';
import type { Understanding } from '../../schemas/story.ts';
import type { KnownReport } from './state.ts';

const DAY = 86_400_000;

/** An event that was a signal more than so many days before, or an item so much older than its finding, resurfaced. */
export const RESURFACED_DAYS = 7;

/** True when the one time lies more than a week after the other; both RFC 3339. */
export const isLate = (time: string, than: string): boolean =>
  Date.parse(time) - Date.parse(than) > RESURFACED_DAYS * DAY;

/** True when an item's own date lies more than a week before it was first seen. */
export const isOldNews = ({ first_seen_at, published_at }: Pick<Item, 'first_seen_at' | 'published_at'>): boolean =>
  published_at !== null && isLate(first_seen_at, published_at);

type Told = Pick<Item, 'published_at' | 'first_seen_at' | 'outlet' | 'url'>;

/** What a signal lacks that it needs to be public: a date, a source or a kind of move; null when it has all. */
export const missing = (item: Told, understanding: Understanding): string | null =>
  lacking([{ ...item, resurfaced: false }], understanding);

/**
 * What a signal lacks with all its reports and its text; null when it has all. Old news gives it nothing: neither a
 * report that does not count nor one that was dated long before it was first seen.
 */
export function lacking(
  reports: readonly (Told & Pick<KnownReport, 'resurfaced'>)[],
  understanding: Understanding,
): string | null {
  const counted = reports.filter((report) => !report.resurfaced && !isOldNews(report));
  if (!understanding.event_at && !counted.some(({ published_at }) => published_at)) return 'it has no date';
  if (!counted.some(({ outlet, url }) => outlet.trim() && url)) return 'it has no source';
  if (!MOVES.includes(understanding.move)) return 'it has no kind of move';
  return null;
}

/** Status of a signal that is new, or old news that no signal is known for, with its reason. */
export function statusOf(
  item: Item,
  understanding: Understanding,
  resurfaced: boolean,
): { status: 'public' | 'held' | 'resurfaced'; status_reason: string | null } {
  if (resurfaced && item.published_at) {
    const days = Math.floor((Date.parse(item.first_seen_at) - Date.parse(item.published_at)) / DAY);
    return { status: 'resurfaced', status_reason: `its own date is ${days} days before it was first seen` };
  }
  const lacks = missing(item, understanding);
  return lacks ? { status: 'held', status_reason: lacks } : { status: 'public', status_reason: null };
}
