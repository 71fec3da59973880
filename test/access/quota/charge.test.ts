import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAccess, sweep } from '../../../access/access.ts';
import { charge, peek, refund } from '../../../access/quota/charge.ts';
import type { Charge, Window } from '../../../access/quota/limits.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';
import { day, minute, someone } from './windows.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await Promise.all([migrateAccess(test.database), migrateAccess(test.database)]);
});
afterAll(() => test.close());

const START = Date.parse('2026-11-21T04:30:00Z');
const at = (seconds: number): Date => new Date(START + seconds * 1000);
const used = ({ windows }: Charge): number[] => windows.map((window) => window.used);

/** The rule in its simplest form: windows by key, each with its count and end. */
class Simple {
  readonly #windows = new Map<string, { used: number; ends: number }>();

  #of({ key, seconds }: Window, now: number): { used: number; ends: number } {
    const before = this.#windows.get(key);
    return before && before.ends > now ? before : { used: 0, ends: now + seconds * 1000 };
  }

  charge(windows: readonly Window[], now: number): { fits: boolean; used: number[]; ends: number[] } {
    const counts = windows.map((window) => this.#of(window, now));
    const fits = counts.every((one, index) => one.used < (windows[index]?.max ?? 0));
    if (fits)
      for (const [index, one] of counts.entries())
        this.#windows.set(windows[index]?.key ?? '', { used: one.used + 1, ends: one.ends });
    return { fits, used: counts.map((one) => one.used + (fits ? 1 : 0)), ends: counts.map(({ ends }) => ends) };
  }
}

describe('charging a call', () => {
  it('given any calls at any times on windows that overlap, then it counts as the reference implementation does', async () => {
    const step = fc.record({
      who: fc.constantFrom('a', 'b', 'ab'),
      later: fc.constantFrom(0, 1, 20, 60, 3_600, 86_400),
      times: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const run = someone();
        const windowsOf = (who: string): Window[] =>
          [...who].flatMap((one) => [minute(`${run} ${one}`, 3), day(`${run} ${one}`, 5)]).toReversed();
        const simple = new Simple();
        let now = 0;
        for (const { who, later, times } of steps) {
          now += later;
          for (let time = 0; time < times; time++) {
            const counted = await charge(test.database, windowsOf(who), at(now));
            expect({
              fits: counted.fits,
              used: used(counted),
              ends: counted.windows.map(({ endsAt }) => endsAt.getTime()),
            }).toEqual(simple.charge(windowsOf(who), at(now).getTime()));
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  it('given a query of the remaining calls, then nothing is charged', async () => {
    const who = someone();
    expect(used(await peek(test.database, [minute(who, 1)], at(0)))).toEqual([0]);
    expect((await charge(test.database, [minute(who, 1)], at(50))).windows[0]?.endsAt).toEqual(at(110));
  });

  it('given a refunded call, then it no longer counts, unless its window has ended meanwhile', async () => {
    const who = someone();
    const windows = [minute(who, 5), day(who, 5)];
    const charged = await charge(test.database, windows, at(0));
    expect(used(await refund(test.database, charged, at(1)))).toEqual([0, 0]);
    await charge(test.database, windows, at(2));
    const early = await charge(test.database, windows, at(3));
    await charge(test.database, windows, at(70));
    expect(used(await refund(test.database, early, at(71)))).toEqual([1, 2]);
  });

  it('given the clock of the database, then a window ends its number of seconds after its first call', async () => {
    const { windows, at: counted } = await charge(test.database, [minute(someone(), 5)]);
    expect(windows[0]?.endsAt.getTime()).toBe(counted.getTime() + 60_000);
    expect(Math.abs(counted.getTime() - Date.now())).toBeLessThan(60_000);
  });
});

describe('calls at the same time', () => {
  it('given 50 calls of two processes for the last one that is left, then exactly one is accepted', async () => {
    const other = openDatabase(test.url, { max: 10 });
    const who = someone();
    const windows = [minute(who, 30), day(who, 20)];
    for (let call = 0; call < 19; call++) await charge(test.database, windows);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, call) => charge(call % 2 ? other : test.database, windows)),
    );
    await other.end();
    expect(answers.filter(({ fits }) => fits)).toHaveLength(1);
    expect(used(await peek(test.database, windows))).toEqual([20, 20]);
  });

  it('given calls on the same windows in different orders, and a sweep, then there is no deadlock and no call is lost', async () => {
    const [one, two, three] = [someone(), someone(), someone()].map((who) => day(who, 1_000));
    if (!one || !two || !three) throw new Error('three windows');
    const orders = [
      [one, two, three],
      [three, two, one],
      [two, three],
      [three, one],
    ];
    const calls = Array.from({ length: 80 }, (_, call) => charge(test.database, orders[call % 4] ?? []));
    const sweeps = Array.from({ length: 10 }, () => sweep(test.database));
    await Promise.all([...calls, ...sweeps]);
    expect(used(await peek(test.database, [one, two, three]))).toEqual([60, 60, 80]);
  });
});

describe('sweeping', () => {
  it('given windows that ended and one that did not, then only that one stays', async () => {
    await test.database.query('DELETE FROM access.quota_window');
    await charge(test.database, [minute('ended', 5), day('ended', 5)], new Date('2020-01-01T00:00:00Z'));
    await charge(test.database, [minute('running', 5)]);
    const swept = async (): Promise<number> => Math.max(...(await sweep(test.database)));
    expect([await swept(), await swept()]).toEqual([2, 0]);
    const { rows } = await test.database.query('SELECT key FROM access.quota_window');
    expect(rows).toEqual([{ key: 'running minute' }]);
  });
});
