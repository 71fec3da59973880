/**
 * The matcher: subscribes to stories and writes signals. One process owns the match, further processes are warm standbys.
 * Stories that can affect each other are handled in the order in which they came, all others at the same time.
 */
import type { Logger } from 'pino';
import { keepRunning, pause, RETRY, retry } from '../../log/backoff.ts';
import type { DeadLetters } from '../../log/dead-letters.ts';
import { type ErrorLogger, logError, Stopping } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import { consumeMessages, type HandlingFailure, type MessageConsumer } from '../../log/message-consumer.ts';
import type { Database } from '../../log/postgres/database.ts';
import { runAsSingleOwner } from '../../log/postgres/single-owner.ts';
import type { Topic } from '../../log/topic.ts';
import { type Event, readEvent } from '../../schemas/events.ts';
import { addressKey } from '../../schemas/scalar.ts';
import { type Report, SIGNAL_PREFIX } from '../../schemas/signal.ts';
import type { StoryEvent } from '../../signal/report-decisions.ts';
import { handleStory } from './handle-story.ts';
import { type Lane, type Lanes, openLanes } from './lanes.ts';
import { canAffectEachOther } from './match-story.ts';
import { type Features, noParents, type ParentOf } from './report-features.ts';
import type { SignalIndex } from './signal-index.ts';
import { Tracker } from './signal-tracker.ts';
import { hash } from './weighted-terms.ts';

export const MATCH_GROUP = 'match';
/** Stories that are handled at once: enough to fill the appends that the store takes together. */
const AT_ONCE = 64;
/** Minimum of milliseconds between two pages of the subscription: events in between come as one page. */
const FOLLOW_EVERY = 40;
/** Milliseconds between two saves of the index: what a start has to read of the log again. */
const SAVE_EVERY = 1_000;

export interface MatchOptions {
  readonly stories: Topic;
  readonly store: EventStore;
  readonly logger: Logger;
  /** Aborting ends the loop after the current story. */
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

/** A report that is being handled. Two reports of one event share a brand or its owner, rare words of the headline, item or address. */
interface HandledReport extends Lane {
  readonly item: Pick<Report, 'item_key' | 'url'>;
  readonly features: Features;
}

function handledReport(item: HandledReport['item'], features: Features): HandledReport {
  const keys = [...features.families, ...features.subject.ids, hash(item.item_key), hash(addressKey(item.url))];
  return { keys: [...new Set(keys)], item, features };
}

const keepOrder = (one: HandledReport, other: HandledReport): boolean =>
  one.item.item_key === other.item.item_key ||
  addressKey(one.item.url) === addressKey(other.item.url) ||
  canAffectEachOther(one.features, other.features);

/** Logs a failed attempt. */
const reporting =
  (logger: ErrorLogger, message: string) =>
  (error: unknown): void =>
    logError(logger, error, {}, message);

/** The work of an owner: its tracker and its lanes. */
class Matcher {
  readonly #options: MatchOptions;
  readonly #tracker: Tracker;
  readonly #lanes: Lanes<HandledReport> = openLanes(AT_ONCE, keepOrder);

  constructor(options: MatchOptions) {
    this.#options = options;
    const { store, logger, index, capacity, clock } = options;
    this.#tracker = new Tracker(store, logger, {
      parentOf: options.parentOf ?? noParents,
      clock,
      index,
      capacity,
    });
  }

  /** Fills the window from the index and the store. */
  async fill(): Promise<void> {
    const { logger, signal } = this.#options;
    const fill = async (): Promise<void> => {
      await this.#tracker.catchUp();
      logger.info({ signals: this.#tracker.window.size }, 'matching');
    };
    await retry(fill, {
      ...RETRY.message,
      signal,
      failed: reporting(logger, 'reading the signals failed, trying again'),
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Follows what others write: operators, replays of items that revise signals, and a former owner in its last moments. */
  async follow(): Promise<void> {
    const { store, logger, signal } = this.#options;
    const follow = async (working: () => void): Promise<void> => {
      const after = this.#tracker.position;
      for await (const page of store.subscribe({ after, prefixes: [SIGNAL_PREFIX], signal })) {
        this.#tracker.take(page.events, page.position);
        working();
        await pause(FOLLOW_EVERY, signal);
      }
    };
    await keepRunning(follow, {
      ...RETRY.message,
      signal,
      failed: (error) => logError(logger, error, {}, 'following the signals failed, trying again'),
    });
  }

  /** Saves in the index what changes. */
  async keepIndex(): Promise<void> {
    const { logger, signal } = this.#options;
    const failed = reporting(logger, 'the index of signals could not be saved, trying again');
    await pause(SAVE_EVERY, signal);
    await keepRunning(() => this.#tracker.save(), { ...RETRY.message, every: SAVE_EVERY, signal, failed });
  }

  async consume(): Promise<void> {
    const { stories, signal, logger, deadLetters, limits } = this.#options;
    await consumeMessages({
      topic: stories,
      group: MATCH_GROUP,
      signal,
      logger,
      deadLetters,
      limits: limits ?? {},
      // Nothing is handled before the events of the former owner of the partition are read.
      onAssigned: () => this.#tracker.catchUp(),
      handle: (events) => this.#handleBatch(events),
    });
  }

  /** @returns the stories that failed; the others are written */
  async #handleBatch(events: readonly Event[]): Promise<HandlingFailure[]> {
    const failures: HandlingFailure[] = [];
    // Before the stories and not after them: when the index cannot be saved, no handled story counts as failed.
    if (this.#tracker.isFull) await this.#tracker.save();
    await Promise.all(
      events.map(async (event) => {
        try {
          const story = storyOf(event);
          if (story) await this.#handle(story);
        } catch (error) {
          failures.push({ id: event.id, error });
        }
      }),
    );
    return failures;
  }

  async #handle(story: StoryEvent): Promise<void> {
    const { store, signal } = this.#options;
    await this.#lanes(
      () => handledReport(story.data.item, this.#tracker.features(story.data)),
      async ({ features }) => {
        if (signal.aborted) throw new Stopping('the matcher stops within a batch, which comes again');
        await handleStory(this.#tracker, store, story, features);
      },
    );
  }
}

/**
 * Runs until the signal aborts, as the only matcher: fills the window from the index and the store, then handles the topic
 * `stories`. What the store refuses for the moment makes the topic bring the batch again.
 */
export async function runMatcher(options: MatchOptions): Promise<void> {
  const failed = new AbortController();
  const matcher = new Matcher({ ...options, signal: AbortSignal.any([options.signal, failed.signal]) });
  await matcher.fill();
  if (options.signal.aborted) return;
  const parts = [matcher.follow(), matcher.keepIndex(), matcher.consume()];
  for (const part of parts) part.catch(() => failed.abort());
  const ended = await Promise.allSettled(parts);
  const failure = ended.find((part) => part.status === 'rejected');
  if (failure && !options.signal.aborted) throw failure.reason;
}

/**
 * Waits until this process owns the match, then runs the matcher until the signal aborts.
 * @param database where owners are agreed on
 * @throws LockSessionLost
 */
export const runMatcherAsOwner = (database: Database, options: MatchOptions): Promise<void> =>
  runAsSingleOwner(
    {
      database,
      lock: 'match owner',
      signal: options.signal,
      onStandby: () => options.logger.info('another process matches stories; waiting as a standby'),
    },
    (owner) => runMatcher({ ...options, signal: owner.signal, store: owner.fenced(options.store) }),
  );
