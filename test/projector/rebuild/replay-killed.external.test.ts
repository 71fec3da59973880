/** Rebuilds that are killed and continue, by the program itself: the rows are those of an undisturbed rebuild. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { seedEvents, signalHistory } from '../../../bench/generated-history.ts';
import { query } from '../../../log/postgres/database.ts';
import { createRegistry, liveBuild } from '../../../projector/model-builds.ts';
import { latestRebuilds } from '../../../projector/model-progress.ts';
import { type Clarity, startClarity } from '../../harness/clarity.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';

const EVENTS = 60_000;
const SHORT = { timeout: 120_000, interval: 20 };
let database: TestDatabase;
const running: Clarity[] = [];

beforeEach(async () => {
  database = await logDatabase();
  await createRegistry(database.database);
  await seedEvents(database.database, signalHistory(EVENTS));
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill();
  await database.close();
});

function start(words: readonly string[], workers: number, more: Readonly<Record<string, string>> = {}): Clarity {
  const settings = { REBUILD_WORKERS: String(workers), REBUILD_CHUNK_SECONDS: '0.2', LOG_LEVEL: 'info', ...more };
  const started = startClarity(words, { DATABASE_URL: database.url, ...settings });
  running.push(started);
  return started;
}

const Position = z.object({ build: z.string(), position: z.bigint() });

/** The build in progress with what all its parts have committed; null without one. */
async function committed(): Promise<z.infer<typeof Position> | null> {
  const [found] = await query(
    database.database,
    `SELECT build, min(position) AS position FROM projector.checkpoints
     WHERE input LIKE 'part/%' AND build LIKE 'signals\\_%' GROUP BY build`,
    [],
    Position,
  );
  return found ?? null;
}

/** Waits until a share of the history is committed, and no more than the whole. */
async function waitForShare(share: number): Promise<string> {
  return vi.waitFor(async () => {
    const now = await committed();
    expect(Number(now?.position ?? 0n)).toBeGreaterThan(EVENTS * share);
    return now?.build ?? '';
  }, SHORT);
}

const isLive = async (name: string): Promise<void> => {
  expect((await liveBuild(database.database, 'signals'))?.name).toBe(name);
};

/** Compares the live rows, which an interrupted rebuild has written, with those of an undisturbed one. */
async function expectEqualRows(): Promise<void> {
  const check = start(['replay', 'signals', '--verify', '--dry', '--anew'], 0);
  expect(await check.ended, check.output()).toBe(0);
  expect(check.output()).toMatch(/rows equal the live ones/);
}

describe('a rebuild that is killed', () => {
  it.each([0, 2, 4])(
    'continues where its %i threads were, twice, and ends with the rows of an undisturbed one',
    {
      timeout: 240_000,
    },
    async (workers) => {
      const first = start(['replay', 'signals'], workers);
      const build = await waitForShare(0.2);
      await first.kill();
      const kept = (await committed())?.position ?? 0n;
      const second = start(['replay', 'signals'], workers);
      await vi.waitFor(async () => expect((await committed())?.position ?? 0n).toBeGreaterThan(kept), SHORT);
      expect(await waitForShare(0.5)).toBe(build);
      await second.kill();

      // The number of parts is that of the build, whatever the number of threads is now.
      const third = start(['replay', 'signals'], 0);

      expect(await third.ended, third.output()).toBe(0);
      expect(second.output() + third.output()).toMatch(/continuing an interrupted rebuild/);
      await isLive(build);
      await expectEqualRows();
    },
  );

  it('by a deployment continues in the next process of the same release', { timeout: 240_000 }, async () => {
    const first = start(['project'], 0);
    const build = await waitForShare(0.3);
    expect(await first.stop()).toBe(0);

    const second = start(['project'], 0);

    await vi.waitFor(() => isLive(build), SHORT);
    expect(second.output()).toContain('continuing an interrupted rebuild');
    // The record of the rebuild ends after the swap.
    await vi.waitFor(async () => {
      const rebuilds = await latestRebuilds(database.database);
      expect(rebuilds.find(({ model }) => model === 'signals')).toMatchObject({ state: 'live', share: 1 });
    }, SHORT);
    await second.stop();
    await expectEqualRows();
  });
});

const TWO = { REBUILD_PROCESSES: '2' };
const Part = z.object({ input: z.string(), position: z.bigint() });

/** How far each part of a build is. */
const partsOf = (build: string): Promise<z.infer<typeof Part>[]> =>
  query(
    database.database,
    `SELECT input, position FROM projector.checkpoints WHERE build = $1 AND input LIKE 'part/%' ORDER BY input`,
    [build],
    Part,
  );

/** Starts two projectors; the first fills the builds, the second one helps. Both have committed rows of `signals`. */
async function twoProjectors(): Promise<{ filler: Clarity; helper: Clarity; build: string }> {
  const filler = start(['project'], 0, TWO);
  await vi.waitFor(async () => expect(await committed()).not.toBeNull(), SHORT);
  const helper = start(['project'], 0, TWO);
  const build = (await committed())?.build ?? '';
  await vi.waitFor(async () => {
    const parts = await partsOf(build);
    expect(parts).toHaveLength(2);
    for (const { position } of parts) expect(Number(position)).toBeGreaterThan(0);
  }, SHORT);
  expect(helper.output()).toContain('folding parts of a rebuild of another process');
  return { filler, helper, build };
}

describe('a rebuild that two processes share', () => {
  it('ends with the rows of an undisturbed one when the helper is killed', { timeout: 240_000 }, async () => {
    const { filler, helper, build } = await twoProjectors();
    const before = await partsOf(build);
    expect(before.some(({ position }) => Number(position) < EVENTS)).toBe(true);

    await helper.kill();

    await vi.waitFor(() => isLive(build), SHORT);
    await filler.stop();
    await expectEqualRows();
  });

  it('ends with the rows of an undisturbed one when the process that fills it is killed', {
    timeout: 240_000,
  }, async () => {
    const { filler, helper, build } = await twoProjectors();

    await filler.kill();

    await vi.waitFor(() => isLive(build), SHORT);
    expect(helper.output()).toContain('continuing an interrupted rebuild');
    await helper.stop();
    await expectEqualRows();
  });
});
