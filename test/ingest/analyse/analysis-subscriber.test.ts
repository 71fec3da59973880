import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { analyseSignal, runAnalyse } from '../../../ingest/analyse.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { movesModel } from '../../../projector/models/moves-read-model.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import {
  appointment,
  detected,
  held,
  idOf,
  merged,
  opening,
  released,
  revised,
  understanding,
} from '../../projector/signal-events.ts';
import { companies } from './recorded-moves.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await testEngine();
  engine.run([movesModel(), signalsModel({ baseUrl: 'https://clarity.test' })]);
});
afterEach(() => engine.close());

const projected = async (position: bigint): Promise<boolean> =>
  (await waitForPosition(engine.database, 'moves', position, 20_000)) &&
  (await waitForPosition(engine.database, 'signals', position, 20_000));

function start() {
  const controller = new AbortController();
  const running = runAnalyse({
    store: engine.store,
    database: engine.database,
    clock: engine.clock,
    companies,
    projected,
    logger: pino({ level: 'silent' }),
    signal: controller.signal,
  });
  return async (): Promise<void> => {
    controller.abort();
    await running;
  };
}

const add = (name: string, ...events: Parameters<Engine['add']>[1][]) =>
  engine.add(signalStream(idOf(name)), ...events);
/** A store that is to open on a day of December. */
const planned = (day: number) =>
  understanding({
    headline: 'Kiri Foods to open store in Pune',
    openings: [opening({ status: 'planned', date: `2026-12-${String(day).padStart(2, '0')}` })],
  });
const analyses = async (name: string) =>
  (await engine.store.read(signalStream(idOf(name)))).filter(({ type }) => type === 'SignalAnalysed');
const said = async (name: string) => (await analyses(name)).map(({ data }) => data);
const watch = (day: number, name: string) => {
  const text = `The opening at Pune is announced for ${day} December 2026.`;
  return {
    signal_id: idOf(name),
    by: 'rules',
    why_it_matters: null,
    what_to_watch: text,
    sentences: [{ field: 'what_to_watch', text, signals: [] }],
  };
};
const sources = () => ({ store: engine.store, database: engine.database, companies });

describe('the analyser', () => {
  it('given signals from before and after its start, then each is analysed once, over restarts too', async () => {
    await add('old', detected('old', { understanding: planned(30), published_at: '2026-11-19T00:00:00Z' }));
    const stop = start();
    await eventually(async () => expect(await said('old')).toMatchObject([watch(30, 'old')]));
    await add('new', detected('new', { understanding: planned(12) }));
    await eventually(async () => expect(await said('new')).toMatchObject([watch(12, 'new')]));
    await stop();
    const stopAgain = start();
    await add('last', detected('last', { understanding: planned(7), published_at: '2026-11-20T06:00:00Z' }));
    await eventually(async () => expect(await said('last')).not.toEqual([]));
    await stopAgain();
    expect(await analyses('old')).toHaveLength(1);
    expect(await analyses('new')).toHaveLength(1);
  });

  it('given a held signal, then it is analysed when it is released', async () => {
    await add('h', detected('h', { understanding: planned(9) }), held('h'));
    const stop = start();
    await add('marker', detected('marker', { understanding: planned(5) }));
    await eventually(async () => expect(await said('marker')).toHaveLength(1));
    expect(await said('h')).toEqual([]);
    await add('h', released('h'));
    await eventually(async () => expect(await said('h')).toMatchObject([watch(9, 'h')]));
    await stop();
  });

  it('given a corrected text, then the analysis follows it', async () => {
    const position = await add('r', detected('r', { understanding: planned(24) }));
    await projected(position);
    expect(await analyseSignal(sources(), idOf('r'))).toBe(true);
    expect(await analyseSignal(sources(), idOf('r'))).toBe(false);
    await projected(await add('r', revised('r', 1, planned(4))));
    expect(await analyseSignal(sources(), idOf('r'))).toBe(true);
    expect(await said('r')).toMatchObject([watch(24, 'r'), watch(4, 'r')]);
  });

  const exit = (published_at: string, person: string, changes = {}) => ({
    published_at,
    understanding: understanding({
      move: 'people',
      headline: `${person} leaves Kiri Foods as CFO`,
      people: [appointment({ person, direction: 'left' })],
      ...changes,
    }),
  });
  const second = 'It is the second C-suite exit at Kiri Foods on record since 1 October 2026';
  const newest = async (name: string) => (await said(name)).at(-1);

  it('given earlier signals, then only those before the signal count, and they are cited', async () => {
    await add('before', detected('before', exit('2026-10-01T00:00:00Z', 'Dev Amar')));
    const position = await add('late', detected('late', exit('2026-11-19T00:00:00Z', 'Asha Orion')));
    await add('x', detected('x', exit('2026-11-18T00:00:00Z', 'Meera Kalyani')));
    await projected(position + 1n);
    await analyseSignal(sources(), idOf('x'));
    expect(await said('x')).toMatchObject([
      { why_it_matters: expect.stringContaining(second), sentences: [{ signals: [idOf('before')] }, {}] },
    ]);
  });

  it.each([
    ['held', 'before', held('before')],
    ['merged into another', 'before', merged('before', 'other')],
    [
      'corrected',
      'before',
      revised('before', 1, exit('', 'Dev Amar', { people: [appointment({ person: 'Dev Amar' })] }).understanding),
    ],
  ])('given a signal that was counted, when it is %s, then the sentence is withdrawn', async (_, name, change) => {
    await add(
      'other',
      detected('other', { ...exit('2026-10-01T00:00:00Z', 'Dev Amar'), understanding: understanding({ brands: [] }) }),
    );
    await add('before', detected('before', exit('2026-10-02T00:00:00Z', 'Dev Amar')));
    await add('x', detected('x', exit('2026-11-18T00:00:00Z', 'Meera Kalyani')));
    const stop = start();
    await eventually(async () =>
      expect(await newest('x')).toMatchObject({ why_it_matters: expect.stringContaining(second) }),
    );
    await add(name, change);
    await eventually(async () => expect(await newest('x')).toMatchObject({ why_it_matters: null }));
    await stop();
  });

  it('given an earlier signal that comes to be an exit, then a later one counts it', async () => {
    await add(
      'before',
      detected('before', exit('2026-10-01T00:00:00Z', 'Dev Amar', { people: [], headline: 'Kiri Foods news' })),
    );
    await add('x', detected('x', exit('2026-11-18T00:00:00Z', 'Meera Kalyani')));
    const stop = start();
    await eventually(async () =>
      expect(await newest('x')).toMatchObject({
        why_it_matters: null,
        sentences: [{ field: 'background', text: expect.stringContaining('Earlier on') }, {}],
      }),
    );
    await add('before', revised('before', 1, exit('', 'Dev Amar').understanding));
    await eventually(async () =>
      expect(await newest('x')).toMatchObject({ why_it_matters: expect.stringContaining(second) }),
    );
    await stop();
  });
});
