import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase, query } from '../../../../log/postgres/database.ts';
import {
  DirectoryInUse,
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../log/postgres/embedded/embedded-postgres.ts';
import { commandLine, processStart } from '../../../../log/postgres/embedded/server-processes.ts';
import { eventually } from '../../../harness/eventually.ts';

const isRoot = process.getuid?.() === 0;
const SETTINGS = { shared_buffers: '16MB' };
const Said = z.union([z.object({ url: z.string(), dataDir: z.string() }), z.object({ error: z.string() })]);

/** What most tests start in, one after the other: making a new cluster takes longer than all else that they do. */
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clarity-embedded-'));
  await chmod(dataDir, 0o755);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const cleaning: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

async function folder(mode = 0o755): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'clarity-embedded-'));
  await chmod(path, mode);
  cleaning.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function start(dataDir: string) {
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  cleaning.push(() => server.stop());
  return server;
}

/** Starts a keeper in its own process. @returns what it says and the process */
async function keeper(dataDir: string): Promise<{ child: ChildProcess; said: z.infer<typeof Said> }> {
  const program = fileURLToPath(new URL('./keeper.ts', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleaning.push(async () => child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, said: Said.parse(JSON.parse(String(line))) };
}

async function run<Row>(url: string, text: string, row: z.ZodType<Row>): Promise<Row[]> {
  const database = openDatabase(url, { max: 1 });
  try {
    return await query(database, text, [], row);
  } finally {
    await database.end();
  }
}

const Numbers = z.object({ n: z.int() });
const postmasterOf = async (dataDir: string): Promise<number> =>
  Number.parseInt(await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);

/** The processes that stop a postmaster when its owner is gone; they can be seen on Linux. */
const watchesOf = (postmaster: number): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > 0 && commandLine(pid).includes(`clarity-postgres-watch ${postmaster} `))
    : [];

describe('the embedded PostgreSQL', () => {
  test('given a stop, then the next start has the data; the password is for this user alone', async () => {
    const dataDir = await folder();
    const first = await start(dataDir);
    await run(first.url, 'CREATE TABLE kept AS SELECT 7 AS n', z.unknown());
    const settings =
      "SELECT string_agg(setting, ' ' ORDER BY name) AS all FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'lc_collate', 'server_encoding', 'synchronous_commit')";
    expect(await run(first.url, settings, z.object({ all: z.string() }))).toEqual([{ all: 'on on UTF8 on' }]);
    await first.stop();
    await first.stop();
    expect(await runningEmbeddedPostgres(dataDir)).toBeNull();
    const second = await start(dataDir);
    expect(await run(second.url, 'SELECT n FROM kept', Numbers)).toEqual([{ n: 7 }]);
    expect(await runningEmbeddedPostgres(dataDir)).toBe(second.url);
    expect(second.dataDir).toBe(join(dataDir, 'postgres'));
    expect((await stat(join(second.dataDir, 'password'))).mode & 0o777).toBe(0o600);
    const wrong = new URL(second.url);
    wrong.password = 'wrong';
    await expect(run(wrong.href, 'SELECT 1 AS n', Numbers)).rejects.toThrow(/password/);
  });

  test('given a running owner, then a second start names the directory, its pid and what to do', async () => {
    const { child, said } = await keeper(dataDir);
    expect(said).toHaveProperty('url');
    const second = startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    await expect(second).rejects.toThrow(DirectoryInUse);
    await expect(second).rejects.toThrow(
      new RegExp(`${join(dataDir, 'postgres')} is in use by process ${child.pid}: .*DATA_DIR`),
    );
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  test.skipIf(process.platform === 'win32')(
    'given an owner that was killed, then its PostgreSQL shuts down cleanly and is not started again',
    async () => {
      const { child, said } = await keeper(dataDir);
      if ('error' in said) throw new Error(said.error);
      const postmaster = await postmasterOf(said.dataDir);
      child.kill('SIGKILL');
      await eventually(() => expect(processStart(postmaster)).toBeNull());
      expect(await readFile(join(said.dataDir, 'postgres.log'), 'utf8')).toContain('fast shutdown request');
    },
  );

  test.runIf(process.platform === 'linux')(
    'given a stop, then no process is left that watches its PostgreSQL',
    async () => {
      const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
      const postmaster = await postmasterOf(server.dataDir);
      expect(watchesOf(postmaster)).toHaveLength(1);
      await server.stop();
      await eventually(() => expect(watchesOf(postmaster)).toEqual([]));
    },
  );

  test('given an owner that was killed with its watch, when two start at once, then one stops the orphan and has all that was committed', async () => {
    const { child, said } = await keeper(dataDir);
    if ('error' in said) throw new Error(said.error);
    await run(said.url, 'CREATE TABLE before_kill AS SELECT 7 AS n', z.unknown());
    const orphan = await postmasterOf(said.dataDir);
    for (const watch of watchesOf(orphan)) process.kill(watch, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (process.platform === 'linux') expect(processStart(orphan)).not.toBeNull();
    const [one, two] = await Promise.all([keeper(dataDir), keeper(dataDir)]);
    expect(processStart(orphan)).toBeNull();
    const [winner, loser] = 'url' in one.said ? [one, two] : [two, one];
    if ('error' in winner.said) throw new Error(winner.said.error);
    expect(loser.said).toEqual({ error: expect.stringContaining(`in use by process ${winner.child.pid}`) });
    expect(await run(winner.said.url, 'SELECT n FROM before_kill', Numbers)).toEqual([{ n: 7 }]);
    winner.child.kill('SIGTERM');
    await once(winner.child, 'exit');
  });

  test('given a PostgreSQL that is killed, then it is started again at the same address', async () => {
    const server = await start(dataDir);
    await run(server.url, 'CREATE TABLE before_crash AS SELECT 7 AS n', z.unknown());
    process.kill(await postmasterOf(server.dataDir), 'SIGKILL');
    const kept = () => run(server.url, 'SELECT n FROM before_crash', Numbers);
    const log = () => readFile(join(server.dataDir, 'postgres.log'), 'utf8');
    await eventually(async () => expect(await kept().catch(log)).toEqual([{ n: 7 }]));
  });

  test('given a recorded pid that now belongs to another program, then that program is not stopped', async () => {
    const first = await start(dataDir);
    const note = await readFile(join(first.dataDir, 'cluster', 'postmaster.pid'), 'utf8');
    await first.stop();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    cleaning.push(async () => bystander.kill('SIGKILL'));
    await eventually(() => expect(commandLine(bystander.pid ?? 0)).toContain('setInterval'));
    await writeFile(join(first.dataDir, 'cluster', 'postmaster.pid'), note.replace(/^\d+/, String(bystander.pid)));
    await start(dataDir);
    expect(processStart(bystander.pid ?? 0)).not.toBeNull();
  });

  test('given a setting that PostgreSQL refuses, then the error has the last lines of its log', async () => {
    const failing = startEmbeddedPostgres({ dataDir, settings: { max_connections: 'many' } });
    await expect(failing).rejects.toThrow(/does not start in .*max_connections/s);
  });

  test.runIf(isRoot)(
    'given a directory that only root may enter, then the data is stored elsewhere, and the log says where',
    async () => {
      const dataDir = join(await folder(0o700), 'data');
      await mkdir(dataDir);
      const messages: string[] = [];
      const logger = { info: (text: string) => messages.push(text), warn: (text: string) => messages.push(text) };
      const first = await startEmbeddedPostgres({ dataDir, settings: SETTINGS, logger });
      cleaning.push(() => rm(first.dataDir, { recursive: true, force: true }));
      expect(first.dataDir.startsWith(dataDir)).toBe(false);
      expect(messages.join()).toContain(first.dataDir);
      await run(first.url, 'CREATE TABLE kept AS SELECT 7 AS n', z.unknown());
      await first.stop();
      const second = await start(dataDir);
      expect(second.dataDir).toBe(first.dataDir);
      expect(existsSync(join(dataDir, 'postgres', 'moved-to'))).toBe(true);
      expect(await run(second.url, 'SELECT n FROM kept', Numbers)).toEqual([{ n: 7 }]);
      await second.stop();
      await rm(dataDir, { recursive: true });
      const fresh = await start(dataDir);
      cleaning.push(() => rm(fresh.dataDir, { recursive: true, force: true }));
      expect(fresh.dataDir).not.toBe(first.dataDir);
    },
  );
});
