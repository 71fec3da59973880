/** Topics on a real Kafka. */

import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaTopics } from '../../../log/kafka/kafka-topics.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-port.ts';
import { type Broker, startBroker } from '../../harness/kafka.ts';
import { someEvent } from '../contract/events.ts';
import { consuming, someMessages, topicContract } from '../contract/topic.ts';

const broker = await startBroker();

if ('missing' in broker) {
  describe('topics on Kafka', () => {
    it.skip(`skipped: ${broker.missing}`, () => undefined);
  });
} else {
  process.stdout.write(`Kafka is ${broker.kind}\n`);
  afterAll(() => broker.stop());
  topicContract(async () => ({ open: () => open(broker), close: async () => undefined }), { many: 100_000 });
  whatOnlyKafkaDoes(broker);
}

function open({ brokers }: Broker) {
  return kafkaTopics({ brokers: [brokers], clientId: 'clarity-test', partitions: 4 });
}

function whatOnlyKafkaDoes(broker: Broker): void {
  describe('a broker that cannot be used', () => {
    it('given a closed port, then it is named within 10 s', async () => {
      const started = performance.now();
      const address = `127.0.0.1:${await freePort()}`;
      await expect(kafkaTopics({ brokers: [address], clientId: 'clarity-test' })).rejects.toThrow(
        `Kafka at ${address} cannot be reached`,
      );
      expect(performance.now() - started).toBeLessThan(10_000);
    });

    it.skipIf(!broker.guarded)(
      'given a wrong password, then the user is named within 10 s, the password never',
      async () => {
        const { brokers = '', username = '' } = broker.guarded ?? {};
        for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
          const started = performance.now();
          const sasl = { mechanism, username, password: 'wrong-for-tests' };
          const refused = kafkaTopics({ brokers: [brokers], clientId: 'clarity-test', sasl });
          await expect(refused).rejects.toThrow(`refused the user "${username}"`);
          await expect(refused).rejects.not.toThrow('wrong-for-tests');
          expect(performance.now() - started).toBeLessThan(10_000);
        }
      },
    );

    it.skipIf(!broker.guarded)('given the right password, then each mechanism publishes and consumes', async () => {
      const { brokers = '', username = '', password = '' } = broker.guarded ?? {};
      for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
        const sasl = { mechanism, username, password };
        const topics = await kafkaTopics({ brokers: [brokers], clientId: 'clarity-test', sasl, partitions: 1 });
        const consumption = consuming(topics, `by-${mechanism}`, 'readers');
        await topics.topic(`by-${mechanism}`).publish(someMessages(mechanism, 1, 3));
        await eventually(() => expect(consumption.received).toHaveLength(3));
        await consumption.stop();
        await topics.close();
      }
    });
  });

  describe('what a broker refuses', () => {
    const admin = new Kafka({
      clientId: 'clarity-test-admin',
      brokers: broker.brokers.split(','),
      logLevel: logLevel.NOTHING,
    }).admin();
    beforeAll(() => admin.connect());
    afterAll(() => admin.disconnect());

    it('given a topic that takes less, then an event above its limit is refused at once, and smaller ones pass', async () => {
      const configEntries = [{ name: 'max.message.bytes', value: '100000' }];
      await admin.createTopics({
        topics: [{ topic: 'narrow', numPartitions: 1, configEntries }],
        waitForLeaders: true,
      });
      const topics = await open(broker);
      const large = {
        key: 'one',
        event: { ...someEvent('large'), data: { name: randomBytes(150_000).toString('base64') } },
      };
      await expect(topics.topic('narrow').publish([large])).rejects.toThrow(
        /narrow takes less: raise its max.message.bytes/,
      );
      // Together they are above the limit, each alone is not.
      const parts = Array.from({ length: 9 }, (_, index) => ({
        key: 'one',
        event: {
          ...someEvent(`part ${index}`),
          data: { name: `part ${index}`, fill: randomBytes(30_000).toString('base64') },
        },
      }));
      const consumption = consuming(topics, 'narrow', 'readers');
      await topics.topic('narrow').publish(parts);
      await eventually(() =>
        expect(consumption.received.map(({ name }) => name)).toEqual(parts.map(({ event }) => event.data.name)),
      );
      await consumption.stop();
      await topics.close();
    });

    it('given many large events, then they are published in requests that the broker takes', async () => {
      const topics = await open(broker);
      const events = Array.from({ length: 12 }, (_, index) => ({
        key: 'one',
        event: {
          ...someEvent(`big ${index}`),
          data: { name: `big ${index}`, fill: randomBytes(750_000).toString('base64') },
        },
      }));
      const consumption = consuming(topics, 'large-events', 'readers');
      await topics.topic('large-events').publish(events);
      await eventually(() => expect(consumption.received).toHaveLength(12));
      await consumption.stop();
      await topics.close();
    });
  });

  describe('a broker that becomes unreachable', () => {
    it.skipIf(!broker.restart)(
      'given a restart while messages flow, then every message arrives, in order per key',
      {
        timeout: 120_000,
      },
      async () => {
        const topics = await open(broker);
        const consumption = consuming(topics, 'through-a-restart', 'readers');
        const [before, during, after] = ['before', 'during', 'after'].map((prefix) => someMessages(prefix, 5, 20));
        const topic = topics.topic('through-a-restart');
        await topic.publish(before ?? []);
        await eventually(() => expect(consumption.received.length).toBeGreaterThan(0));
        await Promise.all([broker.restart?.(), topic.publish(during ?? [])]);
        await topic.publish(after ?? []);
        await eventually(() => expect(new Set(consumption.received.map(({ name }) => name)).size).toBe(300));
        await consumption.stop();
        await topics.close();
      },
    );
  });
}
