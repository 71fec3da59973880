/** Archiving and restoring of events, and work on topics, killed at every step. External: it starts a process for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { openObjectStore } from '../../../log/archive/object-store.ts';
import type { StoredEvent } from '../../../log/event-store.ts';
import { migrate, migrateLog } from '../../../log/postgres/database.ts';
import { archiveEvents } from '../../../log/postgres/event-partitions.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';
import { closeSegment, topicSegments } from '../../../log/postgres/topics/topic-segments.ts';
import { EVENTS } from '../../../operations/events.ts';
import { runCommand } from '../../bin/run-command.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { consuming, someMessages } from '../contract/topic.ts';

/** The program is started many times: the compile cache of Node halves the time of a start. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'clarity-test-compile-cache');

const STREAMS = ['signal-1', 'account-1', 'signal-2'] as const;
const BEFORE = new Date('2100-01-01');

/** Runs a process that dies at a step. @returns whether it ended before */
async function killed(work: string, { url, database }: TestDatabase, folder: string, step: number): Promise<boolean> {
  const script = resolve(import.meta.dirname, 'killed-process.ts');
  const child = spawn(process.execPath, [script, work, url, folder, String(step)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE },
  });
  const [code, signal] = await once(child, 'exit');
  expect([0, 'SIGKILL']).toContain(code ?? signal);
  // Its sessions may still execute what it sent.
  const left = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('clarity killed', 'clarity events')`;
  await expect.poll(async () => (await database.query(left)).rowCount).toBe(0);
  return code === 0;
}

test('given an archiver that is killed at any step, then every event is there, and the next one ends the work', async () => {
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const [it, path] = [await logDatabase(), await mkdtemp(join(tmpdir(), 'clarity-killed-'))];
    const folder = pathToFileURL(path).href;
    const objects = openObjectStore(folder, { AWS_REGION: 'us-east-1' });
    await smallPartitions(it.database, 12);
    const store = postgresEventStore(it.database, { objects });
    for (let nth = 0; nth < 9; nth++) await store.append(STREAMS[nth % 3] ?? '', someEvents(`killed ${nth}`, 3), 'any');
    const before = await readToEnd(store, [''], 0n);
    const streams = await Promise.all(STREAMS.map((stream) => store.read(stream)));

    ended = await killed('archive', it, folder, steps);
    expect((await readToEnd(store, [''], 0n)).events, `after step ${steps}`).toEqual(before.events);
    expect(await Promise.all(STREAMS.map((stream) => store.read(stream)))).toEqual(streams);
    for (const stream of STREAMS) {
      expect(await store.append(stream, [streams[STREAMS.indexOf(stream)]?.[0] as never], 'none')).toMatchObject({
        stored: [],
      });
      await store.append(stream, [someEvent(`after ${stream}`)], 8);
    }

    const archive = () =>
      archiveEvents({ database: it.database, objects, before: BEFORE, signal: new AbortController().signal });
    await expect.poll(archive).toEqual(expect.any(Array));
    expect(await archive()).toEqual([]);
    const { events } = await readToEnd(store, [''], 0n);
    expect(events.slice(0, before.events.length)).toEqual(before.events);
    expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 30 }, (_, n) => BigInt(n + 1)));
    const { rows } = await it.database.query<{ stream: string }>(
      'SELECT DISTINCT stream FROM log.event WHERE position < 24',
    );
    expect(rows).toEqual([{ stream: 'account-1' }]);
    await store.close();
    await it.close();
    await rm(path, { recursive: true });
  }
  // Statements and requests of two partitions.
  expect(steps).toBeGreaterThan(40);
}, 600_000);

/** A database with three partitions of events, of which two are archived, in two objects each. */
async function archivedLog(folder: string): Promise<{ url: string; events: readonly StoredEvent[] }> {
  const it = await logDatabase();
  await smallPartitions(it.database, 1_800);
  const objects = openObjectStore(folder, { AWS_REGION: 'us-east-1' });
  const store = postgresEventStore(it.database, { objects });
  for (let nth = 0; nth < 40; nth++)
    await store.append(STREAMS[nth % 3] ?? '', someEvents(`restored ${nth} \u2028`, 100), 'any');
  const { events } = await readToEnd(store, [''], 0n, 1_000);
  const { signal } = new AbortController();
  await archiveEvents({ database: it.database, objects, before: BEFORE, signal });
  expect((await it.database.query('SELECT FROM log.archived_object')).rowCount).toBe(4);
  await store.close();
  await it.database.end();
  return { url: it.url, events };
}

test('given a restore that is killed at any step, then every event is there, and after the next one each is in PostgreSQL once, as before the archive', async () => {
  const path = await mkdtemp(join(tmpdir(), 'clarity-killed-'));
  const folder = pathToFileURL(path).href;
  const { url, events } = await archivedLog(folder);
  const objects = openObjectStore(folder, { AWS_REGION: 'us-east-1' });
  const continued: number[] = [];
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const it = await testDatabase(new URL(url).pathname.slice(1));
    ended = await killed('restore', it, folder, steps);
    const store = postgresEventStore(it.database, { objects });
    const between = (await readToEnd(store, [''], 0n, 1_000)).events;
    expect(between.slice(0, events.length), `after step ${steps}`).toEqual(events);
    expect(new Set(between.slice(events.length).map(({ stream }) => stream)).size).toBeLessThanOrEqual(1);
    await store.close();

    vi.stubEnv('ARCHIVE_URL', folder);
    const again = await runCommand(EVENTS, ['events', 'restore', '--from', '0', '--to', '9999'], it.url);
    expect(again, `after step ${steps}`).toMatchObject({ code: 0 });
    const plain = postgresEventStore(it.database);
    const after = await readToEnd(plain, [''], 0n, 1_000);
    expect(after.events.slice(0, events.length), `after step ${steps}`).toEqual(events);
    expect(after.events.slice(events.length).every(({ stream }) => stream === 'operation-log')).toBe(true);
    for (const stream of STREAMS)
      expect(await plain.read(stream)).toEqual(events.filter((event) => event.stream === stream));
    const { rows } = await it.database.query(
      `SELECT count(*)::int AS events, count(DISTINCT id)::int AS ids, count(DISTINCT position)::int AS positions,
         count(DISTINCT (stream, revision))::int AS revisions FROM log.event WHERE stream <> 'operation-log'`,
    );
    expect(rows).toEqual([{ events: 4_000, ids: 4_000, positions: 4_000, revisions: 4_000 }]);
    const tables = `SELECT FROM pg_class WHERE relnamespace = 'log'::regnamespace AND relkind = 'r'
      AND relname ~ '^event_(restored|kept)_'`;
    expect((await it.database.query(tables)).rowCount).toBe(0);
    // A revision that a restored event has is taken, and the next one is free.
    expect(await plain.append('signal-1', [events[0] as never], 'none')).toMatchObject({ stored: [] });
    const revision = events.filter(({ stream }) => stream === 'signal-1').length - 1;
    expect(await plain.append('signal-1', [someEvent('after')], revision)).toMatchObject({ revision: revision + 1 });
    // One record of the operation for each run that had something to restore.
    continued.push(after.events.length - events.length);
    await plain.close();
    await it.close();
  }
  await rm(path, { recursive: true });
  // Statements of two partitions with two objects each; some runs were killed before they began, some at their end.
  expect(steps).toBeGreaterThan(60);
  expect(new Set(continued)).toEqual(new Set([1, 2]));
}, 600_000);

test('given a table of 200,000 messages and a migration that is killed at any step, then the next one ends it, and a group reads on at its offset', async () => {
  const old = await testDatabase();
  const before = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
  const migrations = fileURLToPath(new URL('../../../log/postgres/migrations', import.meta.url));
  for (const name of await readdir(migrations)) if (name < '0009') await cp(join(migrations, name), join(before, name));
  await migrate(old.database, before, 'log');
  const sample = JSON.stringify(someEvent('sample'));
  await old.database.query("SELECT log.open_topic('items', 8)");
  await old.database.query(
    `INSERT INTO log.topic_message (topic, partition, message_offset, key, id, body, added)
     SELECT 'items', n % 8, n / 8, 'key ' || n % 50, id, jsonb_set($1::jsonb, '{id}', to_jsonb(id)), now()
       FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(0, 199999) n) m`,
    [sample],
  );
  await old.database.query("UPDATE log.topic_partition SET next_offset = 25000 WHERE topic = 'items'");
  await old.database.query(
    "INSERT INTO log.topic_group SELECT 'readers', 'items', p, 24990 FROM generate_series(0, 7) p",
  );
  await old.database.end();
  const file = 'SELECT pg_relation_filenode($1) AS file';
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const it = await testDatabase(new URL(old.url).pathname.slice(1));
    const { rows } = await it.database.query(file, ['log.topic_message']);
    ended = await killed('migrate', it, 'file:///', steps);
    await migrateLog(it.database);
    const moved = await it.database.query(file, ['log.topic_message_0_0']);
    expect(moved.rows, `after step ${steps}`).toEqual(rows);
    const topics = postgresTopics(it.database);
    expect(await topics.topic('items').lag('readers')).toBe(80n);
    const consumption = consuming(topics, 'items', 'readers');
    await topics.topic('items').publish([{ key: 'key 1', event: someEvent('after') }]);
    await expect.poll(() => consumption.received.length).toBe(81);
    await consumption.stop();
    const ranges = await topics.topic('items').ranges();
    expect(ranges.reduce((sum, { first, end }) => sum + end - first, 0n)).toBe(200_001n);
    await topics.close();
    await it.close();
  }
  expect(steps).toBeGreaterThan(10);
  await rm(before, { recursive: true });
}, 600_000);

test('given a trim that is killed at any step, then segments are dropped or whole, and the next trim ends the work', async () => {
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const it = await logDatabase();
    const topics = postgresTopics(it.database);
    const topic = topics.topic('items');
    for (let nth = 0; nth < 3; nth++) {
      await topic.publish(someMessages(`segment ${nth}`, 4, 5));
      const [written] = (await topicSegments(it.database)).slice(-1);
      if (written && nth < 2) await closeSegment(it.database, written);
    }
    ended = await killed('trim', it, 'file:///', steps);
    const messages = Number(await topic.lag('anybody'));
    expect([20, 40, 60], `after step ${steps}`).toContain(messages);
    await topic.publish(someMessages(`after ${steps}`, 1, 1));
    const later = new Date('2100-01-01');
    const rule = { before: () => later, abandonedBefore: later };
    await trimTopics(it.database, await planRetention(it.database, rule), { signal: new AbortController().signal });
    const tables = await it.database.query(
      "SELECT FROM pg_class WHERE relname LIKE 'topic\\_message\\_%' AND relkind = 'r' AND relnamespace = 'log'::regnamespace",
    );
    expect(tables.rowCount).toBe(1);
    expect((await it.database.query('SELECT FROM log.topic_message')).rowCount).toBe(21);
    expect((await it.database.query('SELECT FROM log.topic_segment')).rowCount).toBe(1);
    await topics.close();
    await it.close();
  }
  expect(steps).toBeGreaterThan(15);
}, 600_000);
