/** The service as `npm start` runs it, and whether its memory stays flat. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../../log/backoff.ts';
import { openDatabase } from '../../log/postgres/database.ts';
import { findPlace } from '../../log/postgres/embedded/data-directory.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { type Figure, figureOf, issueKeys, quantile } from '../bench.ts';

/** Bytes. */
interface Memory {
  /** Of the service's own process. */
  readonly resident: number;
  /** Its heap, with garbage that was not collected yet. */
  readonly heap: number;
  /** Buffers outside the heap. */
  readonly external: number;
  /** What the processes of PostgreSQL have for themselves, without the buffers that they share. */
  readonly postgres: number;
  /** Those buffers, as far as they were touched; `shared_buffers` bounds them. */
  readonly shared: number;
  readonly backends: number;
}

const field = (text: string, name: string): number =>
  1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const metric = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);

async function childrenOf(pid: number): Promise<number[]> {
  const stat = async (entry: string): Promise<number | null> => {
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name of a program is in brackets and may contain any character.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === pid ? Number(entry) : null;
  };
  const entries = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return (await Promise.all(entries.map(stat))).filter((child) => child !== null);
}

/** @param postmaster process id of PostgreSQL */
async function memoryOfPostgres(postmaster: number): Promise<Pick<Memory, 'postgres' | 'shared' | 'backends'>> {
  const backends = [postmaster, ...(await childrenOf(postmaster))];
  // A backend that just ended has no memory any more.
  const texts = await Promise.all(backends.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')));
  const sum = (name: string): number => texts.reduce((total, text) => total + field(text, name), 0);
  return { postgres: sum('Pss_Anon'), shared: sum('Pss_Shmem'), backends: backends.length };
}

/**
 * @param pid of the service
 * @param metrics what its `/metrics` says now
 * @throws where there is no /proc
 */
async function memoryOf(pid: number, metrics: string, postmaster: number): Promise<Memory> {
  return {
    resident: field(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS'),
    heap: metric(metrics, 'nodejs_heap_size_used_bytes'),
    external: metric(metrics, 'nodejs_external_memory_bytes'),
    ...(await memoryOfPostgres(postmaster)),
  };
}

/** A sample and when it was taken, in milliseconds since the service ran. */
export interface Sample extends Memory {
  readonly at: number;
}

/** While caches fill, the compiler warms up and the first news comes in, memory may grow: this share is left out. */
const WARM = 0.2;
/** Most of the second half over the first. A leak of 1 MB a minute on 150 MB is above it in half an hour. */
const MAX_GROWTH = 1.1;
const MEGABYTE = 1_000_000;

/** What is judged. Of a heap, what is left after collections counts: a low tenth, not the garbage between them. */
const JUDGED: readonly (readonly [figure: string, of: keyof Memory, share: number])[] = [
  ['resident memory', 'resident', 0.5],
  ['heap after collections', 'heap', 0.1],
  ['buffers outside the heap', 'external', 0.1],
  ['PostgreSQL, without shared buffers', 'postgres', 0.5],
];

/** Figures in MB, second half over first, each with the highest value in its name; `samples` in order of time. */
export function judge(samples: readonly Sample[]): Figure[] {
  const end = samples.at(-1)?.at ?? 0;
  const warm = samples.filter(({ at }) => at >= end * WARM);
  const middle = end * (WARM + (1 - WARM) / 2);
  return JUDGED.map(([figure, of, share]) => {
    const part = (half: readonly Sample[]): number =>
      quantile(
        half.map((sample) => sample[of]),
        share,
      ) / MEGABYTE;
    const most = Math.round(Math.max(...samples.map((sample) => sample[of])) / MEGABYTE);
    return figureOf({
      figure: `${figure}, second half (at most ${most} MB)`,
      unit: 'MB',
      measured: part(warm.filter(({ at }) => at >= middle)),
      baseline: { what: 'first half', measured: part(warm.filter(({ at }) => at < middle)) },
      limit: { of: 'ratio', at: 'most', value: MAX_GROWTH },
    });
  });
}

/** What package.json gives to Node for `npm start`. */
const FLAGS = ['--max-semi-space-size=16'];
const PROGRAM = fileURLToPath(new URL('../../bin/clarity.ts', import.meta.url));
const TIMEOUT_MS = 120_000;

interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** Issues keys on Pro, each of an account of its own. */
  keys(accounts: number): Promise<string[]>;
  memory(): Promise<Memory>;
  /** SIGTERM, and its data go. @returns its exit code */
  stop(): Promise<number | null>;
}

async function freePorts(many: number): Promise<number[]> {
  const servers = Array.from({ length: many }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function until<Found>(look: () => Promise<Found | null>, child: ChildProcess): Promise<Found> {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(200)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    // The service does not answer yet.
    const found = await look().catch(() => null);
    if (found !== null) return found;
  }
  throw new Error('the service did not start in time');
}

/** Starts it on the demo newsroom and waits until it is ready; its warnings go to standard error. */
export async function startService(): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-soak-'));
  await chmod(folder, 0o755);
  const [port = 0, metricsPort = 0, demoPort = 0] = await freePorts(3);
  const dataDir = join(folder, 'data');
  const child = spawn(process.execPath, [...FLAGS, PROGRAM, 'up'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'warn',
      // All callers of the bench have one address.
      PAGE_LIMIT: '1000000',
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DEMO_PORT: String(demoPort),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const observed = `http://127.0.0.1:${metricsPort}`;
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const code = await ended;
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  try {
    await until(async () => ((await fetch(`${observed}/readyz`)).ok ? true : null), child);
    const databaseUrl = await until(() => runningEmbeddedPostgres(dataDir), child);
    const { cluster } = await findPlace(dataDir);
    return {
      url: `http://127.0.0.1:${port}`,
      process: child,
      async keys(accounts) {
        const database = openDatabase(databaseUrl, { max: 4 });
        const store = postgresEventStore(database);
        const keys = await issueKeys(database, store, accounts);
        await store.close();
        await database.end();
        return keys;
      },
      async memory() {
        const postmaster = await readFile(join(cluster, 'postmaster.pid'), 'utf8');
        const metrics = await (await fetch(`${observed}/metrics`)).text();
        return memoryOf(child.pid ?? 0, metrics, Number.parseInt(postmaster, 10));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
