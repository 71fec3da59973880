/** The matcher: consumes stories, writes signals. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import { EventTooLarge, type Message, type Topic } from '../../log/topic.ts';
import { readEnvelope, readEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { StoryEvent } from './decide.ts';
import { handleStory, PoisonedStory } from './handle.ts';
import { type Lanes, openLanes } from './lanes.ts';
import { mergeLeftOver, mergeTwins } from './merge.ts';
import { noParents, type ParentOf } from './parents.ts';
import { hash } from './terms.ts';
import { openTracker, type Tracker } from './tracker.ts';

export const MATCH_GROUP = 'match';
/** Stories in hand at once: enough to fill the appends that the store takes together. */
const AT_ONCE = 64;
const BACKOFF = { base: 100, maximum: 10_000 };

export interface MatchOptions {
  readonly stories: Topic;
  readonly store: EventStore;
  readonly logger: Logger;
  /** Aborting ends the loop after the story in hand. */
  readonly signal: AbortSignal;
  readonly clock?: () => Date;
  /** Who owns a brand, by the catalogue. */
  readonly parentOf?: ParentOf;
}

const isHopeless = (error: unknown): boolean => error instanceof PoisonedStory || error instanceof EventTooLarge;

/** The story of a message; null, and a line in the log, for one that cannot be read. */
function storyOf({ event }: Message, logger: Logger): StoryEvent | null {
  try {
    const story = readEvent(readEnvelope(event));
    return story.type === 'StoryUnderstood' && story.data.item.role !== 'oracle' ? story : null;
  } catch (error) {
    logger.warn({ event: event.id, code: 'unreadable_story', error }, 'a story cannot be read');
    return null;
  }
}

async function handle(tracker: Tracker, { store, logger, signal }: MatchOptions, story: StoryEvent): Promise<void> {
  if (signal.aborted) throw new Error('stopped within a batch, which comes again');
  const about = { handling: 'match', event: story, started: performance.now() } as const;
  try {
    await handleStory(tracker, store, story);
    eventHandled.tell({ ...about, outcome: 'matched' });
  } catch (error) {
    if (!isHopeless(error)) throw error;
    eventHandled.tell({ ...about, outcome: 'put aside', failed: true });
    logger.error({ event: story.id, code: 'poisoned_story', error }, 'a story was put aside');
  }
}

/** By what two tellings of one event meet: a brand or its owner, the rarest words of the headline, item, address. */
function lanesOf(tracker: Tracker, { data }: StoryEvent): number[] {
  const { families, subject } = tracker.features(data);
  return [...families, ...subject.ids, hash(data.item.item_key), hash(data.item.url)];
}

async function handleBatch(tracker: Tracker, lanes: Lanes, options: MatchOptions, messages: readonly Message[]) {
  const stories = messages.flatMap((message) => storyOf(message, options.logger) ?? []);
  const done = await Promise.allSettled(
    stories.map((story) => lanes(lanesOf(tracker, story), () => handle(tracker, options, story))),
  );
  for (const one of done) if (one.status === 'rejected') throw one.reason;
}

/** Takes in what other matchers write, as they write it. */
async function follow(tracker: Tracker, options: MatchOptions): Promise<void> {
  const { store, logger, signal } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const page of store.subscribe({ after: tracker.position, prefixes: [SIGNAL_PREFIX], signal })) {
        await mergeTwins(tracker, tracker.take(page.events, page.position));
        failures = 0;
      }
    } catch (error) {
      logger.warn({ error }, 'following the signals failed, trying again');
      await pause(backoff(failures++, BACKOFF, Math.random), signal);
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
      logger.warn({ error }, 'reading the signals failed, trying again');
      await pause(backoff(failures, BACKOFF, Math.random), signal);
    }
  }
}

/**
 * Runs until the signal aborts: fills the window from the store, then handles the topic `stories`. What the store
 * refuses for the moment makes the topic bring the batch again.
 */
export async function runMatch(options: MatchOptions): Promise<void> {
  const { stories, store, logger, signal } = options;
  const tracker = openTracker(store, logger, { parentOf: options.parentOf ?? noParents });
  const lanes = openLanes(AT_ONCE);
  await fillWindow(tracker, options);
  if (signal.aborted) return;
  logger.info({ signals: tracker.window.size }, 'matching');
  await Promise.all([
    follow(tracker, options),
    stories.consume({
      group: MATCH_GROUP,
      signal,
      // A partition comes with what its former owner wrote: nothing is handled before that is known.
      onAssigned: async () => mergeTwins(tracker, await tracker.catchUp()),
      handle: ({ messages }) => handleBatch(tracker, lanes, options, messages),
    }),
  ]);
}
