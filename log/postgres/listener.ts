/** One LISTEN connection that wakes whoever waits; it comes back by itself after a restart of PostgreSQL. */
import pg from 'pg';
import { backoff, pause } from '../backoff.ts';
import type { Database } from './database.ts';

export interface Listener {
  /** Counts up with every notification; read it before looking, hand it to `wait` when there was nothing. */
  readonly seen: number;
  /** Wakes those who wait, as a notification does. */
  wake(): void;
  /** Resolves when more was seen than `since`, after so many milliseconds, or when the signal aborts. */
  wait(since: number, milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens on a channel from the first `wait` on. Notifications may be lost while the connection is down; so every
 * waiting ends after its milliseconds at the latest and the caller looks again.
 * @param concerns which payloads wake; all when unset
 */
export function listen(
  database: Database,
  channel: string,
  concerns: (payload: string) => boolean = () => true,
): Listener {
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let seen = 0;
  let running: Promise<void> | undefined;

  const wake = (): void => {
    seen++;
    for (const resume of [...waiting]) resume();
  };

  const connectOnce = async (onListening: () => void): Promise<void> => {
    const client = new pg.Client(database.options);
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ payload }) => {
      if (concerns(payload ?? '')) wake();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      onListening();
      // What was committed while nobody listened.
      wake();
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      await connectOnce(() => {
        failures = 0;
      }).catch(() => undefined);
      await pause(backoff(failures, { base: 100, maximum: 2_000 }, Math.random), closing.signal);
    }
  };

  return {
    get seen() {
      return seen;
    },
    wake,
    async wait(since, milliseconds, signal) {
      running ??= run();
      if (seen !== since) return;
      const woken = new AbortController();
      const resume = (): void => woken.abort();
      waiting.add(resume);
      signal.addEventListener('abort', resume, { once: true });
      if (signal.aborted) resume();
      await pause(milliseconds, woken.signal);
      signal.removeEventListener('abort', resume);
      waiting.delete(resume);
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
