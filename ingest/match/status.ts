/** Whether a new signal may be shown, and why not. */
import type { Item } from '../../schemas/item.ts';
import { MOVES } from '../../schemas/scalar.ts';
import type { Understanding } from '../../schemas/story.ts';

/** What a signal lacks that it needs to be public: a date, a source or a kind of move; null when it has all. */
export function missing(item: Item, understanding: Understanding): string | null {
  if (!item.published_at && !understanding.event_at) return 'it has no date';
  if (!item.outlet.trim() || !item.url) return 'it has no source';
  if (!MOVES.includes(understanding.move)) return 'it has no kind of move';
  return null;
}

const DAY = 86_400_000;

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
  const lacking = missing(item, understanding);
  return lacking ? { status: 'held', status_reason: lacking } : { status: 'public', status_reason: null };
}
