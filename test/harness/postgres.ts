/** One PostgreSQL for the whole test run, in a temporary folder; durable writes are off, the rest is as in service. */
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../log/postgres/embedded.ts';
import { dataFolder } from './data-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Called by vitest once before all tests; what it returns is called after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await dataFolder('clarity-test');
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  };
}
