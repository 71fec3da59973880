import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openingsTable } from '../../../facts/openings/table.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import { resultsTable } from '../../../facts/results/table.ts';
import { applyPage } from '../../../projector/apply-page.ts';
import {
  type Build,
  completeBuild,
  createBuild,
  liveBuild,
  openSession,
  STORE,
} from '../../../projector/model-builds.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { prepareReadModels } from '../../../projector/promote-build.ts';
import type { Model } from '../../../projector/read-model.ts';
import { foldLateEvents, type Part, PartFold, type PlacedEvent } from '../../../projector/rebuild/bulk-fold.ts';
import { compareBuilds } from '../../../projector/rebuild/compare-builds.ts';
import { createIndexes } from '../../../projector/rebuild/fill-build.ts';
import { partOf } from '../../../projector/rebuild/row-blocks.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import { counter } from '../counter.ts';
import { type Engine, testEngine } from '../engine.ts';
import { anyHistory } from '../histories.ts';
import { idOf, report, reported } from '../signal-events.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await testEngine();
});
afterEach(() => engine.close());

interface Way {
  readonly parts: number;
  readonly pageSize: number;
  readonly keptRows: number;
  /** Whether every page is a chunk, or all of them are one. */
  readonly chunkMilliseconds: 0 | 60_000;
  /** After this page the rebuild dies and continues. */
  readonly interruptedAfter: number;
}

const anyWay: fc.Arbitrary<Way> = fc.record({
  parts: fc.constantFrom(1, 2, 4),
  pageSize: fc.integer({ min: 1, max: 9 }),
  keptRows: fc.integer({ min: 0, max: 4 }),
  chunkMilliseconds: fc.constantFrom(0 as const, 60_000 as const),
  interruptedAfter: fc.nat({ max: 12 }),
});

/** Folds a history by the bulk path, in parts and with an interruption, and page by page into what is live; compares all rows. */
async function bothWays(model: Model, events: readonly KnownEvent[], way: Way) {
  const { parts, pageSize, keptRows, chunkMilliseconds, interruptedAfter } = way;
  await prepareReadModels(engine.database, [model]);
  const live = (await liveBuild(engine.database, model.name)) as Build;
  for (const table of model.tables) await engine.database.query(`TRUNCATE ${live.name}.${table.name}`);
  await engine.database.query('DELETE FROM projector.checkpoints');
  const session = await openSession(engine.database);
  const other = await openSession(engine.database);
  const build = await createBuild(session, model, parts);
  const open = (): Promise<PartFold[]> =>
    Promise.all(
      Array.from({ length: parts }, async (_, part) => {
        const opened = await PartFold.open(await openSession(engine.database), {
          model,
          build: build.name,
          part,
          parts,
          keptRows,
          chunkMilliseconds,
          filterBytes: 64,
          skipped: new Set<string>(),
        });
        return opened ?? expect.fail('the lock of a part that was closed is held');
      }),
    );
  const pages: PlacedEvent[][] = [];
  for (let start = 0; start < events.length; start += pageSize) {
    const page = events.slice(start, start + pageSize);
    const placed = page.map((event, index) => ({ event, done: BigInt(start + index + 1) }));
    const to = BigInt(start + page.length);
    await applyPage(engine.database, model, live, { input: STORE, from: BigInt(start), events: placed, to });
    pages.push(placed.map(({ event, done }) => ({ event, keys: model.keys(event), position: done })));
  }
  /** Hands every part all events, as if none knew which are its own. */
  const add = async (folds: readonly Part[], page: readonly PlacedEvent[]): Promise<void> => {
    const touching = (part: number) => page.filter(({ keys }) => keys.some((key) => partOf(key, parts) === part));
    for (const [part, one] of folds.entries())
      expect(await one.add(touching(part), page.at(-1)?.position ?? 0n)).toBeNull();
  };
  try {
    const first = await open();
    for (const page of pages.slice(0, interruptedAfter)) await add(first, page);
    for (const one of first) await one.close();
    const second = await open();
    for (const page of pages) await add(second, page);
    for (const one of second) {
      await one.finish();
      await one.close();
    }
    await createIndexes([session, other], build.name, 'keys');
    expect(await foldLateEvents(session, { model, build: build.name, skipped: new Set() })).toBeNull();
    await createIndexes([session, other], build.name, 'indexes');
    await completeBuild(session, build.name, BigInt(events.length));
    return await compareBuilds(model, { client: session, build: live.name }, { client: other, build: build.name });
  } finally {
    await session.end();
    await other.end();
  }
}

describe('a rebuild', () => {
  it.each<[string, Model, number]>([
    ['signals', signalsModel({ baseUrl: 'https://clarity.test' }), 6],
    ['openings', factModel(openingsTable, 'openings'), 2],
    ['appointments', factModel(peopleTable, 'people'), 2],
    ['results', factModel(resultsTable, 'result'), 2],
  ])(
    'of %s gives the rows of the live fold whatever the history, the parts, the chunks and the place of an interruption',
    async (_, model, numRuns) => {
      await fc.assert(
        fc.asyncProperty(anyHistory, anyWay, async (events, way) => {
          const { differences, keys, examples } = await bothWays(model, events, way);
          expect(examples).toEqual([]);
          expect(differences).toBe(0);
          expect(keys).toBeGreaterThan(0);
        }),
        { numRuns },
      );
    },
  );

  it('gives the same rows when its filter contains nearly every key by mistake', async () => {
    const names = Array.from({ length: 400 }, (_, number) => `s${number}`);
    const events = [1, 2].flatMap((time) => names.map((name) => reported(name, report(`${name} ${time}`))));

    const way = { parts: 2, pageSize: 40, keptRows: 20, chunkMilliseconds: 0, interruptedAfter: 12 } as const;
    const { differences, keys } = await bothWays(counter, events, way);

    expect(differences).toBe(0);
    expect(keys).toBe(800);
  });

  it('writes hostile text by COPY as the live fold does by INSERT', async () => {
    const events = ['a', 'b', 'a', 'c', 'a', 'b'].map((name, number) => reported(name, report(`${name}${number}`)));

    const way = { parts: 1, pageSize: 2, keptRows: 0, chunkMilliseconds: 0, interruptedAfter: 1 } as const;
    const { differences, keys } = await bothWays(counter, events, way);

    expect(differences).toBe(0);
    expect(keys).toBe(6);
    expect(idOf('a')).not.toBe(idOf('b'));
  });
});
