import { setInterval } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveBuild } from '../../../projector/model-builds.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { readModels } from '../../../projector/models/all-read-models.ts';
import { findBrand, findTheme } from '../../../projector/models/brands-queries.ts';
import { findSignal, listSignals } from '../../../projector/models/signals-queries.ts';
import { healthSnapshot } from '../../../projector/models/source-health-queries.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import { POLLS } from '../../../schemas/poll.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { sourceStream } from '../../../schemas/source.ts';
import { eventually } from '../../harness/eventually.ts';
import { brandSlug, sourceId } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { detected, idOf, merged, report, reported, revised } from '../signal-events.ts';
import { added, polled, SOURCE } from '../source-events.ts';

const FIRST = 80;
/** Milliseconds between two steps of the writer, and of the reader: a busy service, which leaves the replays some room. */
const EVERY = 150;
const models = readModels({ baseUrl: 'https://clarity.test' });
const never = new AbortController().signal;
const NOW = new Date('2026-11-21T04:30:00Z');
let engine: Engine;

beforeEach(async () => {
  engine = await testEngine();
});
afterEach(() => engine.close());

const add = (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<bigint> =>
  engine.add(signalStream(idOf(name)), ...events);

/** The n-th step of a writer: a new signal, and something that happens to an older one. */
async function write(number: number): Promise<void> {
  const name = `s${number}`;
  await add(name, detected(name, { report: report(name, { outlet: `Outlet ${number % 7}` }) }));
  const older = `s${Math.floor(number / 2)}`;
  await add(
    older,
    reported(older, report(`r${number}`, { outlet: `Outlet ${number % 5}`, source_id: sourceId(`o${number % 5}`) })),
  );
  if (number % 3 === 0) await add(name, revised(name, 1, { headline: `Kiri Foods opens ${number} stores` }));
  if (number % 20 === 19) await add(name, merged(name, 's0'));
  if (number % 10 === 0)
    await engine.topics.topic(POLLS).publish([{ key: SOURCE, event: polled({ items_new: 1 }, number / 10) }]);
}

/** Every question that readers ask; throws when one answers with less than it must. */
async function readEverything(database: Engine['database']): Promise<void> {
  const page = await listSignals(database, { limit: 20 });
  expect(page.documents).toHaveLength(20);
  const next = await listSignals(database, {
    limit: 20,
    only: { brand: [brandSlug('kiri-foods')] },
    about: true,
    cursor: page.next_cursor ?? undefined,
  });
  expect(next.documents).toHaveLength(20);
  expect(await findSignal(database, 'slug-s0')).toHaveProperty('document');
  expect(
    await findBrand(database, brandSlug('kiri-foods'), { now: NOW, baseUrl: 'https://clarity.test' }),
  ).not.toBeNull();
  expect(await findTheme(database, 'expansion', { now: NOW, baseUrl: 'https://clarity.test' })).not.toBeNull();
  expect((await healthSnapshot(database, NOW)).sources).toHaveLength(1);
}

describe('replaying every read model next to a running service', () => {
  it('given a writer and readers all the while, never gives an error or an empty answer, and ends equal', {
    timeout: 240_000,
  }, async () => {
    await engine.add(sourceStream(sourceId(SOURCE)), added());
    for (let number = 0; number < FIRST; number++) await write(number);
    engine.run(models);
    for (const { name, version } of models)
      await eventually(async () => expect((await liveBuild(engine.database, name))?.version).toBe(version));
    for (const { name } of models.filter(({ prefixes }) => prefixes.includes('signal-')))
      await waitForPosition(engine.database, name, await engine.store.head(), 20_000);
    await eventually(() => readEverything(engine.database));
    const over = new AbortController();
    let [written, read] = [FIRST, 0];
    const writing = (async () => {
      for await (const _ of setInterval(EVERY)) {
        if (over.signal.aborted) return;
        await write(written++);
      }
    })();
    const reading = (async () => {
      for await (const _ of setInterval(EVERY)) {
        if (over.signal.aborted) return;
        await readEverything(engine.database);
        read += 1;
      }
    })();

    const outcomes = [];
    try {
      for (const model of models) outcomes.push(await replay({ ...engine, model, verify: true, signal: never }));
    } finally {
      over.abort();
    }

    await Promise.all([writing, reading]);
    expect(outcomes.map(({ model, swapped, verification }) => [model, swapped, verification?.examples])).toEqual(
      models.map(({ name }) => [name, true, []]),
    );
    expect(written).toBeGreaterThan(FIRST);
    expect(read).toBeGreaterThan(models.length);
    const head = await engine.store.head();
    for (const model of models.filter(({ name }) => name === 'signals' || name === 'names')) {
      expect(await waitForPosition(engine.database, model.name, head, 20_000)).toBe(true);
      const check = await replay({ ...engine, model, verify: true, swap: false, signal: never });
      expect(check.verification?.examples).toEqual([]);
    }
  });
});
