/** The PostgreSQL of a run of benches: embedded, with the settings of the service, in a folder that goes afterwards. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../log/postgres/embedded.ts';
import { migrateLog } from '../log/postgres/schema.ts';
import type { Context, Given } from './bench.ts';
import { signalHistory } from './history.ts';
import { seedEvents } from './seed.ts';

/** Starts PostgreSQL and hands it to `use`; stops it and removes its data whatever happens. */
export async function withContext(
  options: Pick<Context, 'events' | 'rounds' | 'arrivals' | 'tell'>,
  use: (context: Context) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-bench-'));
  // As root PostgreSQL runs as another user, which has to get in.
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const admin = openDatabase(server.url, { max: 1, name: 'bench' });
  const opened: Database[] = [admin];

  const empty = async (): Promise<Given> => {
    const name = `bench_${opened.length}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    const database = openDatabase(url, { name: 'bench' });
    opened.push(database);
    await migrateLog(database);
    return { url, database };
  };

  let seeded: Promise<Given> | undefined;
  const seed = async (): Promise<Given> => {
    const given = await empty();
    options.tell(`writing ${options.events} events`);
    await seedEvents(given.database, signalHistory(options.events));
    return given;
  };

  try {
    await use({ ...options, empty, history: () => (seeded ??= seed()) });
  } finally {
    for (const database of opened) await database.end();
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  }
}
