import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { query } from '../../log/postgres/database.ts';
import { liveBuild } from '../../projector/model-builds.ts';
import { latestRebuilds, waitForPosition } from '../../projector/model-progress.ts';
import { signalsModel } from '../../projector/models/signals-read-model.ts';
import { dropParked, listParked } from '../../projector/parked-events.ts';
import { prepareReadModels, promoteEmpty } from '../../projector/promote-build.ts';
import type { Model } from '../../projector/read-model.ts';
import { retryParked } from '../../projector/retry-parked.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { sourceId } from '../harness/ids.ts';
import { type Engine, testEngine } from './engine.ts';
import { detected, idOf, report, reported } from './signal-events.ts';

const model = signalsModel({ baseUrl: 'https://clarity.test' });
let engine: Engine;
const never = new AbortController().signal;

beforeEach(async () => {
  engine = await testEngine();
});
afterEach(() => engine.close());

const add = (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<bigint> =>
  engine.add(signalStream(idOf(name)), ...events);

const Row = z.object({ slug: z.string(), outlets: z.int() });
const rows = () => query(engine.database, 'SELECT slug, outlets FROM read.signals ORDER BY slug', [], Row);
const seen = (position: bigint) => waitForPosition(engine.database, 'signals', position, 10_000);

describe('the projector', () => {
  it('given events before and after its start, shows both to readers', async () => {
    await add('one', detected('one'));
    engine.run([model]);
    const position = await add(
      'one',
      reported('one', report('other', { outlet: 'Second', source_id: sourceId('second') })),
    );

    expect(await seen(position)).toBe(true);

    expect(await rows()).toEqual([{ slug: 'slug-one', outlets: 2 }]);
  });

  it('given no events, goes on with the empty tables that readers see, unless another version created them', async () => {
    await prepareReadModels(engine.database, [model]);
    const empty = await liveBuild(engine.database, 'signals');
    expect(await promoteEmpty(engine.database, { ...model, version: 'aaaaaaaaaaaa' })).toBe(false);
    engine.run([model]);
    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(model.version));

    expect(await seen(await add('one', detected('one')))).toBe(true);

    expect(await liveBuild(engine.database, 'signals')).toEqual({ ...empty, version: model.version });
    expect(await latestRebuilds(engine.database)).toEqual([]);
    expect(await rows()).toEqual([{ slug: 'slug-one', outlets: 1 }]);
  });

  it('given a position that no projector reaches, times out with that message', async () => {
    expect(await waitForPosition(engine.database, 'signals', 1n, 20)).toBe(false);
  });

  it('given two projectors, leaves the work to one, and to the other when the first stops', async () => {
    const first = engine.run([model]);
    await seen(await add('one', detected('one')));
    engine.run([model]);
    await eventually(() =>
      expect(engine.logger.lines.map((line) => line.message)).toContainEqual(
        expect.stringContaining('waiting as a standby'),
      ),
    );

    await first.stop();

    expect(await seen(await add('two', detected('two')))).toBe(true);
    expect(await rows()).toHaveLength(2);
  });

  it('given an event that it cannot take, parks that one and goes on', async () => {
    engine.run([model]);
    await seen(await add('zero', detected('zero')));
    const bad = { ...detected('one'), data: { signal_id: 'not an id' } };
    const orphan = reported('two', report('two'));
    await add('one', bad);
    await add('two', orphan);

    expect(await seen(await add('three', detected('three')))).toBe(true);

    const parked = await listParked(engine.database, 'signals');
    expect(new Set(parked.map(({ event_id }) => event_id))).toEqual(new Set([bad.id, orphan.id]));
    expect((await rows()).map(({ slug }) => slug)).toEqual(['slug-three', 'slug-zero']);
  });

  it('given an event whose row no table accepts, parks that one alone', async () => {
    engine.run([model]);
    const bad = detected('one');
    await seen(await add('zero', detected('zero')));
    await add('one', { ...bad, data: { ...bad.data, published_at: '0000-01-01T00:00:00Z' } });

    expect(await seen(await add('two', detected('two')))).toBe(true);

    expect((await listParked(engine.database)).map(({ event_id }) => event_id)).toEqual([bad.id]);
    expect((await rows()).map(({ slug }) => slug)).toEqual(['slug-two', 'slug-zero']);
  });

  it('given a model that replaces another, then the tables of that one are dropped once it is live', async () => {
    const former = { ...model, name: 'facets', version: 'aaaaaaaaaaaa' };
    const first = engine.run([former]);
    expect(await waitForPosition(engine.database, 'facets', await add('one', detected('one')), 10_000)).toBe(true);
    await first.stop();
    const build = await liveBuild(engine.database, 'facets');
    engine.run([model]);

    expect(await seen(await add('two', detected('two')))).toBe(true);

    await eventually(async () => {
      const left = await engine.database.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [build?.name]);
      expect([await liveBuild(engine.database, 'facets'), left.rowCount]).toEqual([null, 0]);
    });
    expect(await rows()).toHaveLength(2);
  });

  it('given a new version and an event that the live build has parked, parks it too and goes live', async () => {
    const first = engine.run([model]);
    await seen(await add('one', detected('one')));
    const bad = { ...detected('two'), data: {} };
    await seen(await add('two', bad));
    await first.stop();
    const next: Model = { ...model, version: 'aaaaaaaaaaaa' };

    engine.run([next]);

    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(next.version));
    const live = await liveBuild(engine.database, 'signals');
    expect(await listParked(engine.database)).toMatchObject([{ event_id: bad.id, build: live?.name, skipped: false }]);
    expect(await rows()).toEqual([{ slug: 'slug-one', outlets: 1 }]);
  });

  describe('given a new version that refuses an event', () => {
    const refused = detected('two');
    let isRefused = true;
    const next: Model = {
      ...(model as Model),
      version: 'aaaaaaaaaaaa',
      evolve(before, event, ...rest) {
        if (isRefused && event.id === refused.id) throw new Error('the next version cannot take it');
        return (model as Model).evolve(before, event, ...rest);
      },
    };
    const stops = () =>
      engine.logger.lines.filter(({ about }) => JSON.stringify(about).includes(`stopped at event ${refused.id}`));
    const waits = (times: number) =>
      eventually(() =>
        expect(
          engine.logger.lines.filter(({ message }) => message.startsWith('the rebuild of a read model waits')),
        ).toHaveLength(times),
      );
    const goesLive = () =>
      eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(next.version));

    beforeEach(async () => {
      isRefused = true;
      const first = engine.run([model]);
      await add('one', detected('one'));
      await seen(await add('two', refused));
      await first.stop();
    });

    it('keeps the old and stops once, until the event is dropped', async () => {
      const second = engine.run([next]);
      await waits(1);
      await second.stop();
      // Nothing has changed: the next start of the same release does not begin again.
      engine.run([next]);
      await waits(2);
      expect(stops()).toHaveLength(1);
      expect((await liveBuild(engine.database, 'signals'))?.version).toBe(model.version);
      expect(await dropParked(engine.database, 'signals', refused.id, { by: 'an operator', why: 'not ours' })).toBe(
        true,
      );

      await goesLive();
      expect(await rows()).toEqual([{ slug: 'slug-one', outlets: 1 }]);
    });

    it('gives way to another release that takes the event, and forgets that it was refused', async () => {
      const stopped = engine.run([next]);
      await waits(1);
      await stopped.stop();

      engine.run([{ ...(model as Model), version: 'bbbbbbbbbbbb' }]);

      await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe('bbbbbbbbbbbb'));
      expect(await rows()).toHaveLength(2);
      expect(await listParked(engine.database)).toEqual([]);
      expect(stops()).toHaveLength(1);
    });

    it('begins again at a retry, and waits again while it still refuses the event', async () => {
      const retry = async () =>
        retryParked({ ...engine, model: next, entries: await listParked(engine.database), signal: never });
      const running = engine.run([next]);
      await waits(1);

      expect(await retry()).toEqual([
        { model: 'signals', event_id: refused.id, way: 'begun again', error: null, rows: null },
      ]);

      await waits(2);
      expect(stops()).toHaveLength(2);
      expect(await listParked(engine.database)).toMatchObject([{ event_id: refused.id, stops: true }]);
      isRefused = false;
      await retry();
      // The next start does not wait to look again, as the running projector did.
      await running.stop();
      engine.run([next]);
      await goesLive();
      expect(await rows()).toHaveLength(2);
      expect(await listParked(engine.database)).toEqual([]);
    });
  });

  it('given a new version while a reader reads, swaps without an error or a gap, and drops the old tables', async () => {
    const first = engine.run([model]);
    for (let number = 0; number < 50; number++) await add(`n${number}`, detected(`n${number}`));
    await seen(await engine.store.head());
    const old = await liveBuild(engine.database, 'signals');
    await first.stop();
    const reading = new AbortController();
    const counts = new Set<number>();
    const reader = (async () => {
      while (!reading.signal.aborted) counts.add((await rows()).length);
    })();

    engine.run([{ ...model, version: 'bbbbbbbbbbbb' }]);
    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe('bbbbbbbbbbbb'));

    reading.abort();
    await reader;
    expect([...counts]).toEqual([50]);
    await eventually(async () => {
      const left = await engine.database.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [old?.name]);
      expect(left.rowCount).toBe(0);
    });
  });

  it('given an old and a new version at once, gives the views to the new one and makes the old one stand by', async () => {
    engine.run([model]);
    await seen(await add('one', detected('one')));
    const next: Model = { ...model, version: 'dddddddddddd' };

    engine.run([next]);
    await eventually(async () => expect((await liveBuild(engine.database, 'signals'))?.version).toBe(next.version));

    expect(await seen(await add('two', detected('two')))).toBe(true);

    await eventually(() =>
      expect(engine.logger.lines.map((line) => line.message)).toContainEqual(
        expect.stringContaining('another version of this read model is live'),
      ),
    );
    expect((await liveBuild(engine.database, 'signals'))?.version).toBe(next.version);
    expect(await rows()).toHaveLength(2);
  });
});
