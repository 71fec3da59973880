/** Runs the migrations of a folder: plain SQL files, each once, in the order of their names. */
import { runner } from 'node-pg-migrate';
import type { Database } from './database.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Brings a schema up to date, in one transaction; several processes may do so at once, they wait for each other.
 * @param folder path of the SQL files
 * @param schema where it is kept which of them ran; made where it is missing
 * @throws the driver's error, and then nothing is changed
 */
export async function migrate(database: Database, folder: string, schema: string): Promise<void> {
  const client = await database.connect();
  try {
    await client.query('SET client_min_messages = warning');
    await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsSchema: schema,
      migrationsTable: 'migration',
      createMigrationsSchema: true,
      advisoryLockMode: 'wait',
      logger: SILENT,
    });
  } finally {
    // Not handed back to the pool: it carries settings of the migration.
    client.release(true);
  }
}
