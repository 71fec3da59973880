/** Work on the tables of topics, killed at every step. External: it starts a process for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrate, migrateLog } from '../../../../log/postgres/database.ts';
import { postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../../log/postgres/topics/topic-retention.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../../../harness/database.ts';
import { endDay } from '../../../harness/topic-days.ts';
import { someEvent } from '../../contract/events.ts';
import { consuming, someMessages } from '../../contract/topic.ts';

/** The program is started many times: the compile cache of Node halves the time of a start. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'clarity-test-compile-cache');

/** Runs a process that dies at a step. @returns whether it ended before */
async function killed(work: string, { url, database }: TestDatabase, step: number): Promise<boolean> {
  const script = resolve(import.meta.dirname, 'killed-process.ts');
  const child = spawn(process.execPath, [script, work, url, String(step)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE },
  });
  const [code, signal] = await once(child, 'exit');
  expect([0, 'SIGKILL']).toContain(code ?? signal);
  // Its sessions may still execute what it sent.
  const left = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'clarity killed'`;
  await expect.poll(async () => (await database.query(left)).rowCount).toBe(0);
  return code === 0;
}

test('given a table of 200,000 messages and a migration that is killed at any step, then the next one ends it, and a group reads on at its offset', async () => {
  const old = await testDatabase();
  const before = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
  const migrations = fileURLToPath(new URL('../../../../log/postgres/migrations', import.meta.url));
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
    ended = await killed('migrate', it, steps);
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

test('given a trim that is killed at any step, then days are dropped or whole, and the next trim ends the work', async () => {
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const it = await logDatabase();
    const topics = postgresTopics(it.database);
    const topic = topics.topic('items');
    for (let nth = 0; nth < 3; nth++) {
      await topic.publish(someMessages(`day ${nth}`, 4, 5));
      if (nth < 2) await endDay(it.database, 'items', 2 - nth);
    }
    ended = await killed('trim', it, steps);
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
  expect(steps).toBeGreaterThan(5);
}, 600_000);
