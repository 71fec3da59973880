/**
 * One pass over the log that feeds several read models.
 *
 * Reading the log once for each model would cost more than folding, above all from EventStoreDB, whose client reads some ten
 * thousand events a second. Members of a group share one pass instead: each page is read once, and every member gets the
 * events of its streams. A slow member delays the pass by one page at most; one that fails or leaves does not affect the
 * others.
 */
import type { EventStore, Page, Position, ReadAll, StoredEvent } from '../log/event-store.ts';
import { SIGNAL_PREFIX } from '../schemas/signal.ts';
import type { Model } from './read-model.ts';

/** Maximum events of a page. */
const PAGE = 500;
/** Milliseconds without another member after which a group begins. */
const GATHERING = 100;
/**
 * Members whose starting places differ by no more than this share of the way to the target read together. One that is
 * nearly at the end would else wait for one that begins far behind it.
 */
const NEAR = 10n;

/** Begins to read a page. Its failure is handled where the page is awaited. */
function readAhead(store: Pick<EventStore, 'readAll'>, wanted: Omit<ReadAll, 'limit'>): Promise<Page> {
  const page = store.readAll({ ...wanted, limit: PAGE });
  page.catch(() => undefined);
  return page;
}

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
  const read = (position: Position): Promise<Page> => readAhead(store, { after: position, prefixes });
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

/** What a member wants of the log. */
export interface Wanted {
  /** Names of streams begin with one of these. */
  readonly prefixes: readonly string[];
  readonly after: Position;
  /** A position that the log has reached; the last page is exactly at it. */
  readonly target: Position;
  readonly signal: AbortSignal;
}

/** A member of a group. It reads once at most; one that never reads does not hold the others back once its work ends. */
export interface Member {
  /** How many members the group has. */
  readonly groupSize: number;
  /**
   * Pages up to and including the target. The first one waits until every other member reads or has ended.
   * @throws what reading the log fails with, or the signal's reason when it aborts
   */
  read(wanted: Wanted): AsyncGenerator<Page>;
}

export interface GroupOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  /** Members of a group, at most; unlimited when unset. */
  readonly size?: number;
  /** Members that read these streams are in the first groups. */
  readonly first?: string;
  /** Whether a group begins only when the one before it has ended. */
  readonly oneAtATime?: boolean;
  /** Called after each pass over the log. */
  readonly onPass?: (pass: Pass) => void;
}

/** What was read in one pass. */
export interface Pass {
  /** How many read it together. */
  readonly members: number;
  /** Events read, each once. */
  readonly events: number;
}

interface Waiting {
  readonly prefixes: readonly string[];
  readonly start: (member: Member) => Promise<void>;
}

/** Forms groups of those who come at about the same time. */
export class PassGroups {
  readonly #options: GroupOptions;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /**
   * Runs work as a member of the next group.
   * @param prefixes what it is going to read: members of like streams are put into one group
   * @returns what the work returns, and throws what it throws
   */
  run<Result>(prefixes: readonly string[], work: (member: Member) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ prefixes, start: (member) => work(member).then(resolve, reject) });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), GATHERING);
  }

  #begin(): void {
    const { size = Number.POSITIVE_INFINITY, oneAtATime = false } = this.#options;
    if (this.#waiting.length === 0 || (oneAtATime && this.#running > 0)) return;
    const { first } = this.#options;
    const isFirst = ({ prefixes }: Waiting): boolean => first !== undefined && prefixes.includes(first);
    const sorted = this.#waiting.toSorted(
      (one, other) =>
        Number(isFirst(other)) - Number(isFirst(one)) || one.prefixes.join().localeCompare(other.prefixes.join()),
    );
    const group = sorted.slice(0, size);
    this.#waiting = sorted.slice(size);
    this.#running++;
    void runGroup(this.#options, group).finally(() => {
      this.#running--;
      this.#begin();
    });
    if (!oneAtATime) this.#begin();
  }
}

async function runGroup({ store, onPass }: GroupOptions, group: readonly Waiting[]): Promise<void> {
  const readers: Reader[] = [];
  let undecided = group.length;
  const everybodyDecided = Promise.withResolvers<void>();
  const works = group.map(({ start }) => {
    let decided = false;
    let reader: Reader | undefined;
    const decide = (): void => {
      if (decided) return;
      decided = true;
      undecided--;
      if (undecided === 0) everybodyDecided.resolve();
    };
    const member: Member = {
      groupSize: group.length,
      read(wanted) {
        if (decided) throw new Error('a member of a group reads the log once');
        reader = new Reader(wanted);
        readers.push(reader);
        decide();
        return reader.pages();
      },
    };
    return start(member).finally(() => {
      decide();
      reader?.end();
    });
  });
  await everybodyDecided.promise;
  await Promise.all(
    clusters(readers).map(async (cluster) => {
      const events = await feed(store, cluster);
      onPass?.({ members: cluster.length, events });
    }),
  );
  await Promise.all(works);
}

/** Readers that begin near each other. */
function clusters(readers: readonly Reader[]): Reader[][] {
  const groups: Reader[][] = [];
  const byPlace = readers.toSorted(({ wanted: one }, { wanted: other }) =>
    one.after < other.after ? -1 : one.after > other.after ? 1 : 0,
  );
  for (const reader of byPlace) {
    const cluster = groups.at(-1);
    const [first] = cluster ?? [];
    const isNear =
      first && (reader.wanted.after - first.wanted.after) * NEAR <= first.wanted.target - first.wanted.after;
    if (cluster && isNear) cluster.push(reader);
    else groups.push([reader]);
  }
  return groups;
}

/**
 * Reads for all of them, each page while the one before it is in work. Never rejects: what fails is theirs.
 * @returns how many events were read
 */
async function feed(store: GroupOptions['store'], readers: readonly Reader[]): Promise<number> {
  const [first] = readers;
  let events = 0;
  if (!first) return events;
  const prefixes = [...new Set(readers.flatMap(({ wanted }) => wanted.prefixes))];
  const read = (after: Position): Promise<Page> => readAhead(store, { after, prefixes });
  const wantMore = (position: Position): boolean => readers.some((reader) => reader.wantsAfter(position));
  try {
    let position = first.wanted.after;
    for (let next = wantMore(position) ? read(position) : null; next; ) {
      const page: Page = await next;
      const isEnd = page.events.length === 0 && page.position === position;
      position = page.position;
      events += page.events.length;
      next = !isEnd && wantMore(position) ? read(position) : null;
      await Promise.all(readers.map((reader) => reader.take(page, isEnd)));
    }
    for (const reader of readers) reader.end();
  } catch (error) {
    for (const reader of readers) reader.end({ error });
  }
  return events;
}

/** One member's side of a pass: a page at hand at most, and one in its work. */
class Reader {
  readonly wanted: Wanted;
  #page: Page | null = null;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(wanted: Wanted) {
    this.wanted = wanted;
    // Also a member without anything to read leaves its place to the others.
    if (wanted.after >= wanted.target) this.#isOver = true;
  }

  wantsAfter(position: Position): boolean {
    return !this.#isOver && !this.wanted.signal.aborted && position < this.wanted.target;
  }

  /** Takes what is for this member; resolves when there is room for the next page. */
  async take(page: Page, isEnd: boolean): Promise<void> {
    const { after, target } = this.wanted;
    if (this.#isOver) return;
    const isLast = isEnd || page.position >= target;
    const events = page.events.filter((event) => this.#fits(event));
    // Without events the place is passed on with the next page that has some, or with the last.
    if (!isLast && (events.length === 0 || page.position <= after)) return;
    await this.#until(() => this.#page === null || this.#isOver);
    if (this.#isOver) return;
    this.#page = isLast ? clipped({ ...page, events }, target) : { ...page, events };
    if (isLast) this.#isOver = true;
    this.#change();
  }

  /** No more pages come. */
  end(failure?: { readonly error: unknown }): void {
    if (failure && !this.#isOver) this.#failure = failure;
    this.#isOver = true;
    this.#change();
  }

  async *pages(): AsyncGenerator<Page> {
    const { signal } = this.wanted;
    const onAbort = (): void => this.#change();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        await this.#until(() => this.#page !== null || this.#isOver || signal.aborted);
        signal.throwIfAborted();
        const page = this.#page;
        this.#page = null;
        this.#change();
        if (page) yield page;
        else if (this.#failure) throw this.#failure.error;
        else return;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#page = null;
      this.#isOver = true;
      this.#change();
    }
  }

  #fits({ stream, position }: StoredEvent): boolean {
    const { prefixes, after, target } = this.wanted;
    return position > after && position <= target && prefixes.some((prefix) => stream.startsWith(prefix));
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#changed.promise;
  }
}

/** What rebuilds that run at the same time share. */
export interface SharedRebuild {
  readonly member: Member;
  /** Runs work when no other rebuild of the group runs such work: indexes take much memory of the server. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Rebuilds of a group, at most: each holds two connections to PostgreSQL and the rows that wait to be copied. */
const MAX_GROUP = 8;

/** Runs a rebuild as a member of a group. */
type RunRebuild = <Result>(model: Model, rebuild: (shared: SharedRebuild) => Promise<Result>) => Promise<Result>;

/**
 * Runs rebuilds in groups, one group after the other: each group reads the log once.
 * @param onPass called after each pass over the log
 */
export function rebuildGroups(store: EventStore, onPass?: (pass: Pass) => void): RunRebuild {
  const inTurn = oneAtATime();
  // What readers of signals wait for is built before accounts and sources.
  const order = { size: MAX_GROUP, oneAtATime: true, first: SIGNAL_PREFIX };
  const groups = new PassGroups({ store, ...order, ...(onPass && { onPass }) });
  return (model, rebuild) => groups.run(model.prefixes, (member) => rebuild({ member, inTurn }));
}

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
