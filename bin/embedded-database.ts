/** The embedded PostgreSQL of a process: started early, joined where another process runs it, or started when needed. */
import type { Logger } from 'pino';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '../log/postgres/embedded/embedded-postgres.ts';
import type { Configuration } from '../schemas/configuration.ts';

export interface EmbeddedDatabase {
  readonly url: string;
  readonly dataDir: string;
  stop(): Promise<void>;
}

/** Servers that this process has begun to start, by data directory. */
const started = new Map<string, Promise<EmbeddedDatabase>>();

/**
 * Begins to start the embedded PostgreSQL, where the settings name no other, before the modules of the service load: its
 * programs use the other processors meanwhile. `openEmbeddedDatabase` takes it over, with its error.
 * @returns resolves when its first program is at work, or when it failed
 */
export async function startDatabaseEarly(
  { DATABASE_URL, DATA_DIR }: Pick<Configuration, 'DATABASE_URL' | 'DATA_DIR'>,
  logger: Logger,
): Promise<void> {
  if (DATABASE_URL !== undefined) return;
  await new Promise<void>((resolve) => {
    const server = startEmbeddedPostgres({ dataDir: DATA_DIR, logger, onSpawned: resolve });
    server.catch(() => resolve());
    started.set(DATA_DIR, server);
  });
}

/**
 * The embedded PostgreSQL in a data directory.
 * @param join connect to the one that another living process runs there, if any
 * @throws DirectoryInUse without `join`, when another living process runs it
 */
export async function openEmbeddedDatabase(dataDir: string, logger: Logger, join = false): Promise<EmbeddedDatabase> {
  const server = started.get(dataDir);
  started.delete(dataDir);
  if (server) return server;
  const running = join ? await runningEmbeddedPostgres(dataDir) : null;
  return running ? { url: running, dataDir, stop: async () => undefined } : startEmbeddedPostgres({ dataDir, logger });
}
