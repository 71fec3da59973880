/** One PostgreSQL for the whole test run, in a temporary folder; durable writes are off, the rest is as in service. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../log/postgres/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Called by vitest once before all tests; what it returns is called after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-test-'));
  // As root PostgreSQL runs as another user, which has to get in.
  await chmod(folder, 0o755);
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
