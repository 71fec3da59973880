/** What every topic must do, whatever it is built on. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Batch,
  EventTooLarge,
  MAXIMUM_EVENT_BYTES,
  type Message,
  PartlyHandled,
  type Topics,
} from '../../../log/topic.ts';
import { eventually } from '../../harness/eventually.ts';
import { eventOfBytes, someEvent } from './events.ts';

export interface TopicsUnderTest {
  /** Topics of their own: another connection to the same messages. */
  open(): Promise<Topics>;
  close(): Promise<void>;
}

/** How long to wait for something to come; a Kafka group needs seconds to form. */

export interface Consumption {
  readonly received: { readonly key: string; readonly name: string; readonly partition: number }[];
  readonly assigned: number[][];
  stop(): Promise<void>;
}

const nameOf = (message: Message): string => (message.event.data as { name: string }).name;

/** Consumes in the background, writing down what came. */
export function consuming(
  topics: Topics,
  name: string,
  group: string,
  handle: (batch: Batch) => Promise<void> = async () => undefined,
): Consumption {
  const controller = new AbortController();
  const received: { key: string; name: string; partition: number }[] = [];
  const assigned: number[][] = [];
  const consumed = topics.topic(name).consume({
    group,
    batchSize: 10,
    signal: controller.signal,
    onAssigned: (partitions) => void assigned.push([...partitions]),
    async handle(batch) {
      await handle(batch);
      for (const message of batch.messages)
        received.push({ key: message.key, name: nameOf(message), partition: batch.partition });
    },
  });
  return {
    received,
    assigned,
    async stop() {
      controller.abort();
      await consumed;
    },
  };
}

/** `each` messages for each of `keys` keys, all keys in turn. */
export const someMessages = (prefix: string, keys: number, each: number): Message[] =>
  Array.from({ length: keys * each }, (_, index) => ({
    key: `key ${index % keys}`,
    event: someEvent(`${prefix} ${index}`),
  }));

/** Names by key, each once, in the order in which they first came. */
export function orderByKey(received: Consumption['received']): Record<string, string[]> {
  const byKey = Map.groupBy(received, ({ key }) => key);
  return Object.fromEntries([...byKey].map(([key, some]) => [key, [...new Set(some.map(({ name }) => name))]]));
}

const expectedOrder = (messages: readonly Message[]) =>
  orderByKey(messages.map((message) => ({ key: message.key, name: nameOf(message), partition: 0 })));

/**
 * The contract, to be called inside a test file.
 * @param start opens the topics that are tested
 * @param options.many how many messages go through in the large test
 */
export function topicContract(start: () => Promise<TopicsUnderTest>, { many = 20_000 }: { many?: number } = {}): void {
  describe('the contract of a topic', () => {
    let under: TopicsUnderTest;
    let topics: Topics;
    beforeAll(async () => {
      under = await start();
      topics = await under.open();
    });
    afterAll(async () => {
      await topics.close();
      await under.close();
    });

    test('given messages of many keys, then each group gets all of them, in order per key, a key in one partition', async () => {
      const messages = someMessages('order', 12, 10);
      const early = consuming(topics, 'order', 'early');
      await topics.topic('order').publish(messages.slice(0, 50));
      await topics.topic('order').publish(messages.slice(50));
      const late = consuming(topics, 'order', 'late');
      for (const { received } of [early, late]) {
        await eventually(() => expect(received.length).toBeGreaterThanOrEqual(messages.length));
        expect(orderByKey(received)).toEqual(expectedOrder(messages));
        for (const [key, some] of Map.groupBy(received, (one) => one.key))
          expect(new Set(some.map(({ partition }) => partition)).size, key).toBe(1);
      }
      await early.stop();
      await late.stop();
    });

    test('given ids of events, when they are looked up, then those that the topic contains are found, each once', async () => {
      const messages = someMessages('find', 3, 3);
      await topics.topic('find').publish(messages);
      const wanted = messages.slice(2, 5).map(({ event }) => event.id);
      const found = await topics.topic('find').find([...wanted, someEvent('unknown').id], new AbortController().signal);
      expect(found.map(({ id }) => id).sort()).toEqual(wanted.sort());
      expect(await topics.topic('find').find([], new AbortController().signal)).toEqual([]);
      expect(await topics.groups('find-')).toEqual([]);
    });

    test('given an assignment that its consumer cannot prepare for, then it ends with that error and handles nothing', async () => {
      await topics.topic('unprepared').publish(someMessages('unprepared', 1, 3));
      const handled: unknown[] = [];
      const consumed = topics.topic('unprepared').consume({
        group: 'readers',
        signal: new AbortController().signal,
        onAssigned: (partitions) => {
          if (partitions.length > 0) throw new RangeError('no room for these partitions');
        },
        handle: async (batch) => void handled.push(batch),
      });
      await expect(consumed).rejects.toThrow('no room for these partitions');
      expect(handled).toEqual([]);
      expect(await topics.topic('unprepared').lag('readers')).toBe(3n);
    });

    test('given a group that handled everything, when it comes back, then it gets only what is new, and lag says so', async () => {
      await topics.topic('resume').publish(someMessages('resume', 3, 2));
      const first = consuming(topics, 'resume', 'readers');
      await eventually(() => expect(first.received).toHaveLength(6));
      await first.stop();
      expect(await topics.topic('resume').lag('readers')).toBe(0n);
      await topics.topic('resume').publish([{ key: 'key 1', event: someEvent('resume new') }]);
      expect(await topics.topic('resume').lag('readers')).toBe(1n);
      expect(await topics.topic('resume').lag('strangers')).toBe(7n);
      const behind = (await topics.topic('resume').progress('readers')).filter(({ next, end }) => next < end);
      expect(behind.map(({ next, end }) => end - next)).toEqual([1n]);
      const second = consuming(topics, 'resume', 'readers');
      await eventually(() => expect(second.received.map(({ name }) => name)).toEqual(['resume new']));
      await second.stop();
    });

    test('given a group without consumers, when it is deleted, then a group of the same name starts from the beginning; one with consumers stays', async () => {
      await topics.topic('deleted').publish(someMessages('deleted', 3, 2));
      const first = consuming(topics, 'deleted', 'deleted-readers');
      await eventually(() => expect(first.received).toHaveLength(6));
      expect(await topics.topic('deleted').deleteGroup('deleted-readers')).toBe(false);
      expect(await topics.groups('deleted-')).toEqual(['deleted-readers']);
      await first.stop();
      await eventually(async () => expect(await topics.topic('deleted').deleteGroup('deleted-readers')).toBe(true));
      expect(await topics.groups('deleted-')).toEqual([]);
      expect(await topics.topic('deleted').deleteGroup('deleted-readers')).toBe(true);
      expect(await topics.topic('deleted').lag('deleted-readers')).toBe(6n);
      const second = consuming(topics, 'deleted', 'deleted-readers');
      await eventually(() => expect(second.received).toHaveLength(6));
      await second.stop();
    });

    test('given batches, then they cover every offset that the topic contains, without a hole', async () => {
      await topics.topic('covered').publish(someMessages('covered', 9, 7));
      const covered = new Map<number, bigint>();
      const holes: string[] = [];
      const consumption = consuming(topics, 'covered', 'readers', async ({ partition, from, to }) => {
        if (from > (covered.get(partition) ?? 0n)) holes.push(`${partition}: ${from}`);
        covered.set(partition, to);
      });
      await eventually(() => expect(consumption.received).toHaveLength(63));
      await consumption.stop();
      expect(holes).toEqual([]);
      const ranges = await topics.topic('covered').ranges();
      expect(ranges.reduce((sum, { first, end }) => sum + end - first, 0n)).toBe(63n);
      for (const { partition, end } of ranges) expect(covered.get(partition) ?? 0n).toBe(end);
    });

    test('given a handler that fails, then the same batch comes again, and other partitions go on', async () => {
      const messages = someMessages('failing', 12, 2);
      let failures = 0;
      const consumption = consuming(topics, 'failing', 'readers', async ({ messages: [first] }) => {
        if (first?.key === 'key 0' && failures++ < 3) throw new Error('on purpose');
      });
      await topics.topic('failing').publish(messages);
      await eventually(() => expect(consumption.received.length).toBeGreaterThanOrEqual(24));
      expect(failures).toBeGreaterThanOrEqual(4);
      expect(orderByKey(consumption.received)).toEqual(expectedOrder(messages));
      expect(orderByKey(consumption.received.slice(0, 1))).not.toHaveProperty('key 0');
      await consumption.stop();
    });

    test('given a batch that is partly handled, then that part is committed at once, and only the rest comes again', async () => {
      await topics.topic('parts').publish(someMessages('m', 1, 5));
      const batches: string[][] = [];
      let isPartly = true;
      const consumption = consuming(topics, 'parts', 'readers', async ({ messages }) => {
        if (messages.length === 0) return;
        batches.push(messages.map(nameOf));
        const third = messages[2];
        if (batches.length === 1 && third) throw new PartlyHandled(third.offset, 'the third failed');
        if (isPartly) throw new Error('the third failed again');
      });
      await eventually(() => expect(batches.length).toBeGreaterThan(1));
      expect(await topics.topic('parts').lag('readers')).toBe(3n);
      expect(batches[1]).toEqual(['m 2', 'm 3', 'm 4']);
      isPartly = false;
      await eventually(async () => expect(await topics.topic('parts').lag('readers')).toBe(0n));
      await consumption.stop();
      expect(consumption.received.map(({ name }) => name)).toEqual(['m 2', 'm 3', 'm 4']);
    });

    test('given a crash between handler and commit, then the next consumer gets the batch again', async () => {
      await topics.topic('crash').publish(someMessages('crash', 1, 3));
      const handled: string[] = [];
      let resume: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        resume = resolve;
      });
      const doomed = consuming(topics, 'crash', 'readers', async ({ messages }) => {
        handled.push(...messages.map(nameOf));
        await held;
        throw new Error('died before the commit');
      });
      await eventually(() => expect(handled).toHaveLength(3));
      const stopped = doomed.stop();
      resume();
      await stopped;
      const next = consuming(topics, 'crash', 'readers');
      await eventually(() => expect(next.received.map(({ name }) => name)).toEqual(handled));
      await next.stop();
    });

    test('given consumers that come and go while messages flow, then nothing is lost and keys stay in order', async () => {
      const messages = someMessages('flow', 16, 30);
      const other = await under.open();
      const consumptions = [consuming(topics, 'flow', 'readers')];
      const all = () => consumptions.flatMap(({ received }) => received);
      const publish = async (from: number, to: number): Promise<void> => {
        for (let at = from; at < to; at += 16) await topics.topic('flow').publish(messages.slice(at, at + 16));
      };
      await publish(0, 160);
      await eventually(() => expect(all().length).toBeGreaterThan(0));
      const second = consuming(other, 'flow', 'readers');
      consumptions.push(second);
      await publish(160, 320);
      await eventually(() => expect(second.assigned.at(-1)?.length).toBeGreaterThan(0));
      await consumptions[0]?.stop();
      await publish(320, 480);
      const names = () => new Set(all().map(({ name }) => name));
      await eventually(() => expect(names().size).toBe(messages.length));
      await second.stop();
      expect(await topics.topic('flow').lag('readers')).toBe(0n);
      for (const { received } of consumptions)
        for (const [key, order] of Object.entries(orderByKey(received)))
          expect(
            order.map((name) => Number(name.split(' ')[1])),
            key,
          ).toEqual(order.map((name) => Number(name.split(' ')[1])).toSorted((a, b) => a - b));
      await other.close();
    });

    test('given a message of 1 MB, then it is taken; above the limit, then it is refused', async () => {
      const large = { key: 'large', event: eventOfBytes('large', 1_048_576) };
      let size = 0;
      const consumption = consuming(topics, 'large', 'readers', async ({ messages }) => {
        for (const { event } of messages) size += (event.data as { text: string }).text.length;
      });
      await topics.topic('large').publish([large]);
      await eventually(() => expect(size).toBe(1_048_576));
      await consumption.stop();
      const huge = { key: 'huge', event: eventOfBytes('huge', MAXIMUM_EVENT_BYTES) };
      await expect(topics.topic('large').publish([huge])).rejects.toThrow(EventTooLarge);
    });

    test(`given ${many} messages, then a group next to the publisher gets all of them, in order per key`, async () => {
      const keys = 50;
      const last = new Map<string, number>();
      const gaps: string[] = [];
      const controller = new AbortController();
      const consumed = topics.topic('many').consume({
        group: 'all',
        batchSize: 1_000,
        signal: controller.signal,
        async handle({ messages }) {
          for (const message of messages) {
            const number = Number(nameOf(message).split(' ')[1]);
            const before = last.get(message.key) ?? (number % keys) - keys;
            // A redelivery is no loss; a gap would be one.
            if (number > before + keys) gaps.push(`${message.key}: ${number} came after ${before}`);
            last.set(message.key, Math.max(number, before));
          }
          if (gaps.length > 0) controller.abort();
          if (last.size === keys && [...last.values()].every((number) => number >= many - keys)) controller.abort();
        },
      });
      const messages = someMessages('many', keys, many / keys);
      for (let from = 0; from < many; from += 5_000)
        await topics.topic('many').publish(messages.slice(from, from + 5_000));
      await consumed;
      expect(gaps).toEqual([]);
      expect([...last.values()].reduce((sum, number) => sum + Math.floor(number / keys) + 1, 0)).toBe(many);
    });
  });
}
