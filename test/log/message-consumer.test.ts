import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { topicReport } from '../../bin/services.ts';
import { listDeadLetters, postgresDeadLetters, requestRetry } from '../../log/dead-letters.ts';
import { BadInput } from '../../log/errors.ts';
import { consumeMessages, type HandlingFailure, type MessageConsumer } from '../../log/message-consumer.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../log/topic.ts';
import type { Event } from '../../schemas/events.ts';
import { partitionStopped } from '../../schemas/observation.ts';
import { logDatabase, type TestDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { someEvent } from './contract/events.ts';

const GROUP = 'readers';
const nameOf = (event: Event): string => (event.data as { name: string }).name;

let under: TestDatabase;
let topics: Topics;
let topic: Topic;
let stop: AbortController;
let running: Promise<void> | undefined;
let logged: { level: string; about: Record<string, unknown> }[];

beforeEach(async () => {
  under = await logDatabase();
  topics = postgresTopics(under.database, { partitions: 1 });
  topic = topics.topic('news');
  stop = new AbortController();
  logged = [];
});
afterEach(async () => {
  stop.abort();
  await running;
  await topics.close();
  await under.close();
});

const publish = (...names: string[]): Promise<void> =>
  topic.publish(names.map((name) => ({ key: 'one', event: someEvent(name) })));
const note =
  (level: string) =>
  (about: object): void =>
    void logged.push({ level, about: about as Record<string, unknown> });

/** Consumes in the background. @param fails what a message meets, by its name and attempt; null for nothing */
function consume(
  fails: (name: string, attempt: number) => unknown,
  limits: MessageConsumer['limits'] = {},
): { handled: string[]; attempts: Map<string, number> } {
  const handled: string[] = [];
  const attempts = new Map<string, number>();
  running = consumeMessages({
    topic,
    group: GROUP,
    signal: stop.signal,
    deadLetters: postgresDeadLetters(under.database),
    logger: { info: note('info'), warn: note('warn'), error: note('error') },
    limits: { tries: 3, retryEvery: 20, ...limits },
    handle: async (events) => {
      const failures: HandlingFailure[] = [];
      for (const event of events) {
        const name = nameOf(event);
        const attempt = (attempts.get(name) ?? 0) + 1;
        attempts.set(name, attempt);
        const error = fails(name, attempt);
        if (error === null) handled.push(name);
        else failures.push({ id: event.id, error });
      }
      return failures;
    },
  });
  return { handled, attempts };
}

const allHandled = (): Promise<void> => eventually(async () => expect(await topic.lag(GROUP)).toBe(0n));
const letters = () => listDeadLetters(under.database);

describe('a consumer that records whatever it skips', () => {
  test('given bad input, then it is a dead letter with its cause at once, and all others are handled once', async () => {
    const { handled, attempts } = consume((name) => (name === 'bad' ? new BadInput('no title') : null));
    await publish('a', 'bad', 'b');
    await allHandled();
    expect(handled).toEqual(['a', 'b']);
    expect(attempts.get('bad')).toBe(1);
    expect(await letters()).toMatchObject([
      { group_name: GROUP, topic: 'news', kind: 'bad input', error: 'no title', attempts: 1 },
    ]);
  });

  test('given a transient error, then nothing is skipped, however long it lasts', async () => {
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const { handled, attempts } = consume((name, attempt) => (name === 'late' && attempt < 5 ? away : null), {
      tries: 2,
    });
    await publish('a', 'late', 'b');
    await allHandled();
    expect(handled).toEqual(['a', 'b', 'late']);
    expect(attempts.get('a')).toBe(1);
    expect(await letters()).toEqual([]);
  });

  test('given one that fails again and again, then those before it are counted as handled meanwhile', async () => {
    const contention = Object.assign(new Error('another writer was faster'), { code: '40001' });
    let isContended = true;
    const { attempts } = consume((name) => (name === 'late' && isContended ? contention : null));
    await publish('a', 'b', 'late', 'c');
    await eventually(async () => expect(await topic.lag(GROUP)).toBe(2n));
    await eventually(() => expect(attempts.get('late')).toBeGreaterThan(2));
    isContended = false;
    await allHandled();
    expect([attempts.get('a'), attempts.get('c')]).toEqual([1, 1]);
  });

  test('given a temporary defect, then its partition stops, logs it, and continues afterwards', async () => {
    const stops: boolean[] = [];
    const end = partitionStopped.subscribe(({ stopped }) => stops.push(stopped));
    const { handled } = consume((name, attempt) => (name === 'odd' && attempt < 3 ? new TypeError('odd') : null));
    await publish('odd', 'b');
    await allHandled();
    end();
    expect(handled).toEqual(['b', 'odd']);
    expect(stops).toEqual([true, false]);
    expect(await letters()).toEqual([]);
    expect(logged.filter(({ level, about }) => level === 'error' && 'event' in about)).toHaveLength(2);
  });

  test('given a permanent defect, then after the configured attempts it is a dead letter, and the partition continues', async () => {
    const { handled, attempts } = consume((name) => (name === 'broken' ? new TypeError('broken') : null));
    await publish('broken', 'a');
    await allHandled();
    await publish('b');
    await allHandled();
    expect(handled).toEqual(['a', 'b']);
    expect(attempts.get('broken')).toBe(3);
    expect(await letters()).toMatchObject([{ kind: 'defect', error: 'broken', attempts: 3 }]);
    expect(logged.at(-1)).toMatchObject({ level: 'error', about: { kind: 'defect', err: { type: 'TypeError' } } });
  });

  test('given a message that is skipped in the end, then the stack is in the log once, and the skip is one plain line', async () => {
    consume((name) => (name === 'broken' ? new TypeError('broken') : null));
    await publish('broken', 'a');
    await allHandled();
    expect(logged.map(({ about }) => 'stack' in (about.err as object))).toEqual([true, false, false]);
    expect(await letters()).toHaveLength(1);
  });

  test('given a consumer that stores no dead letters, then a message without an event is one plain line', async () => {
    const { database } = under;
    const logger = { warn: note('warn'), error: note('error') };
    const reporting = postgresTopics(database, { partitions: 1, report: topicReport(logger) });
    await publish('a');
    await database.query(
      `SELECT log.publish('news', ARRAY[0], ARRAY['one'], ARRAY[$1::uuid], ARRAY['{"hello":"world"}'])`,
      [randomUUID()],
    );
    running = reporting.topic('news').consume({ group: GROUP, signal: stop.signal, handle: async () => undefined });
    await allHandled();
    const reason = expect.stringContaining('expected string');
    const about = { topic: 'news', group: GROUP, partition: 0, offset: '1', reason };
    expect(logged).toEqual([{ level: 'warn', about }]);
    stop.abort();
    await running;
    await reporting.close();
  });

  test('given a batch that fails because of one message, then each message is handled alone and only that one is skipped', async () => {
    const handled: string[] = [];
    running = consumeMessages({
      topic,
      group: GROUP,
      signal: stop.signal,
      deadLetters: postgresDeadLetters(under.database),
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      limits: { tries: 2 },
      handle: async (events) => {
        if (events.some((event) => nameOf(event) === 'broken')) throw new TypeError('broken');
        handled.push(...events.map(nameOf));
        return [];
      },
    });
    await publish('a', 'broken', 'b');
    await allHandled();
    expect([...new Set(handled)]).toEqual(['a', 'b']);
    expect((await letters()).map(({ body }) => nameOf(JSON.parse(body) as Event))).toEqual(['broken']);
    stop.abort();
  });

  test('given a defect that every message triggers, then a limited number is skipped, and the rest waits', async () => {
    let corrected = false;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { attempts } = consume(() => (corrected ? null : new TypeError('every one')), {
      tries: 2,
      defectsInARow: 2,
    });
    await publish(...names);
    await eventually(() => expect(attempts.get('e')).toBeGreaterThan(3));
    expect(await letters()).toHaveLength(2);
    corrected = true;
    await allHandled();
    expect(await letters()).toHaveLength(2);
  });

  test('given a message that contains no event, then it is a dead letter with its text', async () => {
    const { handled } = consume(() => null);
    await publish('a');
    await allHandled();
    await under.database.query(
      `SELECT log.publish('news', ARRAY[0], ARRAY['one'], ARRAY[$1::uuid], ARRAY['{"hello":"world"}'])`,
      [randomUUID()],
    );
    await publish('b');
    await allHandled();
    expect(handled).toEqual(['a', 'b']);
    expect(await letters()).toMatchObject([{ type: 'unreadable', message_id: '0/1', body: '{"hello":"world"}' }]);
  });

  test('given a retry, then a corrected consumer handles the dead letter, and an uncorrected one keeps it with the new error', async () => {
    let reason: string | null = 'first';
    const { handled } = consume((name) => (name === 'bad' && reason ? new BadInput(reason) : null));
    await publish('bad');
    await allHandled();
    const [letter] = await letters();
    if (!letter) throw new Error('no dead letter');
    reason = 'second';
    await requestRetry(under.database, letter);
    await eventually(async () =>
      expect(await letters()).toMatchObject([{ error: 'second', attempts: 2, retry_requested_at: null }]),
    );
    reason = null;
    await requestRetry(under.database, letter);
    await eventually(async () => expect(await letters()).toEqual([]));
    expect(handled).toEqual(['bad']);
  });
});
