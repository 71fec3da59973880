/** Migrations: plain SQL files of a folder, each run once, in the order of their names. */

import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { type Database, sessionOptions } from './database.ts';

// Runs the migrations of a folder: plain SQL files, each once, in the order of their names.

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Brings a schema up to date, in one transaction; several processes may do so at once, they wait for each other.
 * @param folder path of the SQL files
 * @param schema where it is kept which of them ran; made where it is missing
 * @throws the driver's error, and then nothing is changed
 */
export async function migrate(database: Database, folder: string, schema: string): Promise<void> {
  // A connection of its own: it carries settings of the migration, and statements may take as long as they take.
  const client = new pg.Client(sessionOptions(database));
  client.on('error', () => undefined);
  try {
    await client.connect();
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
    // The outcome of the migrations counts, not that of closing.
    await client.end().catch(() => undefined);
  }
}

// The tables of the event store and the topics, in the schema `log`.

/**
 * Brings the schema `log` up to date; several processes may do so at once.
 * @throws the driver's error, and then nothing is changed
 */
export const migrateLog = (database: Database): Promise<void> =>
  migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'log');
