/** The status of a signal: whether readers may see it, why not, and which events change it. Pure. */

import type { KnownEvent } from '../schemas/events.ts';
import type { Item } from '../schemas/item.ts';
import { laterOf, MOVES } from '../schemas/scalar.ts';
import type { SignalStatus } from '../schemas/signal.ts';
import type { Understanding } from '../schemas/story.ts';
import type { KnownReport } from './signal.ts';

// Whether a signal may be shown, and why not.

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

// Whether readers may see a signal. Only `public` ones are shown or counted.

/** The event types of signals; every read model of signals takes them all. */
export const SIGNAL_TYPES = [
  'SignalDetected',
  'SignalReported',
  'SignalRevised',
  'SignalAnalysed',
  'SignalHeld',
  'SignalReleased',
  'SignalMerged',
] as const;
export type SignalEvent = KnownEvent<(typeof SIGNAL_TYPES)[number]>;

/** True for an event of a signal. */
export const isSignalEvent = (event: KnownEvent): event is SignalEvent =>
  (SIGNAL_TYPES as readonly string[]).includes(event.type);

/** The signals that an event touches: its own, and the one that it is merged into. */
export function touchedSignals(event: KnownEvent): readonly string[] {
  if (!isSignalEvent(event)) return [];
  return event.type === 'SignalMerged' ? [event.data.signal_id, event.data.into] : [event.data.signal_id];
}

/**
 * The status after an event of the signal itself. A merged signal stays merged. A resurfaced one is released only where
 * the outlet whose page it is dates it otherwise than the source that listed it.
 */
function nextStatus(status: SignalStatus, event: SignalEvent): SignalStatus {
  if (event.type === 'SignalMerged') return 'merged';
  if (event.type === 'SignalHeld' && status === 'public') return 'held';
  if (event.type === 'SignalReleased' && (status === 'held' || status === 'resurfaced')) return 'public';
  return status;
}

/** What every row of a signal has. */
interface Shown {
  readonly status: SignalStatus;
  /** When the service made it public, the last time. */
  readonly published_at: string;
}

/**
 * The row with the status that an event of the signal itself leaves it in. What is released is published then: it comes
 * after all that readers have seen, and they find it by asking for what was published since.
 * @returns the row itself when nothing changes
 */
export function withStatus<Row extends Shown>(row: Row, event: SignalEvent): Row {
  const status = nextStatus(row.status, event);
  if (status === row.status) return row;
  const published_at = status === 'public' ? laterOf(row.published_at, event.time) : row.published_at;
  return { ...row, status, published_at };
}
