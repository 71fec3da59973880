import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveBuild } from '../../projector/model-builds.ts';
import { keptWhileUnchanged, waitForPosition } from '../../projector/model-progress.ts';
import { type SignalRow, signalsModel } from '../../projector/models/signals-read-model.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { sourceHealthModel } from '../../projector/models/source-health-read-model.ts';
import { dropParked, listParked } from '../../projector/parked-events.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import type { Model } from '../../projector/read-model.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { OtherVersionLive, retryParked } from '../../projector/retry-parked.ts';
import { loadRows } from '../../projector/row-storage.ts';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { POLLS } from '../../schemas/poll.ts';
import { eventId, type SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import { sourceStream } from '../../schemas/source.ts';
import { eventually } from '../harness/eventually.ts';
import { sourceId } from '../harness/ids.ts';
import { type Engine, testEngine } from './engine.ts';
import { storedEvent } from './given-when-then.ts';
import { anyHistory } from './histories.ts';
import { detected, idOf, merged, report, reported, revised } from './signal-events.ts';
import { added, polled } from './source-events.ts';

const never = new AbortController().signal;
const sound = signalsModel({ baseUrl: 'https://clarity.test' });
/** Events that the models below refuse for the time being. */
const refused = new Set<string>();
const refusing = <Row>(model: Model<Row>): Model<Row> => ({
  ...model,
  evolve(row, event, key, before) {
    if (refused.has(event.id)) throw new Error('a defect of the model, to be fixed');
    return model.evolve(row, event, key, before);
  },
});
const model = refusing(sound);
let engine: Engine;

beforeEach(async () => {
  refused.clear();
  engine = await testEngine();
});
afterEach(() => engine.close());

const add = (name: string, ...events: KnownEvent[]): Promise<bigint> => engine.add(signalStream(idOf(name)), ...events);
const seen = (position: bigint, name = 'signals') => waitForPosition(engine.database, name, position, 10_000);
/** A projector whose first build is live: what it refuses from now on is parked. */
const start = async (chosen: Model, own: Engine = engine) => {
  const projector = own.run([chosen]);
  await eventually(async () => expect((await liveBuild(own.database, chosen.name))?.version).toBe(chosen.version));
  return projector;
};
const row = async (name: string): Promise<SignalRow | null> => {
  const live = await liveBuild(engine.database, 'signals');
  return (await loadRows(engine.database, sound, live?.name ?? '', [idOf(name)])).get(idOf(name)) ?? null;
};
const parked = async (name = 'signals') => listParked(engine.database, name);
const retryAll = async (chosen: Model = model) =>
  retryParked({ ...engine, model: chosen, entries: await parked(chosen.name), signal: never });
const differences = async (chosen: Model = model) =>
  (await replay({ ...engine, model: chosen, verify: true, swap: false, signal: never })).verification?.examples;

describe('retrying parked events', () => {
  it('given a revision that was refused and a later one that was not, puts the first in its place before the other', async () => {
    const first = revised('one', 1, { headline: 'The first wording' });
    refused.add(first.id);
    await start(model);
    await add('one', detected('one'), first);
    await seen(await add('one', revised('one', 2, { headline: 'The last wording' })));
    refused.clear();
    let loads = 0;
    const kept = keptWhileUnchanged(engine.database, async () => [++loads], { models: ['signals'], maximum: 1 });
    expect([await kept('one'), await kept('one')]).toEqual([1, 1]);

    const outcome = await retryAll();

    // No checkpoint moves, and yet the rows are others.
    expect(await kept('one')).toBe(2);

    expect(outcome).toEqual([{ model: 'signals', event_id: first.id, way: 'refolded', error: null, rows: 1 }]);
    expect((await row('one'))?.text.headline).toBe('The last wording');
    expect((await row('one'))?.revisions.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(await parked()).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('given the parked detection that other events need, applies all of them, also to the signal that it was merged into', async () => {
    const first = detected('one');
    refused.add(first.id);
    await start(model);
    await add('two', detected('two'));
    await add('one', first, reported('one', report('again', { outlet: 'Second', source_id: sourceId('second') })));
    await seen(await add('one', merged('one', 'two')));
    expect(await parked()).toHaveLength(3);
    refused.clear();

    const outcome = await retryAll();

    expect(outcome.map(({ error }) => error)).toEqual([null, null, null]);
    expect((await row('two'))?.reports).toHaveLength(3);
    expect(await differences()).toEqual([]);
  });

  it('given one event that still fails and one that does not, handles the one and keeps the other with its error', async () => {
    const [good, bad] = [revised('one', 1, { headline: 'Taken later' }), { ...detected('two'), data: {} }];
    refused.add(good.id);
    await start(model);
    await add('one', detected('one'), good);
    await engine.add(signalStream(idOf('two')), bad);
    await seen(await add('three', { ...detected('three') }));
    refused.clear();

    const outcome = await retryAll();

    expect(outcome.filter(({ error }) => error === null).map(({ event_id }) => event_id)).toEqual([good.id]);
    expect((await parked()).map(({ event_id }) => event_id)).toEqual([bad.id]);
    expect((await row('one'))?.text.headline).toBe('Taken later');
  });

  it('given a row that no table accepts, finds the event that causes it and applies the others', async () => {
    const [good, bad] = [revised('one', 1, { headline: 'Taken later' }), detected('two')];
    refused.add(good.id);
    await start(model);
    await add('one', detected('one'), good);
    await engine.add(signalStream(idOf('two')), {
      ...bad,
      data: { ...bad.data, published_at: '0000-01-01T00:00:00Z' },
    });
    await seen(await add('three', detected('three')));
    refused.clear();

    await retryAll();

    expect((await parked()).map(({ event_id }) => event_id)).toEqual([bad.id]);
    expect((await row('one'))?.text.headline).toBe('Taken later');
  });

  it('given any history of which any events were refused, ends with the rows of a rebuild', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), async (history, chances) => {
        const own = await testEngine();
        try {
          for (const event of history) if (chances.next().value === 0) refused.add(event.id);
          const projector = await start(model, own);
          for (const event of history) {
            const { signal_id } = event.data as { signal_id: SignalId };
            await own.add(signalStream(signal_id), event);
          }
          await waitForPosition(own.database, 'signals', await own.store.head(), 10_000);
          refused.clear();
          const entries = await listParked(own.database, 'signals');
          await retryParked({ ...own, model, entries, signal: never });
          expect(await listParked(own.database, 'signals')).toEqual([]);
          const { verification } = await replay({ ...own, model, verify: true, swap: false, signal: never });
          expect(verification?.examples).toEqual([]);
          await projector.stop();
        } finally {
          await own.close();
        }
      }),
      { numRuns: 3 },
    );
  });

  it('given a running projector, loses and duplicates nothing', async () => {
    const late = reported('one', report('late', { outlet: 'Late', source_id: sourceId('late') }));
    refused.add(late.id);
    await start(model);
    await seen(await add('one', detected('one'), late));
    refused.clear();
    const writing = (async () => {
      for (let number = 0; number < 60; number++)
        await add(
          'one',
          reported('one', report(`r${number}`, { outlet: `Outlet ${number}`, source_id: sourceId(`s${number}`) })),
        );
    })();

    await retryAll();

    await writing;
    await seen(await engine.store.head());
    expect((await row('one'))?.reports).toHaveLength(62);
    expect(await differences()).toEqual([]);
  });

  it('given an event for which the rebuild of a next version waits, keeps it in the rows that are folded again', async () => {
    const [first, bad] = [reported('one', report('again', { outlet: 'Second' })), revised('one', 1, {})];
    refused.add(bad.id);
    const projector = await start(model);
    await seen(await add('one', detected('one'), first, bad));
    await projector.stop();
    refused.add(first.id);
    await expect(replay({ ...engine, model: { ...model, version: 'cccccccccccc' }, signal: never })).rejects.toThrow(
      `stopped at event ${first.id}`,
    );
    refused.clear();

    const entries = (await parked()).filter(({ event_id }) => event_id === bad.id);
    await retryParked({ ...engine, model, entries, signal: never });

    expect((await row('one'))?.reports).toHaveLength(2);
    expect(await parked()).toMatchObject([{ event_id: first.id, stops: true }]);
  });

  it('given live rows of another version, says what is live and changes nothing', async () => {
    const bad = revised('one', 1, {});
    refused.add(bad.id);
    await start(model);
    await seen(await add('one', detected('one'), bad));

    const retrying = retryAll({ ...model, version: 'cccccccccccc' });

    await expect(retrying).rejects.toThrow(OtherVersionLive);
    await expect(retrying).rejects.toThrow(`${model.version}, and this program has cccccccccccc`);
    expect(await parked()).toHaveLength(1);
  });
});

describe('retrying events of a model that topics feed as well', () => {
  const sources = refusing(sourceHealthModel());
  const health = async () => {
    await prepareReadModels(engine.database, [sound]);
    return (await healthSnapshot(engine.database, engine.clock())).sources[0];
  };

  it('given a poll that was refused, adds it once, however often it is retried', async () => {
    const poll = polled({ items_new: 3 });
    refused.add(poll.id);
    await start(sources);
    await engine.add(sourceStream(sourceId('daily-trade')), added());
    await engine.topics.topic(POLLS).publish([{ key: 'daily-trade', event: poll }]);
    await eventually(async () => expect(await parked('source_health')).toHaveLength(1));
    refused.clear();
    const entries = await parked('source_health');

    const outcome = await retryParked({ ...engine, model: sources, entries, signal: never });
    await retryParked({ ...engine, model: sources, entries, signal: never });

    expect(outcome).toMatchObject([{ way: 'applied', error: null, rows: 1 }]);
    expect(await differences(sources)).toEqual([]);
    expect((await health())?.last_polled_at).toBe('2026-11-20T01:00:00.000Z');
  });

  it('given a parked event of the store, rebuilds the model', async () => {
    const move = storedEvent('SourceMoved', {
      by: 'roster',
      why: 'a lasting 301',
      source_id: sourceId('daily-trade'),
      from: 'https://outlet.test/feed',
      to: 'https://outlet.test/moved',
    });
    refused.add(move.id);
    await start(sources);
    await seen(await engine.add(sourceStream(sourceId('daily-trade')), added(), move), 'source_health');
    refused.clear();

    const outcome = await retryAll(sources);

    expect(outcome).toMatchObject([{ way: 'rebuilt', error: null, rows: null }]);
    expect((await health())?.url).toBe('https://outlet.test/moved');
    expect(await parked('source_health')).toEqual([]);
  });
});

describe('dropping a parked event', () => {
  it('given an event that every rebuild would stop at, makes rebuilds skip it and keeps who dropped it and why', async () => {
    const bad = { ...detected('two'), data: {} };
    await start(model);
    await add('one', detected('one'));
    await seen(await engine.add(signalStream(idOf('two')), bad));
    await engine.database.query('DELETE FROM projector.parked');
    await expect(replay({ ...engine, model, signal: never })).rejects.toThrow(`stopped at event ${bad.id}`);

    await dropParked(engine.database, 'signals', bad.id, { by: 'asha', why: 'written by a test' });

    await replay({ ...engine, model, signal: never });
    expect(await parked()).toMatchObject([{ skipped: true, dropped_by: 'asha', dropped_why: 'written by a test' }]);
  });

  it('given a version that accepts what the one before refused, forgets that it was parked when that version goes live', async () => {
    const late = newEvent(
      'SignalAnalysed',
      { signal_id: idOf('one'), why_it_matters: 'w', what_to_watch: null, by: 'rules' },
      { id: eventId('late'), time: '2026-11-20T06:00:00Z' },
    );
    refused.add(late.id);
    const old = await start(model);
    await seen(await add('one', detected('one'), late));
    await old.stop();
    const next: Model = { ...sound, version: 'eeeeeeeeeeee' };

    engine.run([next]);

    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(next.version));
    expect(await parked()).toEqual([]);
    expect((await row('one'))?.why_it_matters).toBe('w');
  });
});
