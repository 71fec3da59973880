/** Archiving of events that is killed at every step. External, because it starts a process for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openObjectStore } from '../../../log/archive/object-store.ts';
import { migrate, migrateLog } from '../../../log/postgres/database.ts';
import { archiveEvents } from '../../../log/postgres/event-partitions.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';
import { closeSegment, topicSegments } from '../../../log/postgres/topics/topic-segments.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { consuming, someMessages } from '../contract/topic.ts';

const STREAMS = ['signal-1', 'account-1', 'signal-2'] as const;
const BEFORE = new Date('2100-01-01');

/** Runs a process that dies at a step. @returns whether it ended before */
async function killed(work: string, { url, database }: TestDatabase, folder: string, step: number): Promise<boolean> {
  const script = resolve(import.meta.dirname, 'killed-process.ts');
  const child = spawn(process.execPath, [script, work, url, folder, String(step)], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  expect([0, 'SIGKILL']).toContain(code ?? signal);
  // Its session may still execute what it sent.
  const busy = "SELECT FROM pg_stat_activity WHERE application_name = 'clarity killed' AND state <> 'idle'";
  await expect.poll(async () => (await database.query(busy)).rowCount).toBe(0);
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
    await expect.poll(archive, { timeout: 20_000 }).toEqual(expect.any(Array));
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
    await expect.poll(() => consumption.received.length, { timeout: 20_000 }).toBe(81);
    await consumption.stop();
    const ranges = await topics.topic('items').ranges();
    expect(ranges.reduce((sum, { first, end }) => sum + end - first, 0n)).toBe(200_001n);
    await topics.close();
    await it.close();
  }
  expect(steps).toBeGreaterThan(15);
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
    const rule = { whole: true, before: () => later, abandonedBefore: later };
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
