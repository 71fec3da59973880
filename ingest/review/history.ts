/** The history of a signal: every event of its stream, what it changed, and what led to it. */
import type { EventStore } from '../../log/event-store.ts';
import type { Topics } from '../../log/topic.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { signalStream } from '../../schemas/signal.ts';
import { type Cause, causesIn, chainOf } from './causes.ts';
import { type Change, changesOf } from './changes.ts';
import { NoSuchSignal, signalIdOf } from './find-signal.ts';

export interface HistoryEntry {
  readonly signal_id: string;
  readonly time: string;
  readonly type: string;
  readonly id: string;
  readonly revision: number;
  readonly changes: readonly Change[];
  /** The nearest cause first. */
  readonly causes: readonly Cause[];
}

export interface HistoryOptions {
  readonly store: EventStore;
  readonly topics: Topics;
  /** A consumer group that nobody used before, for topics without an index. */
  readonly group: string;
  readonly signal: AbortSignal;
}

/** More steps than any chain of merges has. */
const MOST_SIGNALS = 100;
const CAME_WITH = /came with (sig_[0-9a-f]{16})/;

/** Signals that this event leads to: the one that it was merged into, or one whose reports came here by a merge. */
const ledTo = (event: KnownEvent): string[] => {
  if (event.type === 'SignalMerged') return [event.data.into];
  if (event.type !== 'SignalReported') return [];
  return event.data.match.reasons.flatMap((reason) => CAME_WITH.exec(reason)?.[1] ?? []);
};

/**
 * Every event of the signal, and of those merged with it, in the order in which they were written.
 * @throws NoSuchSignal; UnreadableEvent for an event that no schema takes
 */
export async function signalHistory(idOrSlug: string, options: HistoryOptions): Promise<HistoryEntry[]> {
  const { store, topics, group, signal } = options;
  const events: {
    readonly event: KnownEvent;
    readonly signal_id: string;
    readonly revision: number;
    readonly position: bigint;
  }[] = [];
  const ids = new Set([await signalIdOf(store, idOrSlug)]);
  for (const id of ids) {
    const stored = await store.read(signalStream(id));
    for (const one of stored) {
      const event = readEvent(one);
      events.push({ event, signal_id: id, revision: one.revision, position: one.position });
      for (const other of ledTo(event)) if (ids.size < MOST_SIGNALS) ids.add(other);
    }
  }
  if (events.length === 0) throw new NoSuchSignal(idOrSlug);
  const causes = causesIn(topics, group, signal);
  for (const { event } of events) causes.known.set(event.id, event);
  // Story, item, poll: three steps at most lead out of the store.
  for (let step = 0; step < 3; step++)
    await causes.find(
      [...causes.known.values()].flatMap((event) => [event.causation_id ?? [], event.correlation_id].flat()),
    );
  return events
    .toSorted((a, b) => (a.position < b.position ? -1 : 1))
    .map(({ event, signal_id, revision }) => ({
      signal_id,
      time: event.time,
      type: event.type,
      id: event.id,
      revision,
      changes: changesOf(event),
      causes: chainOf(event, causes.known),
    }));
}
