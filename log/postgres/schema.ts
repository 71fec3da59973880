/** The tables of the event store and the topics, in the schema `log`. */
import { fileURLToPath } from 'node:url';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';

/**
 * Brings the schema `log` up to date; several processes may do so at once.
 * @throws the driver's error, and then nothing is changed
 */
export const migrateLog = (database: Database): Promise<void> =>
  migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'log');
