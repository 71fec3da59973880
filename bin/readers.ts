/** What answers readers may read a replica, and so leaves the database that is written to alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Database, openDatabase, query } from '../log/postgres/database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { preparedModels } from './prepared-models.ts';
import type { Closing } from './process.ts';
import { connectionsOf, reach, type Services } from './services.ts';

/** How long a replica may take at the start to have what the database has, in milliseconds. */
const PATIENCE = 30_000;
const LOOK = 100;

const REACHED = `SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached`;

/**
 * Prepares the read models and opens what readers' queries go to: the replica of `DATABASE_READ_URL`, where nothing can be
 * written by mistake, else the database of all.
 * @param patience milliseconds that the replica may take to have what the database has
 * @throws DatabaseUnavailable when the replica cannot be reached or does not follow
 */
export async function openReaders(
  services: Pick<Services, 'configuration' | 'database'>,
  closing: Closing,
  patience = PATIENCE,
): Promise<Database> {
  const { configuration, database } = services;
  // Before a projector ran for the first time, readers find empty views instead of an error.
  await preparedModels(services);
  const url = configuration.DATABASE_READ_URL;
  if (!url) return database;
  const replica = openDatabase(url, { name: 'readers', ...connectionsOf('api'), readOnly: true });
  closing.add(() => replica.end());
  await reach(replica, 'DATABASE_READ_URL');
  await follows(replica, database, patience);
  return replica;
}

/** Waits until the replica has everything that the database has now: the views, for one. */
async function follows(replica: Database, database: Database, patience: number): Promise<void> {
  const [now] = await query(
    database,
    'SELECT pg_current_wal_lsn()::text AS place',
    [],
    z.object({ place: z.string() }),
  );
  for (const end = performance.now() + patience; performance.now() < end; await sleep(LOOK)) {
    const [found] = await query(replica, REACHED, [now?.place], z.object({ reached: z.boolean() }));
    if (found?.reached) return;
  }
  throw new DatabaseUnavailable(
    `the replica of DATABASE_READ_URL does not follow the database of DATABASE_URL: after ${patience / 1000} s it has not ` +
      'what was there at the start. See whether it replays (pg_stat_replication), or unset DATABASE_READ_URL',
  );
}
