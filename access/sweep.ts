/** Keeps the tables of access small. */
import { backoff, pause } from '../log/backoff.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { sweepMails } from './brief-mail/claims.ts';
import { sweepRequests } from './idempotency.ts';
import { sweepSignIns } from './issuer/sweep.ts';
import { sweepWindows } from './quota/charge.ts';
import { sweepRevocations } from './tokens/revocations.ts';
import { sweepUsage } from './usage/usage.ts';
import { sweepSessions } from './web-session/store.ts';

const BATCH = 10_000;
const EVERY = 10 * 60_000;

const SWEEPS = [
  sweepWindows,
  sweepSignIns,
  sweepSessions,
  sweepUsage,
  sweepMails,
  sweepRequests,
  sweepRevocations,
] as const;

/** Deletes windows, sign-ins and sessions that ended, and old counts, now and then every ten minutes, until the signal aborts. */
export async function runSweeper(
  database: Queryable,
  signal: AbortSignal,
  { every = EVERY }: { readonly every?: number } = {},
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      for (const sweep of SWEEPS) while (!signal.aborted && (await sweep(database, BATCH)) === BATCH);
      failures = 0;
      await pause(every, signal);
    } catch {
      // A restart of the database: what waits a little longer harms nobody.
      await pause(backoff(failures++, { base: 1_000, maximum: every }, Math.random), signal);
    }
  }
}
