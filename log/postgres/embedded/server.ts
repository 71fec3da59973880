/** One run of the postmaster: started, ready, ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import pg from 'pg';
import { pause } from '../../backoff.ts';
import type { Binaries } from './binaries.ts';
import { postgresEnvironment } from './environment.ts';
import type { Place } from './place.ts';

/** Settings of PostgreSQL by name; the ones given are added to these. */
export type Settings = Readonly<Record<string, string>>;

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
const START_PATIENCE = 60_000;

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

export interface Running {
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
    // Not for ever: a connection that broke while it was being made may never tell its end.
    await Promise.race([client.end().catch(() => undefined), pause(1_000)]);
  }
}

/**
 * Starts the postmaster and waits until it answers at `url`. It stands in a session of its own, so that a key pressed
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
  const deadline = performance.now() + START_PATIENCE;
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
