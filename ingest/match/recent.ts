/**
 * The newest signals of the store, read from its end backwards, so that a start costs the same however long the history
 * is. What is older is known by its own stream alone: an item finds the signal that it was the first to tell.
 */
import type { EventStore, Position, StoredEvent } from '../../log/event-store.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';

/** How far back the window reaches, by the events' own times: a store that rested for a year still has its window. */
export const WINDOW_DAYS = 180;
const DAY = 86_400_000;
const PAGE = 5_000;
/** So many positions are read at a time; more where they hold few events of signals. */
const STEP = 10_000n;
/**
 * So many events in a row must lie before the window until the search ends. A new source brings its backlog with old
 * times in the midst of new events, mostly a hundred of them.
 */
const QUIET = 2_000;
const WANTED = new Set(['SignalDetected', 'SignalReported', 'SignalMerged']);

export interface Recent {
  /** In the order of the store. */
  readonly events: StoredEvent[];
  /** Up to where the store was read. */
  readonly position: Position;
}

/** The signal events after one position and up to another. */
async function between(store: EventStore, after: Position, end: Position): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let position = after; position < end; ) {
    const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
    for (const event of page.events) if (event.position <= end) events.push(event);
    if (page.position === position) break;
    position = page.position;
  }
  return events;
}

const timeOf = ({ time }: StoredEvent): number => Date.parse(time);
const newest = (events: readonly StoredEvent[]): number =>
  events.reduce((latest, event) => Math.max(latest, timeOf(event)), Number.NEGATIVE_INFINITY);

async function backwards(store: EventStore, head: Position, most: number): Promise<StoredEvent[]> {
  const pieces: StoredEvent[][] = [];
  let step = STEP;
  let [signals, quiet] = [0, 0];
  let latest = Number.NEGATIVE_INFINITY;
  for (let end = head; end > 0n && signals < most && quiet < QUIET; ) {
    const after = step < end ? end - step : 0n;
    const events = await between(store, after, end);
    latest = Math.max(latest, newest(events));
    quiet = newest(events) < latest - WINDOW_DAYS * DAY ? quiet + events.length : 0;
    signals += events.filter(({ type }) => type === 'SignalDetected').length;
    if (events.length < QUIET) step *= 2n;
    pieces.push(events.filter(({ type }) => WANTED.has(type)));
    end = after;
  }
  return pieces.reverse().flat();
}

/** The events of the newest signals alone; those of older ones, and what came to them later, are left out. */
function ofTheNewest(events: readonly StoredEvent[], most: number): StoredEvent[] {
  const detected = events.filter(({ type }) => type === 'SignalDetected').map(({ stream }) => stream);
  const kept = new Set(detected.slice(-most));
  return events.filter(({ stream }) => kept.has(stream));
}

/**
 * Reads what the window needs. A store that reads only from positions that it gave itself is read from the beginning.
 * @param most signals kept
 */
export async function recentSignals(store: EventStore, most: number): Promise<Recent> {
  const position = await store.head();
  const events = await backwards(store, position, most).catch(() => between(store, 0n, position));
  return {
    events: ofTheNewest(
      events.filter(({ type }) => WANTED.has(type)),
      most,
    ),
    position,
  };
}
