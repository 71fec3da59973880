import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { partitionOf, postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';
import {
  planRetention,
  type RetentionRule,
  runRetention,
  trimTopics,
} from '../../../../log/postgres/topics/topic-retention.ts';
import type { Topics } from '../../../../log/topic.ts';
import { logDatabase, type TestDatabase } from '../../../harness/database.ts';
import { WAIT_OPTIONS } from '../../../harness/wait-options.ts';
import { someEvent } from '../../contract/events.ts';
import { consuming, someMessages } from '../../contract/topic.ts';

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
/** Publishes ten old messages and two new ones with one key. */
async function publishOldAndNew(topic: string): Promise<void> {
  await topics.topic(topic).publish(someMessages(`${topic} old`, 1, 10));
  await it.database.query(`UPDATE log.topic_message SET added = added - interval '10 days' WHERE topic = $1`, [topic]);
  await topics.topic(topic).publish(someMessages(`${topic} new`, 1, 2));
}
/** Has a group handle what the topic contains. */
async function handleAll(topic: string, group: string): Promise<void> {
  const consumption = consuming(topics, topic, group);
  await vi.waitFor(async () => expect(await topics.topic(topic).lag(group)).toBe(0n), WAIT_OPTIONS);
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
  test('given messages older than the limit that every group has handled, then only they are deleted, and a new group starts after them', async () => {
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
    await vi.waitFor(
      () => expect(consumption.received.map(({ name }) => name)).toEqual(['old new 0', 'old new 1']),
      WAIT_OPTIONS,
    );
    await consumption.stop();
  });

  test('given a group that has handled some of them, then the others stay and the group is named, unless unhandled messages may be deleted too', async () => {
    await publishOldAndNew('held');
    await handleAll('held', 'readers');
    await handleAll('held', 'slow');
    await setOffset('held', 'slow', 4);

    const plan = await planRetention(it.database, olderThan(7));

    expect(plan).toMatchObject({
      topics: [{ topic: 'held', messages: 4, held_back: 6 }],
      holders: [{ topic: 'held', group: 'slow', messages: 6, live: true }],
    });
    await trimTopics(it.database, plan, { signal: never });
    expect(await topics.topic('held').lag('slow')).toBe(8n);
    const all = await planRetention(it.database, olderThan(7, { unhandled: true }));
    expect(all).toMatchObject({
      topics: [{ topic: 'held', messages: 6, held_back: 0 }],
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
    await vi.waitFor(() => expect(stuck.assigned.at(-1)).toHaveLength(8), WAIT_OPTIONS);
    await vi.waitFor(async () => expect(await topics.groups('stuck')).toEqual(['stuck']), WAIT_OPTIONS);
    await it.database.query("UPDATE log.topic_group SET moved_at = now() - interval '100 days'");
    await vi.waitFor(
      async () =>
        expect(await planRetention(it.database, olderThan(7))).toMatchObject({
          topics: [{ messages: 0, held_back: 10 }],
        }),
      WAIT_OPTIONS,
    );
    await stuck.stop();
  });

  test('given a size, then the oldest messages of each partition are deleted until the topic is within it, and other topics stay', async () => {
    await topics.topic('size').publish(someMessages('size', 40, 25));
    await topics.topic('small').publish(someMessages('small', 4, 2));
    const bytes = async (topic: string): Promise<number> => {
      const text = `SELECT sum(pg_column_size(body) + octet_length(key) + 64)::int AS n FROM log.topic_message WHERE topic = $1`;
      return (await it.database.query<{ n: number }>(text, [topic])).rows[0]?.n ?? 0;
    };
    const limit = Math.floor((await bytes('size')) / 3);

    const plan = await planRetention(it.database, { bytes: limit, abandonedBefore: daysAgo(90) });
    await trimTopics(it.database, plan, { signal: never });

    expect(await bytes('size')).toBeLessThanOrEqual(limit);
    expect(await bytes('size')).toBeGreaterThan(limit * 0.9);
    expect(await kept('small')).toBe(8);
    const ranges = await topics.topic('size').ranges();
    for (const { first, end } of ranges) expect(first === 0n && end > 0n, `${first} to ${end}`).toBe(false);
  });

  test('given a consumer at work while its topic is trimmed, then it loses nothing that it had not handled', async () => {
    await publishOldAndNew('busy');
    const consumption = consuming(topics, 'busy', 'readers');
    await vi.waitFor(() => expect(consumption.received).toHaveLength(12), WAIT_OPTIONS);
    await vi.waitFor(async () => expect(await topics.topic('busy').lag('readers')).toBe(0n), WAIT_OPTIONS);

    await trimTopics(it.database, await planRetention(it.database, olderThan(0)), { signal: never });
    await topics.topic('busy').publish([{ key: 'key 0', event: someEvent('busy after') }]);

    await vi.waitFor(() => expect(consumption.received.at(-1)?.name).toBe('busy after'), WAIT_OPTIONS);
    expect(consumption.received).toHaveLength(13);
    await consumption.stop();
  });

  test('given the job of a service, then it trims at once and logs what a group holds back', async () => {
    await publishOldAndNew('job');
    await publishOldAndNew('kept');
    await handleAll('job', 'readers');
    await handleAll('job', 'slow');
    await setOffset('job', 'slow', 4);
    const lines: [string, object, string][] = [];
    const at = (level: string) => (about: object, message: string) => void lines.push([level, about, message]);
    const stop = new AbortController();

    const running = runRetention({
      ...{
        database: it.database,
        days: { otherwise: 7, topics: { kept: 0 } },
        bytes: undefined,
        clock: () => new Date(),
        signal: stop.signal,
      },
      logger: { info: at('info'), warn: at('warn'), error: at('error') },
    });
    await vi.waitFor(() => expect(lines).toHaveLength(2), WAIT_OPTIONS);
    stop.abort();
    await running;

    expect(await kept('job')).toBe(8);
    expect(await kept('kept')).toBe(12);
    expect(lines).toMatchObject([
      ['info', { topic: 'job', messages: 4 }, 'messages past their retention were removed'],
      ['warn', { group: 'slow', messages: 6 }, expect.stringContaining('are kept')],
    ]);
  });
});
