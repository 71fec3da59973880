/** The matcher: consumes stories, writes signals. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import { EventTooLarge, type Message, type Topic } from '../../log/topic.ts';
import { readEnvelope, readEvent } from '../../schemas/events.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { handleStory, PoisonedStory } from './handle.ts';
import { mergeTwins } from './merge.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { noParents, type ParentOf } from './parents.ts';
import { openTracker, type Tracker } from './tracker.ts';

export const MATCH_GROUP = 'match';
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

async function handleMessage(tracker: Tracker, { store, logger }: MatchOptions, message: Message): Promise<void> {
  let story: ReturnType<typeof readEvent>;
  try {
    story = readEvent(readEnvelope(message.event));
  } catch (error) {
    logger.warn({ event: message.event.id, code: 'unreadable_story', error }, 'a story cannot be read');
    return;
  }
  if (story.type !== 'StoryUnderstood' || story.data.item.role === 'oracle') return;
  try {
    await handleStory(tracker, store, story);
  } catch (error) {
    if (!isHopeless(error)) throw error;
    logger.error({ event: story.id, code: 'poisoned_story', error }, 'a story was put aside');
  }
}

/** Takes in what other matchers write, as they write it. */
async function follow(tracker: Tracker, lock: <R>(work: () => Promise<R>) => Promise<R>, options: MatchOptions) {
  const { store, logger, signal } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const page of store.subscribe({ after: tracker.position, prefixes: [SIGNAL_PREFIX], signal })) {
        await lock(async () => mergeTwins(tracker, tracker.take(page.events, page.position)));
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
      return;
    } catch (error) {
      logger.warn({ error }, 'reading the signals failed, trying again');
      await pause(backoff(failures, BACKOFF, Math.random), signal);
    }
  }
}

/**
 * Runs until the signal aborts: fills the window from the store, then handles the topic `stories`. Stories are
 * handled one at a time, since two of one event may come by different partitions; what the store refuses for the
 * moment makes the topic bring the batch again.
 */
export async function runMatch(options: MatchOptions): Promise<void> {
  const { stories, store, logger, signal } = options;
  const tracker = openTracker(store, logger, { parentOf: options.parentOf ?? noParents });
  const lock = oneAtATime();
  await fillWindow(tracker, options);
  if (signal.aborted) return;
  logger.info({ signals: tracker.window.size }, 'matching');
  await Promise.all([
    follow(tracker, lock, options),
    stories.consume({
      group: MATCH_GROUP,
      signal,
      // A partition comes with what its former owner wrote: nothing is handled before that is known.
      onAssigned: () => lock(async () => mergeTwins(tracker, await tracker.catchUp())),
      handle: async ({ messages }) => {
        for (const message of messages) {
          if (signal.aborted) throw new Error('stopped within a batch, which comes again');
          await lock(() => handleMessage(tracker, options, message));
        }
      },
    }),
  ]);
}
