import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../log/postgres/database.ts';
import { applyPage } from '../../../projector/apply-page.ts';
import { type Build, createBuild, liveBuild, openSession, STORE } from '../../../projector/model-builds.ts';
import { appointmentsModel } from '../../../projector/models/appointments-read-model.ts';
import { openingsModel, resultsModel } from '../../../projector/models/openings-deals-results-read-models.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { prepareReadModels } from '../../../projector/promote-build.ts';
import type { Model } from '../../../projector/read-model.ts';
import { BulkFold } from '../../../projector/rebuild/bulk-fold.ts';
import { compareBuilds } from '../../../projector/rebuild/compare-builds.ts';
import { FillTransaction } from '../../../projector/rebuild/fill-build.ts';
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

/** Folds a history by the bulk path, and page by page into what is live; compares all rows of both. */
async function bothWays(model: Model, events: readonly KnownEvent[], pageSize: number, keptRows: number) {
  await prepareReadModels(engine.database, [model]);
  const live = (await liveBuild(engine.database, model.name)) as Build;
  for (const table of model.tables) await engine.database.query(`TRUNCATE ${live.name}.${table.name}`);
  await engine.database.query('DELETE FROM projector.checkpoints');
  const session = await openSession(engine.database);
  const other = await openSession(engine.database);
  try {
    const build = await createBuild(session, model);
    await transaction(engine.database, async (client) => {
      const filling = await FillTransaction.begin(client, model, build);
      const bulk = await BulkFold.begin(filling, keptRows);
      for (let start = 0; start < events.length; start += pageSize) {
        const placed = events
          .slice(start, start + pageSize)
          .map((event, index) => ({ event, done: BigInt(start + index + 1) }));
        const page = { input: STORE, from: BigInt(start), events: placed, to: BigInt(start + placed.length) };
        await applyPage(engine.database, model, live, page);
        await bulk.add(placed.map(({ event }) => event));
      }
      await bulk.finish();
      await bulk.settle();
      await filling.createIndexes();
      await bulk.foldLateEvents();
    });
    return await compareBuilds(model, { client: session, build: live.name }, { client: other, build: build.name });
  } finally {
    await session.end();
    await other.end();
  }
}

describe('a rebuild', () => {
  it.each<[string, Model, number]>([
    ['signals', signalsModel({ baseUrl: 'https://clarity.test' }), 6],
    ['openings', openingsModel(), 2],
    ['appointments', appointmentsModel(), 2],
    ['results', resultsModel(), 2],
  ])(
    'of %s gives the rows of the live fold whatever the history, the pages and the memory',
    async (_, model, numRuns) => {
      await fc.assert(
        fc.asyncProperty(
          anyHistory,
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 0, max: 4 }),
          async (events, pageSize, keptRows) => {
            const { differences, keys, examples } = await bothWays(model, events, pageSize, keptRows);
            expect(examples).toEqual([]);
            expect(differences).toBe(0);
            expect(keys).toBeGreaterThan(0);
          },
        ),
        { numRuns },
      );
    },
  );

  it('writes hostile text by COPY as the live fold does by INSERT', async () => {
    const events = ['a', 'b', 'a', 'c', 'a', 'b'].map((name, number) => reported(name, report(`${name}${number}`)));

    const { differences, keys } = await bothWays(counter, events, 2, 0);

    expect(differences).toBe(0);
    expect(keys).toBe(6);
    expect(idOf('a')).not.toBe(idOf('b'));
  });
});
