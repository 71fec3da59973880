/** Logs, and read models, that are restored to an earlier point. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signalHistory } from '../../bench/generated-history.ts';
import type { EventStore } from '../../log/event-store.ts';
import { eventStoreDb } from '../../log/eventstore/eventstore-adapter.ts';
import { checkpoint, liveBuild, STORE } from '../../projector/model-builds.ts';
import { stoppedModels, waitForPosition } from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { oracleItemsModel } from '../../projector/models/oracle-read-models.ts';
import { signalsModel } from '../../projector/models/signals-read-model.ts';
import type { Model } from '../../projector/read-model.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { findMismatch } from '../../projector/restored-log.ts';
import { ITEMS } from '../../schemas/poll.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';
import { type Engine, testEngine } from './engine.ts';
import { referenceItem } from './item-events.ts';
import { detected, idOf } from './signal-events.ts';

const signals = signalsModel({ baseUrl: 'https://clarity.test' });
const items = oracleItemsModel();
const never = new AbortController().signal;
const REBUILD_MESSAGE = 'the log or this read model was restored to an earlier point; rebuilding the read model';
let engine: Engine;

beforeEach(async () => {
  engine = await testEngine();
});
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await engine.close();
  for (const close of closers.splice(0)) await close();
});

const add = (...names: string[]): Promise<bigint[]> =>
  Promise.all(names.map((name) => engine.add(signalStream(idOf(name)), detected(name))));
const slugs = async (): Promise<string[]> =>
  (await engine.database.query<{ slug: string }>('SELECT slug FROM read.signals ORDER BY slug')).rows.map(
    ({ slug }) => slug,
  );
const publish = (...numbers: number[]): Promise<void> =>
  engine.topics.topic(ITEMS).publish(numbers.map((number) => ({ key: 'one', event: referenceItem(number) })));
const itemKeys = async (): Promise<string[]> =>
  (await engine.database.query<{ key: string }>('SELECT key FROM read.oracle_items ORDER BY key')).rows.map(
    ({ key }) => key,
  );
const rebuildReasons = () =>
  engine.logger.lines.filter(({ message }) => message === REBUILD_MESSAGE).map(({ about }) => about);

/** Cuts the event store back, as a restore of an older backup of it does. */
async function restoreStore(to: bigint): Promise<void> {
  await engine.database.query('DELETE FROM log.event WHERE position > $1', [to]);
  await engine.database.query("SELECT setval('log.event_position', $1)", [to]);
}

/** A store on the double of EventStoreDB, and how it is cut back: the program starts anew then, and remembers no streams. */
async function onEventStore() {
  const data = doubleStore();
  const double = await startDouble({ store: data });
  closers.push(async () => double.kill());
  const open = async () => {
    const store = await eventStoreDb({ url: `esdb://127.0.0.1:${double.port}?tls=false` });
    closers.unshift(() => store.close());
    return store;
  };
  const restore = async (to: bigint) => {
    data.restore(data.records.findLast(({ position }) => position * 2n + 1n <= to)?.end ?? 0n);
    return open();
  };
  return { store: await open(), restore };
}

async function onPostgres() {
  const restore = async (to: bigint) => {
    await restoreStore(to);
    return engine.store;
  };
  return { store: engine.store, restore };
}

/** Cuts the topics back, with the offsets of their groups. */
async function restoreTopics(to: number): Promise<void> {
  await engine.database.query('DELETE FROM log.topic_message WHERE message_offset >= $1', [to]);
  for (const table of ['topic_partition', 'topic_group'])
    await engine.database.query(`UPDATE log.${table} SET next_offset = least(next_offset, $1)`, [to]);
}

describe('a log that is restored to an earlier point', () => {
  it('given an event store that ends before the checkpoint, rebuilds the model, logs it, and continues', async () => {
    const first = engine.run([signals], { checkLogEvery: 20 });
    const [position = 0n] = await add('kept');
    await add('lost', 'lost-too');
    await waitForPosition(engine.database, 'signals', await engine.store.head(), 20_000);
    await first.stop();
    const before = await liveBuild(engine.database, 'signals');
    await restoreStore(position);

    engine.run([signals], { checkLogEvery: 20 });

    await eventually(async () => expect(await slugs()).toEqual(['slug-kept']));
    expect(rebuildReasons()).toEqual([
      {
        model: 'signals',
        input: 'store',
        checkpoint: String(position + 2n),
        log: String(position),
        reason: 'the log ends before the checkpoint',
      },
    ]);
    // These get positions that the old rows had passed.
    await add('next');
    await eventually(async () => expect(await slugs()).toEqual(['slug-kept', 'slug-next']));
    const live = await liveBuild(engine.database, 'signals');
    expect(live?.name).not.toBe(before?.name);
    expect(await checkpoint(engine.database, live?.name ?? '', STORE)).toBe(position + 1n);
  });

  it.each([
    ['PostgreSQL', 'every model', onPostgres, () => true],
    ['EventStoreDB', 'its models', onEventStore, ({ name }: Model) => ['signals', 'accounts'].includes(name)],
  ] as const)(
    'given %s, when new events have passed the checkpoints by the next start, rebuilds %s',
    async (_, __, start, isRun) => {
      const { store: before, restore } = await start();
      let store: EventStore = before;
      const models = readModels({ baseUrl: 'https://clarity.test' }).filter(isRun);
      const following = models.filter(({ prefixes }) => prefixes.length > 0);
      const history = [...signalHistory(120)];
      const append = async (from: number, to: number): Promise<void> => {
        for (const { stream, event } of history.slice(from, to)) await store.append(stream, [event], 'any');
      };
      const reached = async (): Promise<void> => {
        const head = await store.head();
        await vi.waitFor(
          async () => {
            for (const { name } of following)
              expect(await waitForPosition(engine.database, name, head, 0), name).toBe(true);
          },
          { timeout: 60_000, interval: 100 },
        );
      };
      await append(0, 30);
      const kept = await store.head();
      const first = engine.run(models, { store });
      await append(30, 50);
      await reached();
      await first.stop();
      store = await restore(kept);
      // From here on every event has another place.
      await store.append(signalStream(idOf('other')), [detected('other')], 'none');
      await append(30, 120);

      const second = engine.run(models, { store });
      await vi.waitFor(
        () =>
          expect(
            rebuildReasons()
              .map((about) => (about as { model: string }).model)
              .toSorted(),
          ).toEqual(following.map(({ name }) => name).toSorted()),
        { timeout: 60_000, interval: 100 },
      );
      await reached();
      await second.stop();

      for (const model of following) {
        const { verification } = await replay({ ...engine, store, model, verify: true, swap: false, signal: never });
        expect(verification, model.name).toMatchObject({ equal: true });
      }
    },
    // 29 models are built twice and compared.
    180_000,
  );

  it.each([
    ['PostgreSQL', onPostgres],
    ['EventStoreDB', onEventStore],
  ])('given %s, when other events begin at the same places, it is recognised by their ids', async (_, start) => {
    const { store: before, restore } = await start();
    let store: EventStore = before;
    const append = (name: string) => store.append(signalStream(idOf(name)), [detected(name)], 'none');
    await append('kept');
    const kept = await store.head();
    const first = engine.run([signals], { store });
    const { position } = await append('once');
    await waitForPosition(engine.database, 'signals', position, 20_000);
    await first.stop();
    store = await restore(kept);
    // Of the same length.
    expect((await append('none')).position).toBe(position);
    await append('next');

    engine.run([signals], { store });

    await eventually(async () => expect(await slugs()).toEqual(['slug-kept', 'slug-next', 'slug-none']));
    expect(rebuildReasons()).toMatchObject([{ reason: 'the log has another event at the checkpoint' }]);
  });

  it('given a model that has not moved for a minute, it is stopped only while the log has had more for as long', async () => {
    const projector = engine.run([signals]);
    const [first = 0n] = await add('one');
    await waitForPosition(engine.database, 'signals', first, 20_000);
    await projector.stop();
    const stopped = async () => [...(await stoppedModels(engine, await engine.store.head())).keys()];
    await engine.database.query("UPDATE projector.checkpoints SET moved_at = now() - interval '2 minutes'");
    expect(await stopped()).toEqual([]);
    const now = { ...detected('two'), time: new Date().toISOString() };
    await engine.add(signalStream(idOf('two')), now);
    expect(await stopped()).toEqual([]);
    await engine.database.query('DELETE FROM log.event WHERE position > $1', [first]);
    await add('three');
    expect(await stopped()).toEqual(['signals']);
  });

  it('given a running projector, it detects this too', async () => {
    engine.run([signals], { checkLogEvery: 20 });
    const [position = 0n] = await add('kept');
    await add('lost', 'lost-too');
    await waitForPosition(engine.database, 'signals', await engine.store.head(), 20_000);
    await eventually(async () => expect(await slugs()).toHaveLength(3));

    await restoreStore(position);

    await eventually(async () => expect(await slugs()).toEqual(['slug-kept']));
    expect(rebuildReasons()).toHaveLength(1);
  });

  it('given a replay by hand, it does not wait for the log to come as far as the live rows, and says that they differ', async () => {
    const first = engine.run([signals], { checkLogEvery: 20 });
    const [position = 0n] = await add('kept');
    await add('lost');
    await waitForPosition(engine.database, 'signals', await engine.store.head(), 20_000);
    await first.stop();
    await restoreStore(position);

    const { verification } = await replay({ ...engine, model: signals, verify: true, signal: never });

    expect(verification).toMatchObject({ equal: false });
    expect(await slugs()).toEqual(['slug-kept']);
    const live = await liveBuild(engine.database, 'signals');
    expect(await checkpoint(engine.database, live?.name ?? '', STORE)).toBe(position);
  });

  it('given a topic that ends before the checkpoint, rebuilds the model and handles new messages', async () => {
    const first = engine.run([items], { checkLogEvery: 20 });
    await publish(0, 1, 2, 3);
    await eventually(async () => expect(await itemKeys()).toHaveLength(4));
    await first.stop();
    await restoreTopics(2);

    engine.run([items], { checkLogEvery: 20 });

    await eventually(async () => expect(await itemKeys()).toEqual(['reference/item 0', 'reference/item 1']));
    expect(rebuildReasons()).toMatchObject([
      { model: 'oracle_items', reason: 'the log ends before the checkpoint', log: '2' },
    ]);
    await publish(4);
    await eventually(async () => expect(await itemKeys()).toContain('reference/item 4'));
  });

  it('given restored read models and a group that continued, rebuilds the model from all messages', async () => {
    const first = engine.run([items], { checkLogEvery: 20 });
    await publish(0, 1, 2, 3);
    await eventually(async () => expect(await itemKeys()).toHaveLength(4));
    await eventually(async () => expect((await engine.topics.groups('projector-oracle_items')).length).toBe(1));
    const live = await liveBuild(engine.database, 'oracle_items');
    await eventually(async () => expect(await engine.topics.topic(ITEMS).lag(`projector-${live?.name}`)).toBe(0n));
    await first.stop();
    await engine.database.query(`DELETE FROM ${live?.name}.oracle_items WHERE key >= 'reference/item 2'`);
    await engine.database.query(`UPDATE projector.checkpoints SET position = 2 WHERE position = 4`);

    engine.run([items], { checkLogEvery: 20 });

    await eventually(async () => expect(await itemKeys()).toHaveLength(4));
    expect(rebuildReasons()).toMatchObject([
      { reason: 'the consumer group is ahead of the checkpoint', checkpoint: '2', log: '4' },
    ]);
  });

  it('given logs of one history with the rows, trimmed or not, leaves the builds as they are', async () => {
    engine.run([signals, items], { checkLogEvery: 5 });
    await add('one', 'two');
    await publish(0, 1, 2);
    await eventually(async () => expect(await itemKeys()).toHaveLength(3));
    await waitForPosition(engine.database, 'signals', await engine.store.head(), 20_000);
    const before = await Promise.all(['signals', 'oracle_items'].map((name) => liveBuild(engine.database, name)));
    await engine.database.query('DELETE FROM log.topic_message');

    for (let number = 3; number < 30; number++) {
      await publish(number);
      await add(`n${number}`);
    }
    await eventually(async () => expect(await itemKeys()).toHaveLength(30));
    await eventually(async () => expect(await slugs()).toHaveLength(29));

    expect(await Promise.all(['signals', 'oracle_items'].map((name) => liveBuild(engine.database, name)))).toEqual(
      before,
    );
    expect(rebuildReasons()).toEqual([]);
  });

  it('given a build that is replaced and dropped during a check, its consumer group is no contradiction', async () => {
    const projector = engine.run([items], { checkLogEvery: 20 });
    await publish(0, 1);
    await eventually(async () => expect(await itemKeys()).toHaveLength(2));
    await projector.stop();
    const live = (await liveBuild(engine.database, 'oracle_items')) ?? expect.unreachable();
    await engine.database.query('DELETE FROM projector.builds WHERE name = $1', [live.name]);

    expect(await engine.topics.groups('projector-')).toEqual([`projector-${live.name}`]);
    expect(await findMismatch(engine, items, live, never)).toBeNull();
  });

  it('given a replay by hand of a model whose topic is quiet, the projector follows the new build', async () => {
    engine.run([items], { checkLogEvery: 20 });
    await publish(0, 1);
    await eventually(async () => expect(await itemKeys()).toHaveLength(2));

    await replay({ ...engine, model: items, signal: never });

    const live = await liveBuild(engine.database, 'oracle_items');
    await eventually(async () => expect(await engine.topics.groups('projector-')).toEqual([`projector-${live?.name}`]));
  });
});
