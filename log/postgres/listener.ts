/** One LISTEN connection that wakes whoever waits; it comes back by itself after a restart of PostgreSQL. */
import pg from 'pg';
import { backoff, pause } from '../backoff.ts';
import type { Database } from './database.ts';

export interface Listener {
  /** Counts the news of a subject. Read it before looking, hand it to `wait` when there was nothing. */
  seen(subject: string): number;
  /** Wakes those who wait for the subject, as a notification of it does. */
  wake(subject: string): void;
  /** Resolves when there was more news than `since`, after so many milliseconds, or when the signal aborts. */
  wait(subject: string, since: number, milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** News by subject, within this process. */
class News {
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  count(subject: string): number {
    return this.#counts.get(subject) ?? 0;
  }

  add(subject: string): void {
    this.#counts.set(subject, this.count(subject) + 1);
    for (const resume of [...(this.#waiting.get(subject) ?? [])]) resume();
  }

  /** For all who wait: there may have been news while nobody listened. */
  addToAll(): void {
    for (const subject of this.#waiting.keys()) this.add(subject);
  }

  async next(subject: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(subject) ?? new Set();
    this.#waiting.set(subject, waiting);
    const woken = new AbortController();
    const resume = (): void => woken.abort();
    waiting.add(resume);
    signal.addEventListener('abort', resume, { once: true });
    if (signal.aborted) resume();
    await pause(milliseconds, woken.signal);
    signal.removeEventListener('abort', resume);
    waiting.delete(resume);
  }
}

/** Listens on one connection until it ends or the signal aborts. */
async function listenOnce(
  database: Database,
  channel: string,
  signal: AbortSignal,
  on: { listening: () => void; news: (subject: string) => void },
): Promise<void> {
  const client = new pg.Client(database.options);
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  client.on('notification', ({ payload }) => on.news(payload ?? ''));
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    on.listening();
    await ended;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Listens on a channel, from the first `wait` on; the payload of a notification is its subject. Notifications are lost
 * while the connection is down; so every waiting ends after its milliseconds at the latest and the caller looks again.
 */
export function listen(database: Database, channel: string): Listener {
  const closing = new AbortController();
  const news = new News();
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const listening = (): void => {
        failures = 0;
        news.addToAll();
      };
      await listenOnce(database, channel, closing.signal, { listening, news: (subject) => news.add(subject) }).catch(
        () => undefined,
      );
      await pause(backoff(failures, { base: 100, maximum: 2_000 }, Math.random), closing.signal);
    }
  };

  return {
    seen: (subject) => news.count(subject),
    wake: (subject) => news.add(subject),
    async wait(subject, since, milliseconds, signal) {
      running ??= run();
      if (news.count(subject) === since) await news.next(subject, milliseconds, signal);
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
