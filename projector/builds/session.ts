/** Connections outside the pool, for locks that last as long as their holder. */
import pg from 'pg';
import type { Database } from '../../log/postgres/database.ts';

/**
 * Opens a connection of its own to the pool's server. Its session locks are freed when it ends, however it ends.
 * @param onLost called once when the connection breaks
 */
export async function openSession(database: Database, onLost: () => void = () => undefined): Promise<pg.Client> {
  const session = new pg.Client(database.options);
  session.on('error', () => undefined);
  session.once('end', onLost);
  await session.connect();
  return session;
}
