/** Connections outside the pool, for locks that last as long as their holder. */
import pg from 'pg';
import { type Database, sessionOptions, transaction } from '../../log/postgres/database.ts';

/**
 * Opens a connection of its own to the pool's server. Its session locks are freed when it ends, however it ends.
 * @param onLost called once when the connection breaks
 */
export async function openSession(database: Database, onLost: () => void = () => undefined): Promise<pg.Client> {
  const session = new pg.Client(sessionOptions(database));
  session.on('error', () => undefined);
  session.once('end', onLost);
  await session.connect();
  return session;
}

/** Runs `work` in one transaction on a connection of its own, which is closed afterwards. */
export async function ownTransaction<Result>(
  database: Database,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const own = new pg.Pool({ ...sessionOptions(database), max: 1 });
  own.on('error', () => undefined);
  own.on('connect', (client) => void client.on('error', () => undefined));
  try {
    return await transaction(own, work);
  } finally {
    await own.end().catch(() => undefined);
  }
}
