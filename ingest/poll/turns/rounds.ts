/** Who is polled when: by time due, a few at once, one at a time per host. */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { logError } from '../../../log/errors.ts';
import type { Source } from '../../../schemas/source.ts';
import { createSchedule } from './schedule.ts';

export interface RoundsOptions {
  /** The sources to be polled, as they are now. */
  readonly sources: () => readonly Source[];
  /** Polls a source. @returns when it is due again, in milliseconds since 1970 */
  readonly poll: (source: Source) => Promise<number>;
  /** Told when a source left the roster. */
  readonly onRemoved: (id: string) => void;
  /** Told when a source got another address: its old validators mean nothing there. */
  readonly onMoved: (id: string) => void;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly concurrency: number;
}

export interface Rounds {
  /** Says that the sources are others now. New ones are due at once, in their order. */
  changed(): void;
  /** Polls a source now; one that is being polled, once more right after. Without effect for others' sources. */
  pollNow(id: string): void;
  /** Polls until the signal aborts. */
  run(): Promise<void>;
}

/** Due again after an error that is ours, not the source's. */
const AFTER_FAULT = 600_000;
/** Longest sleep: timers of many days are not reliable. */
const LONGEST_SLEEP = 3_600_000;

/** Milliseconds that changes of the roster are gathered. */
const LOOK_AFTER = 100;

const hostOf = (source: Source): string => URL.parse(source.url)?.host ?? source.url;

/** Makes them; nothing is polled before the first sources are given. */
export function createRounds(options: RoundsOptions): Rounds {
  const { poll, onRemoved, onMoved, clock, logger, signal, pause, concurrency } = options;
  const schedule = createSchedule();
  let sources = new Map<string, Source>();
  /** When a change of the roster is to be looked at; null when there is none. */
  let lookAt: number | null = 0;
  /** What the clock said last. */
  let last = clock().getTime();
  /** Milliseconds that it was set back so far. */
  let turnedBack = 0;
  const running = new Map<string, Promise<void>>();
  /** Sources that are to be polled once more as soon as their poll has ended. */
  const again = new Set<string>();
  /** Sources that wait for their host, by host; a host is in it while it is polled. */
  const hosts = new Map<string, string[]>();
  let wake: () => void = () => undefined;

  async function pollOne(source: Source, host: string): Promise<void> {
    let due: number;
    const asOf = turnedBack;
    try {
      due = await poll(source);
    } catch (error) {
      if (!signal.aborted) logError(logger, error, { source: source.id }, 'a poll broke off');
      due = clock().getTime() + AFTER_FAULT;
    }
    noticeClock();
    // Set back during the poll, the clock may have said `due` before or after.
    if (turnedBack > asOf) due = Math.min(due, clock().getTime() + AFTER_FAULT);
    if (again.delete(source.id)) due = clock().getTime();
    // It may have been retired or changed meanwhile; then `look` has said when it is due, if at all.
    if (sources.get(source.id) === source) schedule.set(source.id, due);
    running.delete(source.id);
    startNextAt(host);
    wake();
  }

  /** The host is free: the next that waits for it goes on in the place of the one that ended. */
  function startNextAt(host: string): void {
    const waiting = hosts.get(host) ?? [];
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      const source = sources.get(id);
      if (!source) continue;
      if (hostOf(source) !== host || running.has(id)) {
        schedule.set(id, clock().getTime() + 1_000);
        continue;
      }
      running.set(id, pollOne(source, host));
      return;
    }
    hosts.delete(host);
  }

  function start(): void {
    while (running.size < concurrency) {
      const id = schedule.take(clock().getTime());
      if (id === null) return;
      const source = sources.get(id);
      if (!source) continue;
      if (running.has(id)) {
        // Changed while it is polled: once more, when that is over.
        schedule.set(id, clock().getTime() + 1_000);
        continue;
      }
      const host = hostOf(source);
      const waiting = hosts.get(host);
      if (waiting) {
        waiting.push(id);
        continue;
      }
      hosts.set(host, []);
      running.set(id, pollOne(source, host));
    }
  }

  function look(): void {
    const now = clock().getTime();
    if (lookAt === null || lookAt > now) return;
    lookAt = null;
    const earlierSources = sources;
    sources = new Map(options.sources().map((source) => [source.id, source]));
    for (const id of earlierSources.keys())
      if (!sources.has(id)) {
        schedule.remove(id);
        onRemoved(id);
      }
    for (const [id, source] of sources) {
      const earlier = earlierSources.get(id);
      if (earlier === source) continue;
      if (earlier && isDeepStrictEqual(earlier, source)) sources.set(id, earlier);
      else {
        if (earlier && earlier.url !== source.url) onMoved(id);
        schedule.set(id, now);
      }
    }
  }

  /** A clock that was set back must not leave all sources waiting until it is there again: their times go back with it. */
  function noticeClock(): void {
    const now = clock().getTime();
    if (now < last) {
      schedule.shift(now - last);
      if (lookAt !== null) lookAt += now - last;
      turnedBack += last - now;
    }
    last = now;
  }

  return {
    changed() {
      // A roster of thousands comes as thousands of events: they are looked at together.
      lookAt ??= clock().getTime() + LOOK_AFTER;
      wake();
    },
    pollNow(id) {
      if (!sources.has(id) || [...hosts.values()].some((waiting) => waiting.includes(id))) return;
      if (running.has(id)) again.add(id);
      else schedule.set(id, clock().getTime());
      wake();
    },
    async run() {
      while (!signal.aborted) {
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        noticeClock();
        look();
        start();
        const now = clock().getTime();
        const due = running.size < concurrency ? schedule.next() : null;
        const next = Math.min(due ?? now + LONGEST_SLEEP, lookAt ?? now + LONGEST_SLEEP, now + LONGEST_SLEEP);
        const sleep = Math.max(0, next - now);
        const over = new AbortController();
        await Promise.race([woken, pause(sleep, AbortSignal.any([signal, over.signal]))]);
        over.abort();
      }
      await Promise.allSettled(running.values());
    },
  };
}
