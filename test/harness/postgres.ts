/**
 * One PostgreSQL for the whole test run, in a temporary folder. Durable writes are off. Shared buffers are few, since
 * PostgreSQL searches all of them for each database that a test drops. Other settings are as in production.
 */
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { migrateLog, openDatabase } from '../../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { dataFolder } from './data-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** The name of a template database with the tables of the logs; nothing connects to it. */
    logTemplate: string;
  }
}

/** Called by vitest once before all tests; the returned function is called after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await dataFolder('clarity-test');
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '32MB' },
  });
  project.provide('postgresUrl', server.url);
  project.provide('logTemplate', await makeLogTemplate(server.url));
  return async () => {
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  };
}

/** Hundreds of tests need these tables: they are created once and copied. @returns the name of the database */
async function makeLogTemplate(server: string): Promise<string> {
  const name = 'with_log';
  const url = new URL(server);
  url.pathname = `/${name}`;
  const admin = openDatabase(server, { max: 1 });
  await admin.query(`CREATE DATABASE ${name}`);
  // To derive a key from the password is most of the work of a new connection; tests open thousands.
  await admin.query(`SET scram_iterations = 1; ALTER ROLE clarity PASSWORD '${decodeURIComponent(url.password)}'`);
  await admin.end();
  const template = openDatabase(url.href, { max: 1 });
  await migrateLog(template);
  await template.end();
  return name;
}
