/** Keeps the table of windows small. */
import { backoff, pause } from '../../log/backoff.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { sweepWindows } from './charge.ts';

const BATCH = 10_000;
const EVERY = 10 * 60_000;

/** Deletes windows that ended, now and then every ten minutes, until the signal aborts. */
export async function runQuotaSweeper(
  database: Queryable,
  signal: AbortSignal,
  { every = EVERY }: { readonly every?: number } = {},
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      while (!signal.aborted && (await sweepWindows(database, BATCH)) === BATCH);
      failures = 0;
      await pause(every, signal);
    } catch {
      // A restart of the database: windows that wait a little longer harm nobody.
      await pause(backoff(failures++, { base: 1_000, maximum: every }, Math.random), signal);
    }
  }
}
