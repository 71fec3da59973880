/** SIGKILL at any moment loses nothing and doubles nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../log/postgres/database.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { freePort } from '../harness/free-port.ts';
import { startOutlets } from '../harness/outlets.ts';
import { EVENTS, OUTLETS, publishRound, ROUNDS, reportsUpTo } from './rounds.ts';
import { eventsByStream, readModelRows } from './state.ts';

const KILLS_A_ROUND = 3;
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Reports that stand on the API: every signal counts its outlets. */
async function reportsOn(url: string): Promise<number> {
  let cursor = '';
  let reports = 0;
  do {
    const response = await fetch(`${url}/api/v1/signals?limit=50${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as { signals: { outlets: number }[]; next_cursor: string | null };
    reports += page.signals.reduce((sum, signal) => sum + signal.outlets, 0);
    cursor = page.next_cursor ?? '';
  } while (cursor);
  return reports;
}

/** Runs all rounds; before each of them settles, the process is killed so many times, at random moments. */
async function run(kills: number, random: () => number, at: Date) {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-kill-'));
  folders.push(folder);
  const outlets = await startOutlets(OUTLETS);
  const roster = join(folder, 'roster.yaml');
  await writeFile(roster, outlets.roster());
  const port = await freePort();
  const settings = {
    ROSTER: roster,
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    BASE_URL: 'http://clarity.test',
    ALLOW_PRIVATE_SOURCES: '1',
  };
  let clarity: Clarity | null = null;
  let killed = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      publishRound(outlets, round, at);
      for (let kill = 0; kill < kills; kill++, killed++) {
        clarity ??= startClarity(['up'], settings);
        await delay(random() * 3_500);
        expect(clarity.process.exitCode, clarity.output()).toBeNull();
        await clarity.kill();
        clarity = null;
      }
      clarity ??= startClarity(['up'], settings);
      const running = clarity;
      await vi.waitFor(
        async () => {
          expect(running.process.exitCode, running.output()).toBeNull();
          expect(await reportsOn(`http://127.0.0.1:${port}`)).toBe(reportsUpTo(round));
        },
        { timeout: 30_000, interval: 100 },
      );
    }
    const database = openDatabase((await runningEmbeddedPostgres(settings.DATA_DIR)) ?? '');
    try {
      return { events: await eventsByStream(database), rows: await readModelRows(database), killed };
    } finally {
      await database.end();
    }
  } finally {
    await clarity?.stop();
    await outlets.close();
  }
}

describe('the whole program under SIGKILL', () => {
  it('given two runs on the same news, one killed 21 times at random moments, then both end the same', {
    timeout: 240_000,
  }, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    let state = seed;
    const random = (): number => {
      state = (state * 48_271 + 11) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const at = new Date(Date.now() - 3_600_000);
    // Both at once: the machine is then busy, and the moments of the kills vary more.
    const [undisturbed, killed] = await Promise.all([run(0, random, at), run(KILLS_A_ROUND, random, at)]);
    expect(killed.killed).toBeGreaterThanOrEqual(20);
    expect(Object.keys(undisturbed.rows)).toHaveLength(EVENTS);
    expect(killed.events, `seed ${seed}`).toEqual(undisturbed.events);
    expect(killed.rows, `seed ${seed}`).toEqual(undisturbed.rows);
  });
});
