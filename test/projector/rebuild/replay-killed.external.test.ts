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

function start(words: readonly string[]): Clarity {
  const started = startClarity(words, { DATABASE_URL: database.url, LOG_LEVEL: 'info' });
  running.push(started);
  return started;
}

const Position = z.object({ build: z.string(), position: z.bigint() });

/** The build in progress with what it has committed; null without one. */
async function committed(): Promise<z.infer<typeof Position> | null> {
  const [found] = await query(
    database.database,
    `SELECT c.build, c.position FROM projector.checkpoints c JOIN projector.builds b ON b.name = c.build
     WHERE c.input = 'store' AND b.model = 'signals' AND b.state = 'building'`,
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
  const check = start(['replay', 'signals', '--verify', '--dry', '--anew']);
  expect(await check.ended, check.output()).toBe(0);
  expect(check.output()).toMatch(/rows equal the live ones/);
}

describe('a rebuild that is killed', () => {
  it('continues where it was, twice, and ends with the rows of an undisturbed one', { timeout: 240_000 }, async () => {
    const first = start(['replay', 'signals']);
    const build = await waitForShare(0.2);
    await first.kill();
    const kept = (await committed())?.position ?? 0n;
    const second = start(['replay', 'signals']);
    await vi.waitFor(async () => expect((await committed())?.position ?? 0n).toBeGreaterThan(kept), SHORT);
    expect(await waitForShare(0.5)).toBe(build);
    await second.kill();

    const third = start(['replay', 'signals']);

    expect(await third.ended, third.output()).toBe(0);
    expect(second.output() + third.output()).toMatch(/continuing an interrupted rebuild/);
    await isLive(build);
    await expectEqualRows();
  });

  it('by a deployment continues in the next process of the same release', { timeout: 240_000 }, async () => {
    const first = start(['project']);
    const build = await waitForShare(0.3);
    expect(await first.stop()).toBe(0);

    const second = start(['project']);

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
