import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, migrateLog } from '../../../../log/postgres/database.ts';
import { partitionOf, postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';
import {
  planRetention,
  type RetentionRule,
  runRetention,
  trimTopics,
} from '../../../../log/postgres/topics/topic-retention.ts';
import type { Message, Topics } from '../../../../log/topic.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../../../harness/database.ts';
import { eventually } from '../../../harness/eventually.ts';
import { beginYesterday, endDay } from '../../../harness/topic-days.ts';
import { someEvent } from '../../contract/events.ts';
import { consuming, orderByKey, someMessages } from '../../contract/topic.ts';

const DAY = 86_400_000;
const never = new AbortController().signal;
let it: TestDatabase;
let topics: Topics;

beforeEach(async () => {
  it = await logDatabase();
  topics = postgresTopics(it.database);
});
afterEach(async () => {
  await topics.close();
  await it.close();
});

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY);
const olderThan = (days: number, changes: Partial<RetentionRule> = {}): RetentionRule => ({
  before: () => daysAgo(days),
  abandonedBefore: daysAgo(90),
  ...changes,
});
/** Publishes ten messages on a day that ended ten days ago, and two new ones, with one key. */
async function publishOldAndNew(topic: string): Promise<void> {
  await topics.topic(topic).publish(someMessages(`${topic} old`, 1, 10));
  await endDay(it.database, topic, 10);
  await topics.topic(topic).publish(someMessages(`${topic} new`, 1, 2));
}
/** The tables of a topic. */
const tables = async (topic: string): Promise<string[]> =>
  (
    await it.database.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN log.topic t ON c.relname LIKE 'topic\\_message\\_' || t.number || '\\_%'
        WHERE t.name = $1 AND c.relkind = 'r' ORDER BY 1`,
      [topic],
    )
  ).rows.map(({ name }) => name.split('_').at(-1) ?? '');
/** Has a group handle what the topic contains. */
async function handleAll(topic: string, group: string): Promise<void> {
  const consumption = consuming(topics, topic, group);
  await eventually(async () => expect(await topics.topic(topic).lag(group)).toBe(0n));
  await consumption.stop();
}
const setOffset = (topic: string, group: string, offset: number): Promise<unknown> =>
  it.database.query(
    `UPDATE log.topic_group SET next_offset = $4 WHERE topic = $1 AND group_name = $2 AND partition = $3`,
    [topic, group, partitionOf('key 0', 8), offset],
  );
const kept = async (topic: string): Promise<number> =>
  (await it.database.query<{ n: number }>('SELECT count(*)::int AS n FROM log.topic_message WHERE topic = $1', [topic]))
    .rows[0]?.n ?? -1;

describe('retention of topics in PostgreSQL', () => {
  test('given messages older than the limit that every group has handled, then only they are removed, and a new group starts after them', async () => {
    await publishOldAndNew('old');
    await handleAll('old', 'readers');

    const plan = await planRetention(it.database, olderThan(7));

    expect(plan).toMatchObject({ topics: [{ topic: 'old', messages: 10, held_back: 0 }], holders: [] });
    expect(await kept('old')).toBe(12);
    const shown: [number, number][] = [];
    const onProgress = (done: number, total: number): void => void shown.push([done, total]);
    expect(await trimTopics(it.database, plan, { signal: never, onProgress })).toBe(10);
    expect(shown.at(-1)).toEqual([10, 10]);
    expect(await topics.topic('old').lag('anybody')).toBe(2n);
    const consumption = consuming(topics, 'old', 'anybody');
    await eventually(() => expect(consumption.received.map(({ name }) => name)).toEqual(['old new 0', 'old new 1']));
    await consumption.stop();
  });

  test('given a group that has handled some of them, then their day stays and the group is named, unless unhandled messages may be removed too', async () => {
    await publishOldAndNew('held');
    await handleAll('held', 'readers');
    await handleAll('held', 'slow');
    await setOffset('held', 'slow', 4);

    const plan = await planRetention(it.database, olderThan(7));

    expect(plan).toMatchObject({
      topics: [{ topic: 'held', messages: 0, held_back: 10 }],
      holders: [{ topic: 'held', group: 'slow', messages: 6, live: true }],
    });
    await trimTopics(it.database, plan, { signal: never });
    expect(await topics.topic('held').lag('slow')).toBe(8n);
    const all = await planRetention(it.database, olderThan(7, { unhandled: true }));
    expect(all).toMatchObject({
      topics: [{ topic: 'held', messages: 10, held_back: 0 }],
      holders: [{ group: 'slow', messages: 6 }],
    });
    await trimTopics(it.database, all, { signal: never });
    expect(await topics.topic('held').lag('slow')).toBe(2n);
  });

  test('given a group that was abandoned, then it holds nothing back; one with consumers does, however long it has not moved', async () => {
    await publishOldAndNew('abandoned');
    await handleAll('abandoned', 'forgotten');
    await setOffset('abandoned', 'forgotten', 0);
    await it.database.query("UPDATE log.topic_group SET moved_at = now() - interval '100 days'");

    expect(await planRetention(it.database, olderThan(7))).toMatchObject({
      topics: [{ messages: 10, held_back: 0 }],
      holders: [{ group: 'forgotten', messages: 10, live: false }],
    });

    const stuck = consuming(topics, 'abandoned', 'stuck', () => Promise.reject(new Error('on purpose')));
    await eventually(() => expect(stuck.assigned.at(-1)).toHaveLength(8));
    await eventually(async () => expect(await topics.groups('stuck')).toEqual(['stuck']));
    await it.database.query("UPDATE log.topic_group SET moved_at = now() - interval '100 days'");
    await eventually(async () =>
      expect(await planRetention(it.database, olderThan(7))).toMatchObject({
        topics: [{ messages: 0, held_back: 10 }],
      }),
    );
    await stuck.stop();
  });

  test('given a consumer at work while its topic is trimmed, then it loses nothing that it had not handled', async () => {
    await publishOldAndNew('busy');
    const consumption = consuming(topics, 'busy', 'readers');
    await eventually(() => expect(consumption.received).toHaveLength(12));
    await eventually(async () => expect(await topics.topic('busy').lag('readers')).toBe(0n));

    await trimTopics(it.database, await planRetention(it.database, olderThan(0)), { signal: never });
    await topics.topic('busy').publish([{ key: 'key 0', event: someEvent('busy after') }]);

    await eventually(() => expect(consumption.received.at(-1)?.name).toBe('busy after'));
    expect(consumption.received).toHaveLength(13);
    await consumption.stop();
  });

  test('given the job of a service, then it drops whole days at once and logs what a group holds back', async () => {
    for (const topic of ['gone', 'job', 'kept']) {
      await topics.topic(topic).publish(someMessages(`${topic} old`, 1, 10));
      await endDay(it.database, topic, 10);
      await topics.topic(topic).publish(someMessages(`${topic} new`, 1, 2));
      await handleAll(topic, 'readers');
    }
    await handleAll('job', 'slow');
    await setOffset('job', 'slow', 4);
    const lines: [string, object, string][] = [];
    const at = (level: string) => (about: object, message: string) => void lines.push([level, about, message]);
    const stop = new AbortController();

    const running = runRetention({
      database: it.database,
      days: { otherwise: 7, topics: { kept: 0 } },
      bytes: undefined,
      clock: () => new Date(),
      signal: stop.signal,
      logger: { info: at('info'), warn: at('warn'), error: at('error') },
    });
    await eventually(() => expect(lines).toHaveLength(2));
    stop.abort();
    await running;

    expect([await kept('gone'), await kept('job'), await kept('kept')]).toEqual([2, 12, 12]);
    expect([await tables('gone'), await tables('job')]).toEqual([['2'], ['1', '2']]);
    expect(await topics.topic('gone').lag('anybody')).toBe(2n);
    expect(lines).toMatchObject([
      ['info', { topic: 'gone', messages: 10 }, 'messages past their retention were removed'],
      ['warn', { group: 'slow', messages: 6 }, expect.stringContaining('are kept')],
    ]);
  });
});

describe('days of topics in PostgreSQL', () => {
  test('given several days, then order, offsets and look-ups are those of one table, and days that are too old go', async () => {
    const messages = someMessages('several', 3, 20);
    for (let from = 0; from < 60; from += 15) {
      await topics.topic('several').publish(messages.slice(from, from + 15));
      await endDay(it.database, 'several', 20 - from / 3);
    }
    // Nothing of today or the day before is stored twice; nor within a batch.
    const again = [
      ...messages.slice(45, 48),
      messages[59] as Message,
      { key: 'key 0', event: someEvent('several 60') },
    ];
    await topics.topic('several').publish([...again, ...again]);
    expect(await kept('several')).toBe(61);
    const ids = [0, 20, 59].map((nth) => messages[nth]?.event.id ?? '');
    expect(await topics.topic('several').find(ids, never)).toHaveLength(3);
    const consumption = consuming(topics, 'several', 'readers');
    await eventually(() => expect(consumption.received).toHaveLength(61));
    await topics.topic('several').publish([{ key: 'key 0', event: someEvent('several 61') }]);
    await eventually(() => expect(consumption.received).toHaveLength(62));
    expect(orderByKey(consumption.received)['key 0']).toEqual(
      [...Array.from({ length: 20 }, (_, nth) => nth * 3), 60, 61].map((nth) => `several ${nth}`),
    );
    await eventually(async () => expect(await topics.topic('several').lag('readers')).toBe(0n));
    await consumption.stop();

    const plan = await planRetention(it.database, olderThan(12));
    expect(plan.segments.map(({ segment }) => segment)).toEqual([1, 2]);
    expect(await trimTopics(it.database, plan, { signal: never })).toBe(30);
    expect(await kept('several')).toBe(32);
    expect(await tables('several')).toEqual(['3', '4', '5']);
  });

  test('given a size, then whole days go, oldest first, and never today', async () => {
    for (let nth = 0; nth < 4; nth++) {
      await topics.topic('large').publish(someMessages(`large ${nth}`, 8, 200));
      if (nth < 3) await endDay(it.database, 'large', 0);
    }
    const size = `SELECT sum(pg_table_size(i.inhrelid))::float8 AS bytes FROM pg_inherits i
      WHERE i.inhrelid::regclass::text ~ 'topic_message_[0-9]+_[34]$'`;
    const bytes = (await it.database.query<{ bytes: number }>(size)).rows[0]?.bytes ?? 0;
    const rule = (limit: number) => ({ bytes: limit, abandonedBefore: daysAgo(90) });
    await trimTopics(it.database, await planRetention(it.database, rule(bytes)), { signal: never });
    expect(await tables('large')).toEqual(['3', '4']);
    await trimTopics(it.database, await planRetention(it.database, rule(0)), { signal: never });
    expect(await tables('large')).toEqual(['4']);
    expect(await kept('large')).toBe(1_600);
  });

  test('given a day that has ended, then the next publication or the next trim begins another table', async () => {
    await topics.topic('aged').publish(someMessages('aged', 1, 2));
    await topics.topic('aged').publish(someMessages('aged more', 1, 2));
    const rule = { bytes: 0, abandonedBefore: daysAgo(90) };
    expect((await planRetention(it.database, rule)).topics).toMatchObject([{ messages: 0 }]);
    expect(await tables('aged')).toEqual(['1']);
    await beginYesterday(it.database, 'aged');
    await topics.topic('aged').publish(someMessages('aged again', 1, 2));
    expect(await tables('aged')).toEqual(['1', '2']);
    await beginYesterday(it.database, 'aged');
    const plan = await planRetention(it.database, rule);
    expect(await tables('aged')).toEqual(['1', '2', '3']);
    expect(await trimTopics(it.database, plan, { signal: never })).toBe(6);
    expect(await trimTopics(it.database, plan, { signal: never })).toBe(0);
    expect(await tables('aged')).toEqual(['3']);
  });

  test('given a transaction that reads messages for long, then publishers and consumers go on while a table waits to be dropped', async () => {
    await topics.topic('long').publish(someMessages('long old', 1, 10));
    const reader = await it.database.connect();
    await reader.query('BEGIN');
    expect((await reader.query('SELECT FROM log.topic_message')).rowCount).toBe(10);

    await endDay(it.database, 'long', 10);
    await topics.topic('long').publish(someMessages('long new', 1, 2));
    await handleAll('long', 'readers');
    const plan = await planRetention(it.database, olderThan(7));
    const trimming = trimTopics(it.database, plan, { signal: never });
    await topics.topic('long').publish([{ key: 'key 0', event: someEvent('long late') }]);
    await handleAll('long', 'readers');
    expect(await kept('long')).toBe(13);
    await reader.query('COMMIT');
    reader.release();
    expect(await trimming).toBe(10);
    expect(await topics.topic('long').lag('anybody')).toBe(3n);
    expect(await tables('long')).toEqual(['2']);
  });

  test('given a database whose topics have segments of another length, then its groups read on at their offsets', async () => {
    const old = await testDatabase();
    const before = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
    const migrations = fileURLToPath(new URL('../../../../log/postgres/migrations', import.meta.url));
    for (const name of await readdir(migrations))
      if (name < '0012') await cp(join(migrations, name), join(before, name));
    await migrate(old.database, before, 'log');
    const reading = postgresTopics(old.database);
    const topic = reading.topic('items');
    for (let nth = 0; nth < 3; nth++) {
      await topic.publish(someMessages(`segment ${nth}`, 1, 4));
      await old.database.query(
        "SELECT log.create_topic_segment(number, segment + 1) FROM log.topic WHERE name = 'items'",
      );
      await old.database.query("SELECT log.close_topic_segment('items', $1)", [nth + 1]);
    }
    await old.database.query('UPDATE log.topic_segment SET dropping = true WHERE segment = 1');
    await old.database.query('UPDATE log.topic_partition SET first_offset = 4 WHERE next_offset > 0');
    const partition = partitionOf('key 0', 8);
    await old.database.query("INSERT INTO log.topic_group VALUES ('readers', 'items', $1, 6)", [partition]);

    await migrateLog(old.database);

    await topic.publish([{ key: 'key 0', event: someEvent('after') }]);
    const [readers, others] = [consuming(reading, 'items', 'readers'), consuming(reading, 'items', 'others')];
    const names = ({ received }: typeof readers) => received.map(({ name }) => name);
    const last = ['segment 1 2', 'segment 1 3', ...[0, 1, 2, 3].map((nth) => `segment 2 ${nth}`), 'after'];
    await eventually(() => expect(names(readers)).toEqual(last));
    await eventually(() => expect(names(others)).toEqual(['segment 1 0', 'segment 1 1', ...last]));
    await readers.stop();
    await others.stop();
    expect((await topic.ranges())[partition]).toEqual({ partition, first: 4n, end: 13n });
    await reading.close();
    await old.close();
    await rm(before, { recursive: true });
  });
});
