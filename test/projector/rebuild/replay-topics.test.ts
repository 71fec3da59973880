/** Replays of models that are fed by topics: what a rebuild reads of a topic, and what becomes of its consumer group. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupOf, liveBuild } from '../../../projector/model-builds.ts';
import { oracleItemsModel } from '../../../projector/models/oracle-read-models.ts';
import { sourceHealthModel } from '../../../projector/models/source-health-read-model.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import { ITEMS, POLLS } from '../../../schemas/poll.ts';
import { sourceStream } from '../../../schemas/source.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { referenceItem } from '../item-events.ts';
import { added, polled, SOURCE } from '../source-events.ts';

const ITEM_COUNT = 49;
const POLL_COUNT = 7;
const models = [oracleItemsModel(), sourceHealthModel()];
const [oracleItems, sourceHealth] = [models[0] as (typeof models)[0], models[1] as (typeof models)[0]];
const never = new AbortController().signal;
let engine: Engine;

const count = async (table: string): Promise<number> =>
  (await engine.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n ?? -1;
const pollsSeen = async (): Promise<Date | null> =>
  (await engine.database.query<{ last_polled_at: Date }>('SELECT last_polled_at FROM read.sources')).rows[0]
    ?.last_polled_at ?? null;

beforeEach(async () => {
  engine = await testEngine();
  await engine.add(sourceStream(sourceId(SOURCE)), added());
  const items = Array.from({ length: ITEM_COUNT }, (_, number) => referenceItem(number));
  await engine.topics.topic(ITEMS).publish(items.map((event) => ({ key: event.data.url, event })));
  const polls = Array.from({ length: POLL_COUNT }, (_, number) => polled({}, number + 1));
  await engine.topics.topic(POLLS).publish(polls.map((event) => ({ key: SOURCE, event })));
  engine.run(models);
  await eventually(async () => expect(await count('read.oracle_items')).toBe(ITEM_COUNT));
  await eventually(async () => expect(await pollsSeen()).not.toBeNull());
});
afterEach(() => engine.close());

describe('replaying a model that is fed by a topic', () => {
  it('given any number of replays, keeps every row, says what it read, never names a build twice, and leaves no old group', async () => {
    const polledAt = await pollsSeen();
    const names = new Set([(await liveBuild(engine.database, 'oracle_items'))?.name]);

    for (const verify of [true, false]) {
      const items = await replay({ ...engine, model: oracleItems, verify, signal: never });
      const health = await replay({ ...engine, model: sourceHealth, verify, signal: never });

      expect(items.topics).toMatchObject([{ topic: ITEMS, messages: ITEM_COUNT, missing: 0 }]);
      expect(health.topics).toMatchObject([{ topic: POLLS, messages: POLL_COUNT, missing: 0 }]);
      if (verify)
        expect([items, health]).toMatchObject([{ verification: { equal: true } }, { verification: { equal: true } }]);
      expect(await count('read.oracle_items')).toBe(ITEM_COUNT);
      expect(await pollsSeen()).toEqual(polledAt);
      names.add((await liveBuild(engine.database, 'oracle_items'))?.name);
    }

    expect(names.size).toBe(3);
    const live = await Promise.all(models.map(({ name }) => liveBuild(engine.database, name)));
    // The projector leaves the group of a replaced build when it learns of it, by the next event of the topic.
    await engine.topics.topic(ITEMS).publish([{ key: 'next', event: referenceItem(ITEM_COUNT) }]);
    await engine.topics.topic(POLLS).publish([{ key: SOURCE, event: polled({}, POLL_COUNT + 1) }]);
    await eventually(async () =>
      expect([...(await engine.topics.groups('projector-'))].sort()).toEqual(
        live.map((build) => groupOf(build ?? { name: '' })).sort(),
      ),
    );
  });

  it('given a group that does not begin at the beginning, builds nothing from it and leaves the live rows', async () => {
    const before = await liveBuild(engine.database, 'oracle_items');
    await engine.database.query(`
      CREATE FUNCTION skip_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        SELECT next_offset INTO NEW.next_offset FROM log.topic_partition p
         WHERE p.topic = NEW.topic AND p.partition = NEW.partition;
        RETURN NEW;
      END $$;
      CREATE TRIGGER skip_all BEFORE INSERT ON log.topic_group FOR EACH ROW EXECUTE FUNCTION skip_all()`);

    for (const verify of [true, false])
      await expect(replay({ ...engine, model: oracleItems, verify, signal: never })).rejects.toThrow(
        'of which none was read',
      );

    expect(await liveBuild(engine.database, 'oracle_items')).toEqual(before);
    expect(await count('read.oracle_items')).toBe(ITEM_COUNT);
  });

  it('given messages that were deleted by hand, skips the gaps and says how many it could not read', async () => {
    await engine.database.query(
      `DELETE FROM log.topic_message WHERE topic = $1
         AND (partition % 2 = 0 OR message_offset % 3 = 1 OR message_offset >= 5)`,
      [ITEMS],
    );
    const left = await count(`log.topic_message WHERE topic = '${ITEMS}'`);
    expect(left).toBeGreaterThan(0);

    const { topics } = await replay({ ...engine, model: oracleItems, signal: never });

    expect(topics).toMatchObject([{ topic: ITEMS, messages: left, missing: ITEM_COUNT - left }]);
    expect(await count('read.oracle_items')).toBe(left);
    expect(engine.logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('no longer contains its oldest messages'),
        about: expect.objectContaining({ model: 'oracle_items', missing: ITEM_COUNT - left }),
      }),
    );
  });
});
