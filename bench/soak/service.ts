/** The service as `npm start` runs it, on new data of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../../log/backoff.ts';
import { openDatabase } from '../../log/postgres/database.ts';
import { findPlace } from '../../log/postgres/embedded/place.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded.ts';
import { postgresEventStore } from '../../log/postgres/event-store.ts';
import { issueKeys } from '../issue-keys.ts';
import { type Memory, memoryOf } from './memory.ts';

/** What package.json gives to Node for `npm start`. */
const FLAGS = ['--max-semi-space-size=16'];
const PROGRAM = fileURLToPath(new URL('../../bin/clarity.ts', import.meta.url));
const PATIENCE = 120_000;

export interface Service {
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
  for (const end = performance.now() + PATIENCE; performance.now() < end; await pause(200)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
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
