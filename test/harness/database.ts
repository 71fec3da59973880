/** A fresh database for one test file or one test. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../log/postgres/database.ts';

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the pool and drops the database, ending all other connections. */
  close(): Promise<void>;
}

/** Creates an empty database on the PostgreSQL of the test run. */
export const testDatabase = (): Promise<TestDatabase> => copyOf('template1');

/** Creates one with the empty tables of the event store and the topics, as `migrateLog` creates them. */
export const logDatabase = (): Promise<TestDatabase> => copyOf(inject('logTemplate'));

async function copyOf(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const database = openDatabase(url.href, { name });
  return {
    url: url.href,
    database,
    async close() {
      await database.end();
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(server: string, statement: string): Promise<void> {
  const admin = openDatabase(server, { max: 1 });
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
