import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openDatabase, query } from '../../log/postgres/database.ts';
import { applyPage } from '../../projector/apply-page.ts';
import { withPositions } from '../../projector/follow-log.ts';
import { type Build, CheckpointConflict, liveBuild, STORE } from '../../projector/model-builds.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import { signalStream } from '../../schemas/signal.ts';
import { counter } from './counter.ts';
import { type Engine, testEngine } from './engine.ts';
import { idOf, report, reported } from './signal-events.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await testEngine();
});
afterEach(() => engine.close());

const counts = () =>
  query(
    engine.database,
    'SELECT key, reports FROM read.counts ORDER BY key',
    [],
    z.object({ key: z.string(), reports: z.int() }),
  );
const appendReport = (name: string, number: number): Promise<bigint> =>
  engine.add(signalStream(idOf(name)), reported(name, report(`${name} ${number}`)));

describe('a page of events', () => {
  const live = async (): Promise<Build> => {
    await prepareReadModels(engine.database, [counter]);
    const build = await liveBuild(engine.database, 'counter');
    if (!build) throw new Error('the views were not prepared');
    return build;
  };

  it('given the same page from two owners at once, is folded by one', async () => {
    const build = await live();
    await appendReport('a', 1);
    await appendReport('a', 2);
    const { events, position } = await engine.store.readAll({ after: 0n });
    const page = { input: STORE, from: 0n, events: withPositions(events), to: position };

    const outcomes = await Promise.allSettled([1, 2, 3].map(() => applyPage(engine.database, counter, build, page)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(CheckpointConflict);
    expect(await counts()).toEqual([{ key: idOf('a'), reports: 2 }]);
  });

  it('given a batch of a topic that comes again longer, folds only what is new', async () => {
    const build = await live();
    const events = [1, 2, 3].map((number) => ({ event: reported('a', report(`a ${number}`)), done: BigInt(number) }));
    const batch = (length: number) => ({
      input: 'polls/3',
      from: null,
      events: events.slice(0, length),
      to: BigInt(length),
    });

    await applyPage(engine.database, counter, build, batch(2));
    await applyPage(engine.database, counter, build, batch(2));
    await applyPage(engine.database, counter, build, batch(3));

    expect(await counts()).toEqual([{ key: idOf('a'), reports: 3 }]);
  });
});

describe('a projector whose connections are cut again and again', () => {
  it('folds every event exactly once', async () => {
    const own = openDatabase(engine.url, { name: 'projector under attack' });
    const projector = engine.run([counter], { database: own });
    let last = 0n;
    for (let number = 0; number < 60; number++) {
      last = await appendReport(number % 2 ? 'odd' : 'even', number);
      if (number % 10 === 5)
        await engine.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'clarity projector under attack'`,
        );
    }
    expect(await waitForPosition(engine.database, 'counter', last, 20_000)).toBe(true);

    await vi.waitFor(async () =>
      expect(new Set(await counts())).toEqual(
        new Set(['odd', 'even'].map((name) => ({ key: idOf(name), reports: 30 }))),
      ),
    );
    await projector.stop();
    await own.end();
  });
});
