import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase, type Queryable, query } from '../../log/postgres/database.ts';
import { applyPage } from '../../projector/apply-page.ts';
import { withPositions } from '../../projector/follow-log.ts';
import { type Build, CheckpointConflict, liveBuild, STORE } from '../../projector/model-builds.ts';
import { keptWhileUnchanged, waitForPosition } from '../../projector/model-progress.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
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

const live = async (): Promise<Build> => {
  await prepareReadModels(engine.database, [counter]);
  const build = await liveBuild(engine.database, 'counter');
  if (!build) throw new Error('the views were not prepared');
  return build;
};

describe('a page of events', () => {
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

describe('results that are kept while the rows are unchanged', () => {
  let loads = 0;
  /** Reports of a signal; null for one without any. */
  const reportsOf = async (connection: Queryable, keys: readonly string[]): Promise<(number | null)[]> => {
    loads += 1;
    const rows = await query(
      connection,
      'SELECT key, reports FROM read.counts WHERE key = ANY ($1)',
      [keys],
      z.object({ key: z.string(), reports: z.int() }),
    );
    return keys.map((key) => rows.find((row) => row.key === key)?.reports ?? null);
  };
  /** Applies the events that were appended since `from`. @returns where they end */
  const fold = async (build: Build, from: bigint): Promise<bigint> => {
    const { events, position: to } = await engine.store.readAll({ after: from });
    await applyPage(engine.database, counter, build, { input: STORE, from, events: withPositions(events), to });
    return to;
  };
  beforeEach(() => {
    loads = 0;
  });

  it('given no event in between, then they are loaded once; after a page of events, again', async () => {
    const build = await live();
    const reports = keptWhileUnchanged(engine.database, reportsOf, { models: ['counter'], maximum: 10 });
    expect(await reports(idOf('a'))).toBeNull();
    await appendReport('a', 1);
    const end = await fold(build, 0n);

    expect([await reports(idOf('a')), await reports(idOf('a')), loads]).toEqual([1, 1, 2]);
    await appendReport('a', 2);
    await fold(build, end);
    expect([await reports(idOf('a')), await reports(idOf('a')), loads]).toEqual([2, 2, 3]);
  });

  it('given something else that they depend on, then they are loaded again when it is another', async () => {
    const build = await live();
    await appendReport('a', 1);
    await fold(build, 0n);
    let catalogue = {};
    const options = { models: ['counter'], maximum: 1, dependsOn: () => catalogue };
    const reports = keptWhileUnchanged(engine.database, reportsOf, options);
    await reports(idOf('a'));
    catalogue = {};
    await reports(idOf('a'));
    expect(loads).toBe(2);
    // The oldest gives way where no more are kept.
    await appendReport('b', 1);
    await fold(build, 1n);
    await reports(idOf('b'));
    await reports(idOf('a'));
    expect(loads).toBe(4);
  });

  it('given requests all the time while events are folded, then none gets what was folded before it any less', async () => {
    const build = await live();
    await appendReport('a', 0);
    let end = await fold(build, 0n);
    let folded = 1;
    const reports = keptWhileUnchanged(engine.database, reportsOf, { models: ['counter'], maximum: 10 });
    let isOver = false;
    const reader = async (): Promise<void> => {
      while (!isOver) {
        const before = folded;
        expect(await reports(idOf('a'))).toBeGreaterThanOrEqual(before);
      }
    };
    const readers = [reader(), reader(), reader(), reader()];
    for (let number = 1; number <= 25; number++) {
      await appendReport('a', number);
      end = await fold(build, end);
      folded += 1;
    }
    isOver = true;
    await Promise.all(readers);
    expect(await reports(idOf('a'))).toBe(26);
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

    await eventually(async () =>
      expect(new Set(await counts())).toEqual(
        new Set(['odd', 'even'].map((name) => ({ key: idOf(name), reports: 30 }))),
      ),
    );
    await projector.stop();
    await own.end();
  });
});
