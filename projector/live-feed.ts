/**
 * One live subscription of the event store that several read models share: each page is read once, and every model
 * gets the events of its streams. What a model has not taken yet comes to it as one page; one that lags far behind reads by
 * itself until it is level again.
 */
import { pause } from '../log/backoff.ts';
import type { EventStore, Page, Position } from '../log/event-store.ts';

/** Milliseconds without another member after which the reading begins: members that are behind read the log together. */
const GATHERING = 100;
/** Milliseconds after which a member without events learns how far the log is, so that its checkpoint keeps up. */
const PROGRESS = 100;
/** When a member has fallen behind. */
const LIMITS = {
  /** Events that wait for a member; with more of them the others wait for it. */
  full: 1_000,
  /** Milliseconds for which the others wait: after that it reads by itself. */
  slow: 10_000,
};

/** What a read model follows. */
export interface Subscription {
  readonly after: Position;
  /** Names of streams begin with one of these. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
}

/** A read model that follows the feed. */
class Member {
  /** Up to here it has every event. */
  position: Position;
  /** Whether it takes the pages of the feed; otherwise it reads by itself. */
  isLevel = true;
  readonly #prefixes: readonly string[];
  readonly #full: number;
  /** What waits for it. */
  #page: Page | null = null;
  /** How far the log is without an event for this member, and since when (milliseconds of `performance.now()`). */
  #passed: { readonly page: Page; readonly since: number } | null = null;
  #failure: { readonly error: unknown } | null = null;
  #changed = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();

  constructor({ after, prefixes }: Subscription, full: number) {
    this.position = after;
    this.#prefixes = prefixes;
    this.#full = full;
  }

  get isFull(): boolean {
    return (this.#page?.events.length ?? 0) >= this.#full;
  }

  /** @returns resolves when there is room for the next page, or the member has left */
  async offer(page: Page): Promise<void> {
    if (page.position <= this.position) return;
    const events = page.events.filter(
      ({ stream, position }) => position > this.position && this.#prefixes.some((prefix) => stream.startsWith(prefix)),
    );
    if (this.#page || events.length > 0) {
      this.#page = { ...page, events: [...(this.#page?.events ?? []), ...events] };
      this.#passed = null;
    } else this.#passed = { page: { ...page, events }, since: this.#passed?.since ?? performance.now() };
    this.#change();
    if (this.isFull) await this.#room.promise;
  }

  /** Nothing waits for it any more: who waits for room goes on. */
  clear(): void {
    [this.#page, this.#passed] = [null, null];
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  /** From now on it reads by itself, also what it was offered and has not taken. */
  fallBack(): void {
    this.isLevel = false;
    this.clear();
    this.#change();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#change();
  }

  /** The next page of the feed; null when the signal aborts or the member has fallen back. @throws what the feed failed with */
  async next(signal: AbortSignal): Promise<Page | null> {
    const stop = (): void => this.#change();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        if (this.#failure) throw this.#failure.error;
        if (signal.aborted || !this.isLevel) return null;
        const page = this.#take();
        if (page) return page;
        const changed = this.#changed.promise;
        await (this.#passed ? Promise.race([changed, pause(PROGRESS)]) : changed);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** What waits for it, or how far the log has gone on without it for some time. */
  #take(): Page | null {
    const isDue = this.#passed !== null && performance.now() - this.#passed.since >= PROGRESS;
    const page = this.#page ?? (isDue ? (this.#passed?.page ?? null) : null);
    if (page) this.clear();
    return page;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** One reading of the log, from the first member that joins to the last one that leaves. */
interface Reading {
  /** How far it has read; null while members gather. */
  position: Position | null;
  readonly stop: AbortController;
}

export class LiveFeed {
  readonly #store: Pick<EventStore, 'subscribe'>;
  readonly #prefixes: readonly string[];
  readonly #limits: typeof LIMITS;
  readonly #members = new Set<Member>();
  #reading: Reading | null = null;

  /** @param prefixes of all streams that any member follows */
  constructor(store: Pick<EventStore, 'subscribe'>, prefixes: readonly string[], limits = LIMITS) {
    this.#store = store;
    this.#prefixes = [...new Set(prefixes)];
    this.#limits = limits;
  }

  /**
   * Pages with the events of some streams after a position, without a gap, until the signal aborts; and pages without events
   * that say how far the log is.
   * @throws what the subscription of the store fails with
   */
  async *follow(subscription: Subscription): AsyncGenerator<Page> {
    const { signal } = subscription;
    const member = new Member(subscription, this.#limits.full);
    this.#members.add(member);
    const { position } = this.#begin();
    if (position !== null && member.position < position) member.isLevel = false;
    try {
      while (!signal.aborted) {
        const page = await member.next(signal);
        if (page) {
          member.position = page.position;
          yield page;
        } else if (!member.isLevel) yield* this.#alone(member, subscription);
      }
    } finally {
      this.#members.delete(member);
      member.clear();
      if (this.#members.size === 0) this.#end();
    }
  }

  /** What a member reads by itself until it is level with the feed. */
  async *#alone(member: Member, { prefixes, signal }: Subscription): AsyncGenerator<Page> {
    for await (const page of this.#store.subscribe({ after: member.position, prefixes, signal })) {
      member.position = page.position;
      yield page;
      const { position } = this.#begin();
      // No page of the feed comes between this check and the next page that it offers.
      member.isLevel = position !== null && member.position >= position;
      if (member.isLevel) return;
    }
  }

  #begin(): Reading {
    if (this.#reading) return this.#reading;
    const reading: Reading = { position: null, stop: new AbortController() };
    this.#reading = reading;
    void this.#read(reading).catch((error) => {
      if (this.#reading !== reading) return;
      this.#reading = null;
      for (const member of this.#members) if (member.isLevel) member.fail(error);
    });
    return reading;
  }

  #end(): void {
    this.#reading?.stop.abort();
    this.#reading = null;
  }

  async #read(reading: Reading): Promise<void> {
    const { signal } = reading.stop;
    for (let count = 0; count < this.#members.size && !signal.aborted; ) {
      count = this.#members.size;
      await pause(GATHERING, signal);
    }
    if (signal.aborted) return;
    const [first = 0n, ...others] = [...this.#members].map(({ position }) => position);
    const after = others.reduce((least, position) => (position < least ? position : least), first);
    reading.position = after;
    const pages = this.#store.subscribe({ after, prefixes: this.#prefixes, signal })[Symbol.asyncIterator]();
    for (let next = pages.next(); ; ) {
      const { done, value: page } = await next;
      if (done || signal.aborted) return;
      // The next page is read while this one is given.
      next = pages.next();
      next.catch(() => undefined);
      reading.position = page.position;
      await this.#give(page, signal);
    }
  }

  /** Gives a page to the members; resolves when all have room for the next one, or the slow ones read by themselves. */
  async #give(page: Page, signal: AbortSignal): Promise<void> {
    const level = [...this.#members].filter(({ isLevel }) => isLevel);
    const offered = Promise.all(level.map((member) => member.offer(page)));
    if (!level.some(({ isFull }) => isFull)) return;
    const over = new AbortController();
    await Promise.race([offered, pause(this.#limits.slow, AbortSignal.any([signal, over.signal]))]);
    over.abort();
    for (const member of level) if (member.isFull) member.fallBack();
  }
}
