/** An embedded PostgreSQL in `DATA_DIR`: what the service runs on when no DATABASE_URL is set. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { backoff, pause } from '../backoff.ts';
import { type Binaries, findBinaries } from './embedded/binaries.ts';
import { initialise } from './embedded/initialise.ts';
import { stopOrphan, stopPostmaster } from './embedded/orphan.ts';
import { own, ownerOf } from './embedded/owner.ts';
import { findPlace, type Place } from './embedded/place.ts';
import { choosePort, keptPort } from './embedded/port.ts';
import { goneWithin } from './embedded/processes.ts';
import { type Running, type Settings, startServer } from './embedded/server.ts';

export { DirectoryInUse } from './embedded/owner.ts';

export interface EmbeddedPostgres {
  /** `postgres://…` of the database `clarity`; it stays the same while this runs, through crashes of PostgreSQL too. */
  readonly url: string;
  /** Where the data really is. */
  readonly dataDir: string;
  /** Ends sessions, writes everything down, stops. Safe to call twice. */
  stop(): Promise<void>;
}

interface Options {
  /** `DATA_DIR`; made when it is not there. */
  readonly dataDir: string;
  /** Settings of PostgreSQL besides the usual ones. */
  readonly settings?: Settings;
  readonly logger?: { info(message: string): void; warn(message: string): void };
}

const DATABASE = 'clarity';
const urlOf = (port: number, password: string, database: string): string =>
  `postgres://clarity:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

async function makeDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, password, 'postgres') });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** The address of the embedded PostgreSQL that another living process runs in `dataDir`, null when none does. */
export async function runningEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const place = await findPlace(dataDir);
  if ((await ownerOf(place.folder)) === null) return null;
  const [port, password] = [await keptPort(place.port), await readFile(place.password, 'utf8').catch(() => null)];
  return port && password ? urlOf(port, password.trim(), DATABASE) : null;
}

/** Keeps the postmaster running until told to stop: one that crashes is started again at the same port. */
async function supervise(place: Place, binaries: Binaries, password: string, options: Options) {
  const stopping = new AbortController();
  let port = await choosePort(place.port);
  const start = () =>
    startServer(place, binaries, {
      url: urlOf(port, password, 'postgres'),
      port,
      settings: options.settings ?? {},
      signal: stopping.signal,
    });
  let running: Running;
  try {
    running = await start();
  } catch {
    // Somebody may have taken the port in between, or backends of a killed postmaster were still going down.
    port = await choosePort(place.port);
    running = await start();
  }
  let starting: Promise<void> | undefined;
  const watch = (async () => {
    for (let failures = 0; ; ) {
      await running.ended;
      if (stopping.signal.aborted) return;
      options.logger?.warn(`PostgreSQL in ${place.cluster} ended by itself; starting it again`);
      await pause(backoff(failures, { base: 100, maximum: 5_000 }, Math.random), stopping.signal);
      if (stopping.signal.aborted) return;
      starting = start().then(
        (again) => {
          running = again;
          failures = 0;
        },
        (error) => {
          failures++;
          options.logger?.warn(String(error));
        },
      );
      await starting;
    }
  })();
  const lastResort = (): void => void running.child.kill('SIGINT');
  process.once('exit', lastResort);
  return {
    port,
    async stop(): Promise<void> {
      stopping.abort();
      // One that is just being started may be up already: it is the one to stop then.
      await starting;
      const pid = running.child.pid;
      for (const [mode, patience] of [
        ['fast', 10_000],
        ['immediate', 5_000],
      ] as const)
        if (pid && running.child.exitCode === null && running.child.signalCode === null) {
          stopPostmaster(pid, mode, place, binaries);
          if (await goneWithin(pid, patience)) break;
        }
      await watch;
      process.off('exit', lastResort);
    },
  };
}

/**
 * Starts PostgreSQL in `dataDir`, on the data that is there or on new ones, at a free port of 127.0.0.1.
 * After a crash of the program that ran it, its orphan is stopped and the data recovered.
 * @throws DirectoryInUse when another living process runs it there
 * @throws Error with the last lines of its log when it does not start
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const place = await findPlace(options.dataDir);
  const release = await own(place.folder);
  try {
    if (place.elsewhere)
      options.logger?.warn(
        `PostgreSQL keeps its data in ${place.folder}: the user it runs as cannot enter ${options.dataDir}`,
      );
    const binaries = await findBinaries(place.account);
    const orphan = await stopOrphan(place, binaries);
    if (orphan) options.logger?.warn(`stopped PostgreSQL process ${orphan}, left over from a program that died`);
    const password = await initialise(place, binaries, options.settings?.fsync === 'off');
    const server = await supervise(place, binaries, password, options);
    await makeDatabase(server.port, password);
    let stopped: Promise<void> | undefined;
    return {
      url: urlOf(server.port, password, DATABASE),
      dataDir: place.folder,
      stop: () => (stopped ??= server.stop().then(release)),
    };
  } catch (error) {
    await release();
    throw error;
  }
}
