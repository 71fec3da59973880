/** The matcher: consumes stories, writes signals. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import type { DeadLetters } from '../../log/dead-letters.ts';
import { logError, Stopping } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import { consumeMessages, type HandlingFailure, type MessageConsumer } from '../../log/message-consumer.ts';
import type { Topic } from '../../log/topic.ts';
import { type Event, readEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { StoryEvent } from './decide.ts';
import type { Features } from './features.ts';
import { handleStory } from './handle.ts';
import { type Lane, type Lanes, openLanes } from './lanes.ts';
import { mayMeet } from './match.ts';
import { mergeLeftOver } from './merge.ts';
import { noParents, type ParentOf } from './parents.ts';
import { settleRaces, type Written } from './races.ts';
import { IndexOfNewerRelease, type SignalIndex } from './signal-index.ts';
import { hash } from './terms.ts';
import { openTracker, type Tracker } from './tracker.ts';

export const MATCH_GROUP = 'match';
/** Stories in hand at once: enough to fill the appends that the store takes together. */
const AT_ONCE = 64;
/** Least milliseconds between two looks at what was written: what is written meanwhile comes as one page. */
const FOLLOW_EVERY = 40;
/** Milliseconds between two saves of the index: what a start has to read of the log again. */
const SAVE_EVERY = 1_000;
const BACKOFF = { base: 100, maximum: 10_000 };

export interface MatchOptions {
  readonly stories: Topic;
  readonly store: EventStore;
  readonly logger: Logger;
  /** Aborting ends the loop after the story in hand. */
  readonly signal: AbortSignal;
  /** The time of the service, by which signals are dated; that of the machine when unset. */
  readonly clock?: () => Date;
  /** Who owns a brand, by the catalogue. */
  readonly parentOf?: ParentOf;
  readonly deadLetters: DeadLetters;
  /** The index of all signals; unset, only the newest are known. */
  readonly index?: SignalIndex;
  /** Signals held in memory; see `TrackerOptions`. */
  readonly capacity?: number;
  readonly limits?: MessageConsumer['limits'];
}

/**
 * The story of an event; null for events of other kinds and for items of reference sources.
 * @throws UnreadableEvent
 */
function storyOf(event: Event): StoryEvent | null {
  const story = readEvent(event);
  return story.type === 'StoryUnderstood' && story.data.item.role !== 'oracle' ? story : null;
}

/** A story in hand: two tellings of one event share a brand or its owner, rare words of the headline, item or address. */
interface InHand extends Lane {
  readonly item: StoryEvent['data']['item'];
  readonly features: Features;
}

function inHand(tracker: Tracker, story: StoryEvent): InHand {
  const { item } = story.data;
  const features = tracker.features(story.data);
  const keys = [...features.families, ...features.subject.ids, hash(item.item_key), hash(item.url)];
  return { keys: [...new Set(keys)], item, features };
}

const meets = (one: InHand, other: InHand): boolean =>
  one.item.item_key === other.item.item_key || one.item.url === other.item.url || mayMeet(one.features, other.features);

async function handle(
  tracker: Tracker,
  lanes: Lanes<InHand>,
  { store, signal }: MatchOptions,
  story: StoryEvent,
): Promise<Written> {
  // Its turn may come late: what it waited for is not its own time.
  let started = performance.now();
  const about = { handling: 'match', event: story } as const;
  try {
    return await lanes(
      () => inHand(tracker, story),
      async ({ features }) => {
        if (signal.aborted) throw new Stopping('the matcher stops within a batch, which comes again');
        started = performance.now();
        const written = await handleStory(tracker, store, story, features);
        eventHandled.tell({ ...about, started, outcome: 'matched' });
        return written;
      },
    );
  } catch (error) {
    if (!signal.aborted) eventHandled.tell({ ...about, started, outcome: 'failed', failed: true });
    throw error;
  }
}

/** @returns stories that failed; the others are written, and settled with what others wrote meanwhile */
async function handleBatch(
  tracker: Tracker,
  lanes: Lanes<InHand>,
  options: MatchOptions,
  events: readonly Event[],
): Promise<HandlingFailure[]> {
  const failures: HandlingFailure[] = [];
  const written = await Promise.all(
    events.map(async (event) => {
      try {
        const story = storyOf(event);
        return story && (await handle(tracker, lanes, options, story));
      } catch (error) {
        failures.push({ id: event.id, error });
        return null;
      }
    }),
  );
  await settleRaces(
    tracker,
    written.filter((one) => one !== null),
    options.signal,
  );
  if (tracker.isFull) await tracker.save();
  return failures;
}

/** Takes in what other matchers write, as they write it. */
async function follow(tracker: Tracker, options: MatchOptions): Promise<void> {
  const { store, logger, signal } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const page of store.subscribe({ after: tracker.position, prefixes: [SIGNAL_PREFIX], signal })) {
        tracker.take(page.events, page.position);
        failures = 0;
        await pause(FOLLOW_EVERY, signal);
      }
    } catch (error) {
      logError(logger, error, {}, 'following the signals failed, trying again');
      await pause(backoff(failures++, BACKOFF, Math.random), signal);
    }
  }
}

/** Saves in the index what changes. @throws IndexOfNewerRelease */
async function keepIndex(tracker: Tracker, { logger, signal }: MatchOptions): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    await pause(failures === 0 ? SAVE_EVERY : backoff(failures, BACKOFF, Math.random), signal);
    try {
      await tracker.save();
      failures = 0;
    } catch (error) {
      if (error instanceof IndexOfNewerRelease) throw error;
      failures += 1;
      if (!signal.aborted) logError(logger, error, {}, 'the index of signals could not be saved, trying again');
    }
  }
}

async function fillWindow(tracker: Tracker, { logger, signal }: MatchOptions): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await tracker.catchUp();
      await mergeLeftOver(tracker);
      return;
    } catch (error) {
      if (error instanceof IndexOfNewerRelease) throw error;
      logError(logger, error, {}, 'reading the signals failed, trying again');
      await pause(backoff(failures, BACKOFF, Math.random), signal);
    }
  }
}

/**
 * Runs until the signal aborts: fills the window from the index and the store, then handles the topic `stories`. What the
 * store refuses for the moment makes the topic bring the batch again.
 * @throws IndexOfNewerRelease
 */
export async function runMatch(options: MatchOptions): Promise<void> {
  const { store, logger, index, capacity } = options;
  const parentOf = options.parentOf ?? noParents;
  const tracker = openTracker(store, logger, {
    parentOf,
    clock: options.clock,
    index,
    ...(capacity === undefined ? {} : { capacity }),
  });
  const lanes = openLanes(AT_ONCE, meets);
  const failed = new AbortController();
  const running = { ...options, signal: AbortSignal.any([options.signal, failed.signal]) };
  await fillWindow(tracker, running);
  if (options.signal.aborted) return;
  logger.info({ signals: tracker.window.size }, 'matching');
  const parts = [
    follow(tracker, running),
    keepIndex(tracker, running),
    consumeMessages({
      topic: options.stories,
      group: MATCH_GROUP,
      ...{ signal: running.signal, logger, deadLetters: options.deadLetters, limits: options.limits ?? {} },
      // A partition comes with what its former owner wrote: nothing is handled before that is known.
      onAssigned: () => tracker.catchUp(),
      handle: (events) => handleBatch(tracker, lanes, running, events),
    }),
  ];
  for (const part of parts) part.catch(() => failed.abort());
  const ended = await Promise.allSettled(parts);
  const failure = ended.find((part) => part.status === 'rejected');
  if (failure && !options.signal.aborted) throw failure.reason;
}
