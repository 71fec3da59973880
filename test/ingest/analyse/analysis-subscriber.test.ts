import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { analyseSignal, runAnalyse } from '../../../ingest/analyse.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandsModel } from '../../../projector/models/brands-themes-read-models.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { detected, held, idOf, opening, released, revised, understanding } from '../../projector/signal-events.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await testEngine();
  engine.run([brandsModel(), signalsModel({ baseUrl: 'https://clarity.test' })]);
});
afterEach(() => engine.close());

const projected = async (position: bigint): Promise<boolean> =>
  (await waitForPosition(engine.database, 'brands', position, 2_000)) &&
  (await waitForPosition(engine.database, 'signals', position, 2_000));

function start() {
  const controller = new AbortController();
  const running = runAnalyse({
    ...{ store: engine.store, database: engine.database, clock: engine.clock, projected },
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
const planned = (stores: number) => understanding({ openings: [opening({ status: 'planned', stores, city: null })] });
const analyses = async (name: string) =>
  (await engine.store.read(signalStream(idOf(name)))).filter(({ type }) => type === 'SignalAnalysed');
const said = async (name: string) => (await analyses(name)).map(({ data }) => data);
const watch = (stores: number, name: string) => ({
  ...{ signal_id: idOf(name), by: 'rules', why_it_matters: null },
  what_to_watch: `How many of the ${stores} announced stores open, and where.`,
});

describe('the analyser', () => {
  it('given signals from before and after its start, then each is analysed once, over restarts too', async () => {
    await add('old', detected('old', { understanding: planned(30), published_at: '2026-11-19T00:00:00Z' }));
    const stop = start();
    await vi.waitFor(async () => expect(await said('old')).toEqual([watch(30, 'old')]), WAIT_OPTIONS);
    await add('new', detected('new', { understanding: planned(12) }));
    await vi.waitFor(async () => expect(await said('new')).toEqual([watch(12, 'new')]), WAIT_OPTIONS);
    await stop();
    const stopAgain = start();
    await add('last', detected('last', { understanding: planned(7), published_at: '2026-11-20T06:00:00Z' }));
    await vi.waitFor(async () => expect(await said('last')).not.toEqual([]), WAIT_OPTIONS);
    await stopAgain();
    expect(await analyses('old')).toHaveLength(1);
    expect(await analyses('new')).toHaveLength(1);
  });

  it('given a held signal, then it is analysed when it is released', async () => {
    await add('h', detected('h', { understanding: planned(9) }), held('h'));
    const stop = start();
    await add('marker', detected('marker', { understanding: planned(5) }));
    await vi.waitFor(async () => expect(await said('marker')).toHaveLength(1), WAIT_OPTIONS);
    expect(await said('h')).toEqual([]);
    await add('h', released('h'));
    await vi.waitFor(async () => expect(await said('h')).toEqual([watch(9, 'h')]), WAIT_OPTIONS);
    await stop();
  });

  it('given a corrected text, then the analysis follows it', async () => {
    const position = await add('r', detected('r', { understanding: planned(40) }));
    await projected(position);
    expect(await analyseSignal(engine.store, engine.database, idOf('r'))).toBe(true);
    expect(await analyseSignal(engine.store, engine.database, idOf('r'))).toBe(false);
    await add('r', revised('r', 1, planned(4)));
    expect(await analyseSignal(engine.store, engine.database, idOf('r'))).toBe(true);
    expect(await said('r')).toEqual([watch(40, 'r'), watch(4, 'r')]);
  });

  it('given earlier stories of the brand, then only those before the signal count', async () => {
    const at = (name: string, published_at: string) => add(name, detected(name, { published_at }));
    await at('one', '2026-11-01T00:00:00Z');
    await at('two', '2026-11-05T00:00:00Z');
    await at('before', '2026-10-01T00:00:00Z');
    const position = await at('late', '2026-11-21T00:00:00Z');
    await add('x', detected('x', { published_at: '2026-11-18T00:00:00Z' }));
    await projected(position + 1n);
    await analyseSignal(engine.store, engine.database, idOf('x'));
    expect(await said('x')).toMatchObject([
      { why_it_matters: 'It is the third store move of Kiri Foods in 30 days, after one in the 30 days before.' },
    ]);
  });
});
