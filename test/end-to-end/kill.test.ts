/** SIGKILL at any moment loses nothing and duplicates nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../harness/random.ts';
import { runAllInOne } from './all-in-one.ts';
import { EVENTS } from './rounds.ts';
import { writeSmallCatalogue } from './small-catalogue.ts';
import { ALL_MODELS_EQUAL } from './state.ts';

/** A start takes most of the time of this test. In the external tests there are several kills in each round. */
const KILLED = [1, 4];
let CATALOGUE: string;
beforeAll(async () => {
  CATALOGUE = await mkdtemp(join(tmpdir(), 'clarity-catalogue-'));
  await writeSmallCatalogue(CATALOGUE);
});
afterAll(() => rm(CATALOGUE, { recursive: true, force: true }));

describe('the whole program under SIGKILL', () => {
  it('given two runs on the same items, one killed twice at a random moment, then both have the same result', {
    timeout: 240_000,
  }, async () => {
    const { seed, random } = seededRandom();
    const at = new Date(Date.now() - 3_600_000);
    // Both run concurrently: the machine is then busy, and the moments of the kills vary more.
    const [undisturbed, killed] = await Promise.all([
      runAllInOne(() => 0, random, at, { CATALOGUE }, { comparesModels: false }),
      runAllInOne((round) => (KILLED.includes(round) ? 1 : 0), random, at, { CATALOGUE }),
    ]);
    expect(killed.killed).toBe(KILLED.length);
    expect(Object.keys(undisturbed.rows)).toHaveLength(EVENTS);
    expect(killed.events, `seed ${seed}`).toEqual(undisturbed.events);
    expect(killed.rows, `seed ${seed}`).toEqual(undisturbed.rows);
    expect(killed.models, `seed ${seed}`).toEqual(ALL_MODELS_EQUAL);
  });
});
