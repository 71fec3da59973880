/** Topics on a real Kafka. */
import { afterAll, describe, it } from 'vitest';
import { kafkaTopics } from '../../log/kafka.ts';
import { startBroker } from '../harness/kafka.ts';
import { topicContract } from './contract/topic.ts';

const broker = await startBroker();

if ('missing' in broker) {
  describe('topics on Kafka', () => {
    it.skip(`skipped: ${broker.missing}`, () => undefined);
  });
} else {
  process.stdout.write(`Kafka is ${broker.kind}\n`);
  afterAll(() => broker.stop());
  topicContract(async () => ({
    open: () => kafkaTopics({ brokers: [broker.brokers], clientId: 'clarity-test', partitions: 4 }),
    close: async () => undefined,
  }));
}
