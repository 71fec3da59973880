/** The tables of the event store and the topics, in the schema `log`. */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Database } from './database.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Brings the schema `log` up to date, in one transaction; several processes may do so at once, they wait for each
 * other. @throws the driver's error, and then nothing is changed
 */
export async function migrateLog(database: Database): Promise<void> {
  const client = await database.connect();
  try {
    await client.query('SET client_min_messages = warning');
    await runner({
      dbClient: client,
      dir: fileURLToPath(new URL('./migrations', import.meta.url)),
      direction: 'up',
      migrationsSchema: 'log',
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
