/** Trackers for tests of matching, and what they leave in a store. */
import { pino } from 'pino';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { Tracker, type TrackerOptions } from '../../../ingest/match/signal-tracker.ts';
import type { EventStore } from '../../../log/event-store.ts';
import type { SignalId } from '../../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import type { MemoryStore } from './memory-store.ts';

export const logger = pino({ level: 'silent' });

/** A tracker at the end of a store. */
export async function trackerOf(store: EventStore, options: TrackerOptions = {}): Promise<Tracker> {
  const tracker = new Tracker(store, logger, options);
  await tracker.catchUp();
  return tracker;
}

export async function handleAll(store: EventStore, stories: readonly StoryEvent[]): Promise<void> {
  const tracker = await trackerOf(store);
  for (const story of stories) await handleStory(tracker, store, story);
}

export const signalEvents = (store: MemoryStore) =>
  store.events.filter(({ stream }) => stream.startsWith(SIGNAL_PREFIX));

export const typesOf = (store: MemoryStore): string[] => signalEvents(store).map(({ type }) => type);

/** Ids of the signals that were not merged into others. */
export function remainingSignals(events: readonly { readonly type: string; readonly data: unknown }[]): SignalId[] {
  const idsOf = (type: string): SignalId[] =>
    events.flatMap((event) => (event.type === type ? [(event.data as { signal_id: SignalId }).signal_id] : []));
  const merged = new Set(idsOf('SignalMerged'));
  return idsOf('SignalDetected').filter((id) => !merged.has(id));
}
