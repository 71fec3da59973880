/**
 * The first fill: the items of all sources' first polls are published in one order, by time, whichever outlet responds
 * first. Matching takes the report that it sees first for the first report of an event, so without this the speed of
 * outlets would decide what a new installation shows.
 *
 * The items are held in memory until every source has arrived, at most `MAX_WAIT`, and then published. Only after that a
 * poll is published and its state remembered: a process that is killed during the fill repeats these polls.
 */
import type { KnownEvent } from '../../schemas/events.ts';
import type { SourceId } from '../../schemas/source.ts';

/** Milliseconds that the first items wait for slow sources; those publish their items when they have them. */
export const MAX_WAIT = 10_000;
/** As many held items, some 40 MB, end the fill early. */
export const MAX_HELD = 20_000;
/** Polls that are published at once after the fill. */
const CONCURRENCY = 16;

type ItemFound = KnownEvent<'ItemFound'>;

export interface FirstFill {
  /**
   * Holds items of a source's first poll. It never waits, since a poll that waits occupies its host.
   * @returns false once the fill is over: the items are to be published at once
   */
  hold(items: readonly ItemFound[]): boolean;
  /**
   * Does the rest of a poll once the held items are published; not at all when the poller stops before.
   * @returns resolves when it is done or never will be
   */
  afterwards(sourceId: SourceId, work: () => Promise<void>): Promise<void>;
  /** The fill no longer waits for this source: it was polled, is not due, or left the roster. */
  arrived(sourceId: SourceId): void;
  /** Resolves when nothing of this source is left to be done afterwards. */
  settled(sourceId: SourceId): Promise<void>;
  /** To be called when the poller has stopped. Resolves when nothing is left to be done. */
  end(): Promise<void>;
}

export interface FirstFillOptions {
  /** The sources that the fill waits for; asked when the first of them is held or has arrived. */
  readonly sources: () => readonly SourceId[];
  /** Publishes items in their order. @throws the reason of an abort */
  readonly publish: (items: readonly ItemFound[]) => Promise<void>;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Creates the fill of a poller; it takes place once. */
export function createFirstFill({ sources, publish, pause, signal }: FirstFillOptions): FirstFill {
  let held: ItemFound[] = [];
  /** Sources that have not arrived yet; null before the fill begins. */
  let awaited: Set<SourceId> | null = null;
  let isOver = false;
  const over = new AbortController();
  const released = Promise.withResolvers<void>();
  released.promise.catch(() => undefined);
  const lanes: Promise<void>[] = Array.from({ length: CONCURRENCY }, () => Promise.resolve());
  let nextLane = 0;
  const unsettled = new Map<SourceId, Promise<void>>();

  function begin(): Set<SourceId> {
    if (awaited) return awaited;
    awaited = new Set(sources());
    void pause(MAX_WAIT, AbortSignal.any([signal, over.signal])).then(finish);
    return awaited;
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    over.abort();
    publish(inOrder(held)).then(released.resolve, released.reject);
    held = [];
  }

  return {
    hold(items) {
      begin();
      if (isOver) return false;
      held.push(...items);
      if (held.length >= MAX_HELD) finish();
      return true;
    },
    afterwards(sourceId, work) {
      const lane = nextLane++ % CONCURRENCY;
      // What rejects is the abort of the poller; a failure of `work` is its own to report.
      const done = (lanes[lane] ?? Promise.resolve())
        .then(() => released.promise)
        .then(work)
        .catch(() => undefined)
        .finally(() => unsettled.delete(sourceId));
      lanes[lane] = done;
      unsettled.set(sourceId, done);
      return done;
    },
    arrived(sourceId) {
      const missing = begin();
      missing.delete(sourceId);
      if (missing.size === 0) finish();
    },
    settled: async (sourceId) => await unsettled.get(sourceId),
    async end() {
      finish();
      await Promise.all(lanes);
    },
  };
}

/** Items by time; of the same time, by source and then as the source has them. */
const inOrder = (items: readonly ItemFound[]): ItemFound[] =>
  items.toSorted(({ data: one }, { data: other }) => {
    const difference = timeOf(one) - timeOf(other);
    if (difference !== 0 || one.source_id === other.source_id) return difference;
    return one.source_id < other.source_id ? -1 : 1;
  });

const timeOf = ({ published_at, first_seen_at }: ItemFound['data']): number =>
  Date.parse(published_at ?? first_seen_at);
