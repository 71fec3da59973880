/** The tables of quotas, in the schema `access`: the only state of access that is no event. */
import { fileURLToPath } from 'node:url';
import type { Database } from '../log/postgres/database.ts';
import { migrate } from '../log/postgres/migrate.ts';

/** Brings the schema `access` up to date; several processes may do so at once. */
export const migrateAccess = (database: Database): Promise<void> =>
  migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'access');
