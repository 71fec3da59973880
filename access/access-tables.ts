/** The tables of access in PostgreSQL: created at start, and swept of what has expired. */
import { fileURLToPath } from 'node:url';
import { backoff, pause } from '../log/backoff.ts';
import { type Database, migrate, type Queryable } from '../log/postgres/database.ts';
import { sweepRequests } from './idempotency.ts';
import { sweepMails } from './mails.ts';
import { sweepWindows } from './quota/charge.ts';
import { sweepUsage } from './quota/usage.ts';
import { sweepRevocations } from './sign-in-tokens.ts';
import { sweepSessions } from './web-sessions.ts';

/** Brings the schema `access` up to date; several processes may do so at once. */
export const migrateAccess = (database: Database): Promise<void> =>
  migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'access');

/** Deletes what expired. @param limit maximum number of rows @returns how many were deleted */
async function sweepSignIns(database: Queryable, limit: number): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.sign_in WHERE (kind, id) IN (
       SELECT kind, id FROM access.sign_in WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}

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

/**
 * Deletes windows, sign-ins and sessions that ended, and old counts, now and then every ten minutes, until the signal
 * aborts.
 */
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
      // The database is unavailable, which its users report. Deleting later is safe.
      await pause(backoff(failures++, { base: 1_000, maximum: every }, Math.random), signal);
    }
  }
}
