/** A fresh database for one test file or one test. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../log/postgres/database.ts';

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the pool and drops the database, ending all other connections. */
  close(): Promise<void>;
}

/** Gives all windows of calls back. @param database the one that the service under test counts on */
export async function forgetCalls(database: Database): Promise<void> {
  await database.query('DELETE FROM access.quota_window');
}

/** Creates an empty database on the PostgreSQL of the test run, or a copy of one that nothing connects to. */
export const testDatabase = (template = 'template1'): Promise<TestDatabase> => copyOf(template);

/** Creates one with the empty tables of the event store and the topics, as `migrateLog` creates them. */
export const logDatabase = (): Promise<TestDatabase> => copyOf(inject('logTemplate'));

/**
 * A database of the log with more in it, filled once in a test run and copied for each test.
 * @param name of its own, the same in all workers: the first to need it fills it, while the others wait
 * @param fill creates what all copies contain; its pool is closed afterwards
 */
export function filledDatabase(
  name: string,
  fill: (database: Database) => Promise<unknown>,
): () => Promise<TestDatabase> {
  const makeTemplate = async (): Promise<void> => {
    const { database, name: filling } = await copyOf(inject('logTemplate'));
    await fill(database);
    await database.end();
    await onServer(`ALTER DATABASE ${filling} RENAME TO ${name}`);
  };
  const findTemplate = async (): Promise<void> => {
    const session = new pg.Client({ connectionString: inject('postgresUrl') });
    await session.connect();
    try {
      // Held until the session ends.
      await session.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
      const { rowCount } = await session.query('SELECT FROM pg_database WHERE datname = $1', [name]);
      if (rowCount === 0) await makeTemplate();
    } finally {
      await session.end();
    }
  };
  let template: Promise<void> | undefined;
  return async () => {
    template ??= findTemplate();
    await template;
    return copyOf(name);
  };
}

/** Connects adapters of the log to one fresh database, each with its own pool, as several processes do. */
export async function logAdapters<Adapter>(
  adapterOf: (pool: Database) => Adapter,
): Promise<{ open(): Promise<Adapter>; close(): Promise<void> }> {
  const { url, close } = await logDatabase();
  const pools: Database[] = [];
  return {
    async open() {
      const pool = openDatabase(url, { max: 4 });
      pools.push(pool);
      return adapterOf(pool);
    },
    async close() {
      for (const pool of pools) await pool.end();
      await close();
    },
  };
}

async function copyOf(template: string): Promise<TestDatabase & { readonly name: string }> {
  const server = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  // Copies of files take half the time of the default, which writes each block to the log.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const database = openDatabase(url.href, { name });
  return {
    name,
    url: url.href,
    database,
    async close() {
      await database.end();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The connections of this worker that create and drop databases; they do not keep it alive. */
let admin: Database | undefined;

async function onServer(statement: string): Promise<void> {
  admin ??= openDatabase(inject('postgresUrl'), { max: 2, name: 'admin' });
  await admin.query(statement);
}
