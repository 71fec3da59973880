/** Replays of a model that is fed by a topic on a real Kafka. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { kafkaTopics } from '../../../log/kafka/kafka-topics.ts';
import { groupOf, liveBuild } from '../../../projector/model-builds.ts';
import { oracleItemsModel } from '../../../projector/models/oracle-read-models.ts';
import type { Model } from '../../../projector/read-model.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import { eventually } from '../../harness/eventually.ts';
import { startBroker } from '../../harness/kafka.ts';
import { testEngine } from '../engine.ts';
import { referenceItem } from '../item-events.ts';

const ITEM_COUNT = 49;
const never = new AbortController().signal;
const broker = await startBroker();

describe('replaying a model that is fed by a topic on Kafka', () => {
  if ('missing' in broker) {
    it.skip(`skipped: ${broker.missing}`, () => undefined);
    return;
  }
  afterAll(() => broker.stop());

  it('given three replays, keeps every row each time, and leaves no group but that of the live build', {
    timeout: 200_000,
  }, async () => {
    const topic = `items-${randomUUID()}`;
    const model: Model = { ...oracleItemsModel(), topics: [topic] } as Model;
    const engine = await testEngine();
    const topics = await kafkaTopics({
      brokers: broker.brokers.split(','),
      clientId: 'clarity-test',
      partitions: 4,
    });
    const count = async (): Promise<number> =>
      (await engine.database.query('SELECT 1 FROM read.oracle_items')).rowCount ?? -1;
    try {
      const items = Array.from({ length: ITEM_COUNT }, (_, number) => referenceItem(number));
      await topics.topic(topic).publish(items.map((event) => ({ key: event.data.url, event })));
      engine.run([model], { topics, checkLogEvery: 200 });
      await eventually(async () => expect(await count()).toBe(ITEM_COUNT));

      for (let run = 1; run <= 3; run++) {
        const { verification, topics: read } = await replay({ ...engine, topics, model, verify: true, signal: never });

        expect(verification).toMatchObject({ equal: true, keys: ITEM_COUNT });
        expect(read).toMatchObject([{ topic, messages: ITEM_COUNT, missing: 0 }]);
        expect(await count()).toBe(ITEM_COUNT);
      }

      const live = await liveBuild(engine.database, 'oracle_items');
      await eventually(async () =>
        expect(await topics.groups('projector-oracle_items')).toEqual([groupOf(live ?? { name: '' })]),
      );
    } finally {
      await engine.close();
      await topics.close();
    }
  });
});
