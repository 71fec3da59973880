/**
 * The matcher: subscribes to stories and writes signals. Stories that can affect each other are
 * handled in the order in which they came, all others at the same time.
 */
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
import type { StoryEvent } from '../../signal/report-decisions.ts';
import { handleStory } from './handle-story.ts';
import { canAffectEachOther } from './match-story.ts';
import { completeMerges, settleRaces, type WrittenReport } from './merge-signals.ts';
import { type Features, noParents, type ParentOf } from './report-features.ts';
import { IndexOfNewerRelease, type SignalIndex } from './signal-index.ts';
import { openTracker, type Tracker } from './signal-tracker.ts';
import { hash } from './weighted-terms.ts';

/**
 * Lanes: work that can affect other work runs after it, in the order of arrival; all other work runs at the same time. Handling
 * stories so gives what handling them one by one gives, while the store takes many appends in one go.
 */

export interface Lane {
  /** Work that shares none of them does not meet. */
  readonly keys: readonly number[];
}

/** @throws what `lane` throws when its turn comes, or `work` */
type Lanes<About extends Lane> = <Result>(
  lane: () => About,
  work: (about: About) => Promise<Result>,
) => Promise<Result>;

interface Running<About> {
  readonly about: About;
  readonly ended: Promise<unknown>;
}

/**
 * @param limit maximum of pieces of work at once, with those that wait in a lane
 * @param meets whether two that share a key have to keep their order
 */
export function openLanes<About extends Lane>(
  limit: number,
  meets: (one: About, other: About) => boolean,
): Lanes<About> {
  const running = new Map<number, Set<Running<About>>>();
  const waiting: (() => void)[] = [];
  let entered = 0;

  const enter = async (): Promise<void> => {
    if (entered >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else entered++;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else entered--;
  };
  const before = (about: About): Promise<unknown>[] => {
    const near = new Set(about.keys.flatMap((key) => [...(running.get(key) ?? [])]));
    return [...near].filter((other) => meets(about, other.about)).map(({ ended }) => ended);
  };
  const add = (one: Running<About>): void => {
    for (const key of one.about.keys) {
      const others = running.get(key) ?? new Set();
      others.add(one);
      running.set(key, others);
    }
  };
  const remove = (one: Running<About>): void => {
    for (const key of one.about.keys) {
      const others = running.get(key);
      others?.delete(one);
      if (others?.size === 0) running.delete(key);
    }
  };

  return async (lane, work) => {
    await enter();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let own: Running<About> | undefined;
    try {
      const about = lane();
      const earlier = before(about);
      own = { about, ended };
      add(own);
      // An error reaches only its own caller: the work that waits for it continues.
      await Promise.all(earlier);
      return await work(about);
    } finally {
      if (own) remove(own);
      end();
      leave();
    }
  };
}

export const MATCH_GROUP = 'match';
/** Stories in hand at once: enough to fill the appends that the store takes together. */
const AT_ONCE = 64;
/** Minimum of milliseconds between two pages of the subscription: events in between come as one page. */
const FOLLOW_EVERY = 40;
/** The same after a page with reports of other matchers: of several, each reads what all write, and a larger page costs less. */
const FOLLOW_OTHERS_EVERY = 120;
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
  /** The index of all signals; when unset, only the newest are known. */
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

/** A story in hand: two reports of one event share a brand or its owner, rare words of the headline, item or address. */
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
  one.item.item_key === other.item.item_key ||
  one.item.url === other.item.url ||
  canAffectEachOther(one.features, other.features);

async function handle(
  tracker: Tracker,
  lanes: Lanes<InHand>,
  { store, signal }: MatchOptions,
  story: StoryEvent,
): Promise<WrittenReport> {
  // The time that it waits for its turn is not its own.
  let started = performance.now();
  const about = { handling: 'match', event: story } as const;
  try {
    return await lanes(
      () => inHand(tracker, story),
      async ({ features }) => {
        if (signal.aborted) throw new Stopping('the matcher stops within a batch, which comes again');
        started = performance.now();
        const written = await handleStory(tracker, store, story, features);
        eventHandled.emit({ ...about, started, outcome: 'matched' });
        return written;
      },
    );
  } catch (error) {
    if (!signal.aborted) eventHandled.emit({ ...about, started, outcome: 'failed', failed: true });
    throw error;
  }
}

/** @returns the stories that failed; the others are written, and merged with what other matchers wrote at the same time */
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

/** Follows what other matchers write. */
async function follow(tracker: Tracker, options: MatchOptions): Promise<void> {
  const { store, logger, signal } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const page of store.subscribe({ after: tracker.position, prefixes: [SIGNAL_PREFIX], signal })) {
        const hasOthers = tracker.take(page.events, page.position);
        failures = 0;
        await pause(hasOthers ? FOLLOW_OTHERS_EVERY : FOLLOW_EVERY, signal);
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
      await completeMerges(tracker);
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
export async function runMatcher(options: MatchOptions): Promise<void> {
  const { store, logger, index, capacity } = options;
  const parentOf = options.parentOf ?? noParents;
  const tracker = openTracker(store, logger, {
    parentOf,
    clock: options.clock,
    index,
    shared: true,
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
      signal: running.signal,
      logger,
      deadLetters: options.deadLetters,
      limits: options.limits ?? {},
      // Nothing is handled before the events of the former owner of the partition are known.
      onAssigned: () => tracker.catchUp(),
      handle: (events) => handleBatch(tracker, lanes, running, events),
    }),
  ];
  for (const part of parts) part.catch(() => failed.abort());
  const ended = await Promise.allSettled(parts);
  const failure = ended.find((part) => part.status === 'rejected');
  if (failure && !options.signal.aborted) throw failure.reason;
}
