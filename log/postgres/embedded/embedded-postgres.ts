/** An embedded PostgreSQL in `DATA_DIR`: what the service runs on when no DATABASE_URL is set. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { backoff, pause } from '../../backoff.ts';
import { endClient } from '../database.ts';
import { choosePort, findPlace, initialise, keptPort, type Place } from './data-directory.ts';
import { type Binaries, findBinaries, postgresEnvironment } from './postgres-programs.ts';
import { goneWithin, own, ownerOf, stopOrphan, stopPostmaster } from './server-processes.ts';

/** Settings of PostgreSQL by name; the ones given are added to these. */
type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  // Pages come from the system's cache: to have other processes fetch them costs more than it saves on a few cores.
  io_method: 'sync',
  // Nothing copies this server's log, so tables that are filled in the transaction that made them need not go through it.
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_completion_target: '0.9',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
};

const LARGEST_LOG = 10 * 1_048_576;
const START_TIMEOUT_MS = 60_000;

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** The last lines that PostgreSQL logged after a place in its log. */
const saidSince = (log: string, start: number): string =>
  readFileSync(log).subarray(start).toString('utf8').trim().split('\n').slice(-15).join('\n');

/**
 * Stops the postmaster when this process is gone, also one that was killed or ran out of memory: a shell waits for the
 * end of a pipe that only this process holds. Where there is no shell, the next start stops the orphan.
 * @returns what ends the watch when the postmaster has ended by itself
 */
function stopWithThisProcess(postmaster: number | undefined): () => void {
  if (postmaster === undefined || process.platform === 'win32') return () => undefined;
  const script = 'read -r word; [ "$word" = ended ] || kill -INT "$1"';
  const shell = spawn('/bin/sh', ['-c', script, 'clarity-postgres-watch', String(postmaster)], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    // A key pressed in the terminal must not end it first.
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return () => void shell.stdin.end('ended\n');
}

interface Running {
  readonly child: ChildProcess;
  /** Resolves when the postmaster has ended, however. */
  readonly ended: Promise<void>;
}

/** Whether the server answers. @throws what it says for good, such as a wrong password */
async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    // 28: the password is refused. Everything else (starting, recovering, not listening yet) may pass.
    if (String((error as { code?: unknown }).code).startsWith('28')) throw error;
    return false;
  } finally {
    await endClient(client);
  }
}

/**
 * Starts the postmaster and waits until it answers at `url`. It runs in a session of its own, so that a key pressed
 * in the terminal reaches this program alone, which then stops it in order. Aborting `signal` gives up the start.
 * @throws Error with the last lines of its log when it does not start
 */
export async function startServer(
  place: Place,
  binaries: Binaries,
  run: { url: string; port: number; settings: Settings; signal?: AbortSignal },
): Promise<Running> {
  const log = openLog(place.log);
  const start = statSync(place.log).size;
  const settings = Object.entries({ ...SETTINGS, ...run.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(binaries.postgres, ['-D', place.cluster, '-p', String(run.port), ...settings], {
    ...place.account,
    cwd: place.account ? '/' : place.cluster,
    env: postgresEnvironment(),
    stdio: ['ignore', log, log],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  closeSync(log);
  const endWatch = stopWithThisProcess(child.pid);
  let [over, ready] = [false, false];
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      over = true;
      endWatch();
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    while (!over && !run.signal?.aborted && performance.now() < deadline) {
      ready = await answers(run.url);
      if (ready) return { child, ended };
      await Promise.race([pause(15), ended]);
    }
  } finally {
    if (!ready) {
      child.kill('SIGQUIT');
      await Promise.race([ended, pause(5_000)]);
    }
  }
  throw new Error(`PostgreSQL does not start in ${place.cluster}; it says:\n${saidSince(place.log, start)}`);
}

// An embedded PostgreSQL in `DATA_DIR`: what the service runs on when no DATABASE_URL is set.

export { DirectoryInUse } from './server-processes.ts';

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
  /** Settings of PostgreSQL in addition to the default ones. */
  readonly settings?: Settings;
  readonly logger?: { info(message: string): void; warn(message: string): void };
  /** Called when a program of PostgreSQL is at work: this process may use its own processor meanwhile. */
  readonly onSpawned?: () => void;
}

const DATABASE = 'clarity';
const urlOf = (port: number, password: string, database: string): string =>
  `postgres://clarity:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

async function makeDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, password, 'postgres') });
  await client.connect();
  try {
    const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** The address of the embedded PostgreSQL that another living process runs in `dataDir`, null when none does. */
export async function runningEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const place = await findPlace(dataDir);
  if ((await ownerOf(place.folder)) === null) return null;
  // Without a password the cluster is not complete yet: null.
  const [port, password] = [await keptPort(place.port), await readFile(place.password, 'utf8').catch(() => null)];
  return port && password ? urlOf(port, password.trim(), DATABASE) : null;
}

/** Stops the postmaster, at once where it does not stop in order. */
async function stopServer({ child }: Running, place: Place, binaries: Binaries): Promise<void> {
  for (const [mode, timeoutMs] of [
    ['fast', 10_000],
    ['immediate', 5_000],
  ] as const)
    if (child.pid && child.exitCode === null && child.signalCode === null) {
      stopPostmaster(child.pid, mode, place, binaries);
      if (await goneWithin(child.pid, timeoutMs)) break;
    }
}

/** Keeps the postmaster running until it is stopped: after a crash it is started again at the same port. */
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
    // Another process may have taken the port in between, or backends of a killed postmaster were still going down.
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
      await stopServer(running, place, binaries);
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
    const { onSpawned = () => undefined } = options;
    const password = await initialise(place, binaries, options.settings?.fsync === 'off', onSpawned);
    onSpawned();
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
