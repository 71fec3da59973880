/**
 * The service behind PgBouncer in transaction mode. External, because it needs the program: `PGBOUNCER`, else `pgbouncer` in the
 * path (Debian: `apt-get install pgbouncer`). Without it the tests are skipped.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { migrateAccess } from '../../../access/access.ts';
import { charge } from '../../../access/quota/charge.ts';
import { type Database, openDatabase, probeSession, query } from '../../../log/postgres/database.ts';
import { listen } from '../../../log/postgres/listener.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { day, minute, someone } from '../../access/quota/windows.ts';
import { startClarity } from '../../harness/clarity.ts';
import { dataFolder } from '../../harness/data-folder.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-port.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';

const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer';
const POOL = 40;
const PODS = 100;
/** What `max_connections` has to allow: one server connection for each of the pooler, one for the notifications of each pod. */
const CONNECTIONS = 200;

const version = ((): string | null => {
  try {
    return execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  } catch {
    return null;
  }
})();
if (version === null) console.warn('no PgBouncer: set PGBOUNCER to the program, or install it; its tests are skipped');

interface Pooler {
  /** The address of a database through it. */
  urlOf(direct: string): string;
  stop(): Promise<void>;
}

async function startPooler(server: string): Promise<Pooler> {
  const folder = await dataFolder('clarity-pooler');
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(server);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL}
max_client_conn = 2000
`,
  );
  // It does not run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child: ChildProcess = spawn(PROGRAM, ['-q', file], { stdio: 'inherit', ...user });
  const urlOf = (direct: string): string => Object.assign(new URL(direct), { host: `127.0.0.1:${port}` }).href;
  await eventually(async () => {
    const probe = openDatabase(urlOf(server), { max: 1, pooled: true, connectionTimeout: 1_000 });
    await probe.query('SELECT 1').finally(() => probe.end());
  });
  return {
    urlOf,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const Counted = z.object({ many: z.int(), listening: z.int() });
/** Connections to a database, without the one that counts. */
const COUNT = `SELECT count(*)::int AS many, count(*) FILTER (WHERE query LIKE 'LISTEN %')::int AS listening
  FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;

describe.skipIf(version === null)(`behind ${version}`, () => {
  let pooler: Pooler;
  let test: TestDatabase;
  beforeAll(async () => {
    test = await logDatabase();
    await migrateAccess(test.database);
    pooler = await startPooler(test.url);
  });
  afterAll(async () => {
    await pooler?.stop();
    await test?.close();
  });

  it('given an address without a direct one, then sessions are recognised as pooled, and a process says what to set', async () => {
    const pooled = openDatabase(pooler.urlOf(test.url), { pooled: true });
    expect((await probeSession(pooled)).pooled).toBe(true);
    await pooled.end();
    const process = startClarity(['project'], { DATABASE_URL: pooler.urlOf(test.url) });
    expect(await process.ended).toBe(2);
    expect(process.output()).toContain('Set DATABASE_DIRECT_URL');
  });

  it('given 100 pods that all serve, then they use less than 200 connections, and every call is answered', async () => {
    await test.database.query('SELECT 1');
    const pods: Database[] = Array.from({ length: PODS }, () =>
      openDatabase(pooler.urlOf(test.url), { name: 'api', max: 10, directUrl: test.url, statementTimeout: 15_000 }),
    );
    const ending = new AbortController();
    const listeners = pods.map((pod) => listen(pod, 'log_event'));
    const waits = listeners.map((listener) => listener.wait('', 0, 60_000, ending.signal));
    const stores = pods.map((pod) => postgresEventStore(pod));

    let peak = { many: 0, listening: 0 };
    let counting = true;
    const sampled = (async () => {
      while (counting) {
        const [found] = await query(test.database, COUNT, [], Counted);
        if (found && found.many > peak.many) peak = found;
        await delay(20);
      }
    })();
    const ROUNDS = 10;
    const AT_ONCE = 5;
    let answered = 0;
    await Promise.all(
      pods.map(async (pod, number) => {
        for (let round = 0; round < ROUNDS; round++)
          await Promise.all(
            Array.from({ length: AT_ONCE }, async () => {
              const whose = someone();
              const counted = await charge(pod, [minute(whose, 60), day(whose, 5_000)]);
              expect(counted.fits).toBe(true);
              expect(await stores[number]?.head()).toBeTypeOf('bigint');
              answered++;
            }),
          );
      }),
    );
    await eventually(async () => {
      const [found] = await query(test.database, COUNT, [], Counted);
      expect(found?.listening).toBe(PODS);
    });
    counting = false;
    await sampled;
    expect(answered).toBe(PODS * ROUNDS * AT_ONCE);
    expect(peak.many).toBeLessThan(CONNECTIONS);
    expect(peak.many - PODS).toBeLessThanOrEqual(POOL + 10);
    console.info(`${PODS} pods, ${answered} calls: at most ${peak.many} connections, ${peak.listening} of them listen`);
    ending.abort();
    await Promise.all([...waits, ...listeners.map((listener) => listener.close())]);
    await Promise.all(pods.map((pod) => pod.end()));
  });

  it('given the whole service, then it polls, matches, projects and serves, and no statement fails', async () => {
    const whole = await testDatabase();
    const folder = await dataFolder('clarity-pooled');
    const port = await freePort();
    const clarity = startClarity(['up'], {
      DATABASE_URL: pooler.urlOf(whole.url),
      DATABASE_DIRECT_URL: whole.url,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      DEMO_PORT: String(await freePort()),
      DATA_DIR: folder,
    });
    try {
      await vi.waitFor(
        async () => {
          expect(clarity.process.exitCode, clarity.output()).toBeNull();
          const page = await fetch(`http://127.0.0.1:${port}/feed.json`).then((answer) => answer.text());
          expect(page).toContain('/signal/');
        },
        { ...WAIT_OPTIONS, timeout: 80_000 },
      );
      // The pool goes through the pooler: only locks, notifications and rebuilds are connected by themselves.
      const [locks] = await query(
        whole.database,
        `SELECT count(DISTINCT pid)::int AS many FROM pg_locks WHERE locktype = 'advisory'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [],
        z.object({ many: z.int() }),
      );
      expect(locks?.many).toBeGreaterThan(0);
      expect(clarity.output()).not.toMatch(/prepared statement|pooler|startup parameter|"level":(50|60)/);
    } finally {
      expect(await clarity.stop()).toBe(0);
      await whole.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
