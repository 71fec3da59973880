/**
 * How rebuilds read the log: one alone page by page, several by one subscription that they share.
 *
 * Reading the log once for each model would cost more than folding, above all from EventStoreDB, whose client reads some ten
 * thousand events a second.
 */
import { pause } from '../log/backoff.ts';
import type { EventStore, Page, Position } from '../log/event-store.ts';
import { SIGNAL_PREFIX } from '../schemas/signal.ts';
import { LiveFeed, type Subscription } from './live-feed.ts';
import type { Model } from './read-model.ts';

/** Maximum events of a page. */
const PAGE = 500;

/**
 * Pages of the store up to and including a position. The next page is read while the caller folds the current one.
 * @param after where to begin; the last page ends exactly at `target`
 */
export async function* history(
  store: EventStore,
  prefixes: readonly string[],
  after: Position,
  target: Position,
): AsyncGenerator<Page> {
  // Begins to read a page. Its failure is handled where the page is awaited.
  const read = (position: Position): Promise<Page> => {
    const page = store.readAll({ after: position, prefixes, limit: PAGE });
    page.catch(() => undefined);
    return page;
  };
  let position = after;
  let next = position < target ? read(position) : null;
  while (next) {
    const page = await next;
    const isStuck = page.events.length === 0 && page.position === position;
    const isLast = page.position >= target || isStuck;
    position = page.position;
    next = isLast ? null : read(position);
    yield isLast ? clipped(page, target) : page;
  }
}

/** The part of a page up to a position. */
const clipped = ({ events, position, id }: Page, target: Position): Page => ({
  events: events.filter((event) => event.position <= target),
  position: target,
  id: position === target ? id : undefined,
});

/**
 * Pages of a feed up to and including a position.
 * @param target a position that the log has reached; the last page ends exactly there
 * @throws what the feed fails with, or the signal's reason when it aborts
 */
export async function* sharedHistory(
  feed: LiveFeed,
  subscription: Subscription,
  target: Position,
): AsyncGenerator<Page> {
  if (subscription.after >= target) return;
  for await (const page of feed.follow(subscription)) {
    const isLast = page.position >= target;
    yield isLast ? clipped(page, target) : page;
    if (isLast) return;
  }
  subscription.signal.throwIfAborted();
}

/** What rebuilds that run at the same time share. */
export interface SharedRebuild {
  /** The subscription by which they read the log. */
  readonly feed: LiveFeed;
  /** Runs work when no other rebuild of the group runs such work: indexes take much memory of the server. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Milliseconds without another rebuild after which a group begins. */
const GATHERING = 100;
/** Rebuilds of a group, at most: each holds two connections to PostgreSQL and the rows that wait to be copied. */
const MAX_GROUP = 8;

/** Runs a rebuild as a member of a group. */
type RunRebuild = <Result>(model: Model, rebuild: (shared: SharedRebuild) => Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly prefixes: readonly string[];
  /** Never rejects: the caller gets the failure. */
  readonly start: (shared: SharedRebuild) => Promise<void>;
}

/** Runs rebuilds in groups, one group after the other: each group reads the log once. */
export function rebuildGroups(store: EventStore): RunRebuild {
  const inTurn = oneAtATime();
  let waiting: Waiting[] = [];
  let isRunning = false;
  const runGroups = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0) {
      for (let count = 0; count < waiting.length; ) {
        count = waiting.length;
        await pause(GATHERING);
      }
      const sorted = waiting.toSorted((one, other) => Number(isOfSignals(other)) - Number(isOfSignals(one)));
      const group = sorted.slice(0, MAX_GROUP);
      waiting = sorted.slice(MAX_GROUP);
      const feed = new LiveFeed(
        store,
        group.flatMap(({ prefixes }) => prefixes),
      );
      await Promise.all(group.map(({ start }) => start({ feed, inTurn })));
    }
    isRunning = false;
  };
  return <Result>({ prefixes }: Model, rebuild: (shared: SharedRebuild) => Promise<Result>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ prefixes, start: (shared) => rebuild(shared).then(resolve, reject) });
    void runGroups();
    return promise;
  };
}

/** What readers of signals wait for is built before accounts and sources. */
const isOfSignals = ({ prefixes }: Waiting): boolean => prefixes.includes(SIGNAL_PREFIX);

/** Runs one piece of work at a time, in the order of the calls. */
function oneAtATime(): SharedRebuild['inTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const current = last.then(work, work);
    // The caller gets the failure; the next piece of work runs regardless.
    last = current.catch(() => undefined);
    return current;
  };
}
