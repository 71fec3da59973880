import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openingsTable } from '../../../facts/openings/table.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import { resultsTable } from '../../../facts/results/table.ts';
import { applyPage, type Readable } from '../../../projector/apply-page.ts';
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
import { createIndexes } from '../../../projector/rebuild/build-indexes.ts';
import { BulkFold } from '../../../projector/rebuild/bulk-fold.ts';
import { compareBuilds } from '../../../projector/rebuild/compare-builds.ts';
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
  readonly pageSize: number;
  readonly chunkRows: number;
  /** After this page the rebuild dies and continues. */
  readonly interruptedAfter: number;
}

const anyWay: fc.Arbitrary<Way> = fc.record({
  pageSize: fc.integer({ min: 1, max: 9 }),
  chunkRows: fc.integer({ min: 1, max: 4 }),
  interruptedAfter: fc.nat({ max: 12 }),
});

/** Folds a history in bulk, with an interruption, and page by page into what is live; compares all rows. */
async function bothWays(model: Model, events: readonly KnownEvent[], { pageSize, chunkRows, interruptedAfter }: Way) {
  await prepareReadModels(engine.database, [model]);
  const live = (await liveBuild(engine.database, model.name)) as Build;
  for (const table of model.tables) await engine.database.query(`TRUNCATE ${live.name}.${table.name}`);
  await engine.database.query('DELETE FROM projector.checkpoints');
  const session = await openSession(engine.database);
  const other = await openSession(engine.database);
  const build = await createBuild(session, model);
  const options = { model, build: build.name, chunkRows, skipped: new Set<string>() };
  const pages: { readonly taken: Readable['taken']; readonly to: bigint }[] = [];
  for (let start = 0; start < events.length; start += pageSize) {
    const page = events.slice(start, start + pageSize);
    const placed = page.map((event, index) => ({ event, done: BigInt(start + index + 1) }));
    const to = BigInt(start + page.length);
    await applyPage(engine.database, model, live, { input: STORE, from: BigInt(start), events: placed, to });
    pages.push({ taken: page.map((event) => ({ event, keys: model.keys(event) })), to });
  }
  try {
    const first = await BulkFold.open(session, options);
    for (const { taken, to } of pages.slice(0, interruptedAfter)) expect(await first.add(taken, to)).toEqual([]);
    const second = await BulkFold.open(session, options);
    for (const { taken, to } of pages.filter((page) => page.to > second.position)) {
      // A chunk ends with a page, so none is committed in part.
      expect(await second.add(taken, to)).toEqual([]);
    }
    await second.finish(BigInt(events.length));
    await createIndexes([session, other], build.name);
    await completeBuild(session, build.name);
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
    'of %s gives the rows of the live fold whatever the history, the chunks and the place of an interruption',
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

  it('writes hostile text by COPY as the live fold does by INSERT', async () => {
    const events = ['a', 'b', 'a', 'c', 'a', 'b'].map((name, number) => reported(name, report(`${name}${number}`)));

    const way = { pageSize: 2, chunkRows: 1, interruptedAfter: 1 };
    const { differences, keys } = await bothWays(counter, events, way);

    expect(differences).toBe(0);
    expect(keys).toBe(6);
    expect(idOf('a')).not.toBe(idOf('b'));
  });
});
