import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkpoint, liveBuild, STORE } from '../../../projector/model-builds.ts';
import { latestRebuilds, waitForPosition } from '../../../projector/model-progress.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { dropParked } from '../../../projector/parked-events.ts';
import { type Progress, replay } from '../../../projector/rebuild/replay-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { type Engine, testEngine } from '../engine.ts';
import { detected, idOf, merged, report, reported, revised } from '../signal-events.ts';

const model = signalsModel({ baseUrl: 'https://clarity.test' });
let engine: Engine;
const never = new AbortController().signal;

const add = (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<bigint> =>
  engine.add(signalStream(idOf(name)), ...events);
const seen = (position: bigint) => waitForPosition(engine.database, 'signals', position, 10_000);
const schemas = async (): Promise<string[]> => {
  const { rows } = await engine.database.query<{ nspname: string }>(
    `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'signals%' ORDER BY nspname`,
  );
  return rows.map((row) => row.nspname);
};

beforeEach(async () => {
  engine = await testEngine();
  engine.run([model]);
  await add('one', detected('one'), reported('one', report('again', { outlet: 'Second' })));
  await add('two', detected('two'), revised('two', 1, { headline: 'Kiri Foods opens 50 stores' }));
  await seen(await add('one', merged('one', 'two')));
});
afterEach(() => engine.close());

describe('replay', () => {
  it('given rows that were folded live, rebuilds the very same ones and swaps to them', async () => {
    const before = await liveBuild(engine.database, 'signals');
    const progress: Progress[] = [];

    const result = await replay({
      ...engine,
      model,
      verify: true,
      signal: never,
      onProgress: (now) => progress.push(now),
    });

    expect(result).toMatchObject({ swapped: true, verification: { equal: true, differences: 0 } });
    expect(result.verification?.live_checksum).toBe(result.verification?.rebuilt_checksum);
    expect(result.verification?.keys).toBe(5);
    expect((await liveBuild(engine.database, 'signals'))?.name).not.toBe(before?.name);
    expect(progress.at(-1)).toMatchObject({ model: 'signals', phase: 'indexing', events: 5 });
    expect(await latestRebuilds(engine.database)).toMatchObject([
      { model: 'signals', state: 'live', share: 1, events: 5, error: null },
    ]);
  });

  it('given a row that was changed by hand, names and repairs it', async () => {
    const live = await liveBuild(engine.database, 'signals');
    await engine.database.query(`UPDATE ${live?.name}.signals SET outlets = 7 WHERE key = $1`, [idOf('two')]);
    await engine.database.query(`DELETE FROM ${live?.name}.signal_brands`);

    const { verification } = await replay({ ...engine, model, verify: true, signal: never });

    expect(verification).toMatchObject({
      equal: false,
      differences: 2,
      examples: [
        { table: 'signals', key: idOf('two'), what: 'changed' },
        { table: 'signal_brands', key: idOf('two'), what: 'missing' },
      ],
    });
    const { rows } = await engine.database.query('SELECT outlets FROM read.signals WHERE key = $1', [idOf('two')]);
    expect(rows).toEqual([{ outlets: 2 }]);
  });

  it('given a running projector, it continues with the new build', async () => {
    await replay({ ...engine, model, signal: never });

    expect(await seen(await add('three', detected('three')))).toBe(true);
    const { rowCount } = await engine.database.query('SELECT 1 FROM read.signals');
    expect(rowCount).toBe(3);
  });

  it('given a cancellation, leaves the live build as it was, and the next one continues with the same tables', async () => {
    const before = await liveBuild(engine.database, 'signals');
    const cancelled = async (anew: boolean): Promise<string[]> => {
      const cancel = new AbortController();
      const onProgress = ({ phase }: Progress) => phase === 'indexing' && cancel.abort();
      const replaying = replay({ ...engine, model, signal: cancel.signal, anew, onProgress });
      await expect(replaying).rejects.toThrow('aborted');
      return (await schemas()).filter((name) => name !== before?.name);
    };

    const [first, ...others] = await cancelled(false);

    expect(others).toEqual([]);
    expect(await latestRebuilds(engine.database)).toMatchObject([{ state: 'failed', error: 'stopped' }]);
    expect(await liveBuild(engine.database, 'signals')).toEqual(before);
    const [anew, ...rest] = await cancelled(true);
    expect(anew).not.toBe(first);
    expect(rest).toEqual([]);
    const progress: Progress[] = [];
    const onProgress = (now: Progress) => progress.push(now);
    const continued = await replay({ ...engine, model, verify: true, signal: never, onProgress });
    expect(continued).toMatchObject({ swapped: true, verification: { equal: true, keys: 5 } });
    // The history is not read again.
    expect(progress.every(({ events }) => events === 0)).toBe(true);
    expect(await schemas()).toEqual([anew]);
  });

  it('given two replays at once, each fills tables of its own', async () => {
    const both = await Promise.all([1, 2].map(() => replay({ ...engine, model, verify: true, signal: never })));

    expect(both).toMatchObject([
      { swapped: true, verification: { equal: true, keys: 5 } },
      { swapped: true, verification: { equal: true, keys: 5 } },
    ]);
    expect(await schemas()).toEqual([(await liveBuild(engine.database, 'signals'))?.name]);
  });

  it('given an interrupted rebuild of another release, begins anew and drops what that one built', async () => {
    const cancel = new AbortController();
    const interrupted = replay({ ...engine, model, signal: cancel.signal, onProgress: () => cancel.abort() });
    await expect(interrupted).rejects.toThrow('aborted');
    expect(await schemas()).toHaveLength(2);

    await replay({ ...engine, model: { ...model, version: 'eeeeeeeeeeee' }, signal: never });

    expect(await schemas()).toEqual([expect.stringContaining('signals_eeeeeeeeeeee_')]);
  });

  it('given an event that the live build has parked, parks it too and names it', async () => {
    const orphan = reported('four', report('four'));
    await seen(await add('four', orphan));

    expect(await replay({ ...engine, model, verify: true, signal: never })).toMatchObject({
      swapped: true,
      verification: { equal: true },
      parked: [orphan.id],
    });
  });

  it('stops at an event that the model refuses, and continues without it', async () => {
    const services = { ...engine, model, signal: never };
    const orphan = reported('four', report('four'));
    await seen(await add('four', orphan));

    // Of an earlier release, say, that did not park it.
    await engine.database.query('DELETE FROM projector.parked');

    await expect(replay(services)).rejects.toThrow(`stopped at event ${orphan.id}`);

    await dropParked(engine.database, 'signals', orphan.id, { by: 'an operator', why: 'not ours' });
    expect(await replay({ ...services, verify: true })).toMatchObject({ swapped: true, verification: { equal: true } });
  });

  it('given no swap, only compares', async () => {
    const before = await liveBuild(engine.database, 'signals');

    const result = await replay({ ...engine, model, verify: true, swap: false, signal: never });

    expect(result).toMatchObject({ swapped: false, verification: { equal: true } });
    expect(await latestRebuilds(engine.database)).toMatchObject([{ state: 'dropped', error: null }]);
    expect(await schemas()).toEqual([before?.name]);
    expect(await checkpoint(engine.database, before?.name ?? '', STORE)).toBe(await engine.store.head());
  });
});
