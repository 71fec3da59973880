import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partitionOf, postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';
import {
  planRetention,
  type RetentionRule,
  runRetention,
  trimTopics,
} from '../../../../log/postgres/topics/topic-retention.ts';
import {
  closeSegment,
  closeSegments,
  closeWritten,
  dropMarkedSegments,
  markSegment,
  topicSegments,
} from '../../../../log/postgres/topics/topic-segments.ts';
import type { Message, Topics } from '../../../../log/topic.ts';
import { logDatabase, type TestDatabase } from '../../../harness/database.ts';
import { eventually } from '../../../harness/eventually.ts';
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
/** Publishes ten old messages into a segment that was closed ten days ago, and two new ones, with one key. */
async function publishOldAndNew(topic: string): Promise<void> {
  await topics.topic(topic).publish(someMessages(`${topic} old`, 1, 10));
  await closeDaysAgo(topic, 10);
  await topics.topic(topic).publish(someMessages(`${topic} new`, 1, 2));
}
/** Closes the segment that is written, as if that had been some days ago. */
async function closeDaysAgo(topic: string, days: number): Promise<void> {
  const written = (await topicSegments(it.database, topic)).at(-1);
  if (written) await closeSegment(it.database, written);
  await it.database.query(
    `UPDATE log.topic_segment s SET closed_at = now() - make_interval(days => $3)
       FROM log.topic t WHERE t.number = s.topic_number AND t.name = $1 AND s.segment = $2`,
    [topic, written?.segment, days],
  );
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

  test('given a group that has handled some of them, then their segment stays and the group is named, unless unhandled messages may be removed too', async () => {
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

  test('given the job of a service, then it drops whole segments at once and logs what a group holds back', async () => {
    for (const topic of ['gone', 'job', 'kept']) {
      await topics.topic(topic).publish(someMessages(`${topic} old`, 1, 10));
      await closeDaysAgo(topic, 10);
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

describe('segments of topics in PostgreSQL', () => {
  test('given several segments, then order, offsets, ids and look-ups are those of one table, and those that are too old go', async () => {
    const messages = someMessages('several', 3, 20);
    for (let from = 0; from < 60; from += 15) {
      await topics.topic('several').publish(messages.slice(from, from + 15));
      await closeDaysAgo('several', 20 - from / 3);
    }
    // Nothing is stored twice, whichever segment has it; nor within a batch.
    const again = [...messages.slice(0, 3), messages[40] as Message, { key: 'key 0', event: someEvent('several 60') }];
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

  test('given a size, then whole segments go, oldest first, and none that is written', async () => {
    for (let nth = 0; nth < 4; nth++) {
      await topics.topic('large').publish(someMessages(`large ${nth}`, 8, 200));
      if (nth < 3) await closeDaysAgo('large', 0);
    }
    const segments = await topicSegments(it.database, 'large');
    const bytes = segments.slice(2).reduce((sum, segment) => sum + segment.bytes, 0);
    const rule = (limit: number) => ({ bytes: limit, abandonedBefore: daysAgo(90) });
    await trimTopics(it.database, await planRetention(it.database, rule(bytes)), { signal: never });
    expect(await tables('large')).toEqual(['3', '4']);
    await trimTopics(it.database, await planRetention(it.database, rule(0)), { signal: never });
    expect(await tables('large')).toEqual(['4']);
    expect(await kept('large')).toBe(1_600);
  });

  test('given a quarter of the retention or of the size, or a month without a retention, then a segment is closed; an empty one never', async () => {
    await topics.topic('aged').publish(someMessages('aged', 1, 2));
    const days = { otherwise: 8, topics: {} };
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const closed = async () => (await topicSegments(it.database, 'aged')).filter(({ closed_at }) => closed_at).length;
    await closeSegments(it.database, { days, bytes: undefined, now: inHours(47) });
    expect(await closed()).toBe(0);
    await closeSegments(it.database, { days, bytes: 1_000_000, now: inHours(49) });
    expect(await closed()).toBe(1);
    await closeSegments(it.database, { days, bytes: 1, now: inHours(1_000) });
    expect(await closed()).toBe(1);
    await topics.topic('aged').publish(someMessages('aged more', 1, 2));
    const forEver = { otherwise: 0, topics: {} };
    await closeSegments(it.database, { days: forEver, bytes: undefined, now: inHours(719) });
    expect(await closed()).toBe(1);
    await closeSegments(it.database, { days: forEver, bytes: 1, now: inHours(0) });
    expect(await closed()).toBe(2);
    await topics.topic('aged').publish(someMessages('aged again', 1, 2));
    await closeSegments(it.database, { days: forEver, bytes: undefined, now: inHours(721) });
    expect(await closed()).toBe(3);
  });

  test('given a segment that is written, then a plan that closes it removes what a trim after closing it removes', async () => {
    await topics.topic('written').publish(someMessages('written', 2, 5));
    const rule = { bytes: 0, abandonedBefore: daysAgo(90) };
    expect((await planRetention(it.database, rule)).topics).toMatchObject([{ messages: 0 }]);
    expect((await planRetention(it.database, { ...rule, closing: true })).topics).toMatchObject([{ messages: 10 }]);
    await closeWritten(it.database, 'written');
    expect(await trimTopics(it.database, await planRetention(it.database, rule), { signal: never })).toBe(10);
    expect(await kept('written')).toBe(0);
  });

  test('given a transaction that reads messages for long, then publishers and consumers wait for neither a new segment nor a dropped one', async () => {
    await topics.topic('long').publish(someMessages('long old', 1, 10));
    const reader = await it.database.connect();
    await reader.query('BEGIN');
    expect((await reader.query('SELECT FROM log.topic_message')).rowCount).toBe(10);

    await closeDaysAgo('long', 10);
    await topics.topic('long').publish(someMessages('long new', 1, 2));
    await handleAll('long', 'readers');
    const plan = await planRetention(it.database, olderThan(7));
    const trimming = trimTopics(it.database, plan, { signal: never });
    // While the drop waits for the reader, others see the new state and work on.
    await eventually(async () => {
      await topics.topic('long').publish([{ key: 'key 0', event: someEvent('long late') }]);
      expect(await kept('long')).toBe(3);
    });
    await handleAll('long', 'readers');
    expect(await topics.topic('long').lag('anybody')).toBe(3n);
    await reader.query('COMMIT');
    reader.release();
    expect(await trimming).toBe(10);
    expect(await tables('long')).toEqual(['2']);
  });

  test('given a process that died after marking a segment, then the next trim drops it', async () => {
    await topics.topic('marked').publish(someMessages('marked', 1, 4));
    await closeDaysAgo('marked', 10);
    const [first] = await topicSegments(it.database, 'marked');
    if (!first) throw new Error('there is a segment');
    expect(await markSegment(it.database, first)).toBe(4);
    expect(await markSegment(it.database, first)).toBe(0);
    expect(await topics.topic('marked').lag('anybody')).toBe(0n);
    await trimTopics(it.database, await planRetention(it.database, olderThan(7)), { signal: never });
    await dropMarkedSegments(it.database);
    expect(await tables('marked')).toEqual(['2']);
  });
});
