import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../../access/access-tables.ts';
import { charge, chargerOf, peek } from '../../../access/quota/charge.ts';
import type { Window } from '../../../access/quota/limits.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';
import { day, minute, someone } from './windows.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await migrateAccess(test.database);
});
afterAll(() => test.close());

describe('calls that arrive at the same time', () => {
  it('given any of them, sharing windows or not, then each is charged all its windows or none, in the order they came', async () => {
    const calls = fc.array(fc.constantFrom('a', 'b', 'ab', 'ac', 'c'), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(calls, async (asked) => {
        const run = someone();
        const windowsOf = (who: string): Window[] => [...who].map((one) => minute(`${run} ${one}`, 5));
        const answers = await Promise.all(asked.map((who) => charge(test.database, windowsOf(who))));
        const used: Record<string, number> = {};
        for (const [index, who] of asked.entries()) {
          const fits = [...who].every((one) => (used[one] ?? 0) < 5);
          if (fits) for (const one of who) used[one] = (used[one] ?? 0) + 1;
          const charged = answers[index]?.windows.map((window) => window.used);
          expect([answers[index]?.fits, charged]).toEqual([fits, [...who].map((one) => used[one] ?? 0)]);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('given 300 callers at once, then few statements count them all', async () => {
    let statements = 0;
    const counting = {
      query: (...words: Parameters<typeof test.database.query>) => {
        statements++;
        return test.database.query(...words);
      },
    } as unknown as typeof test.database;
    const charger = chargerOf(counting);
    const callers = Array.from({ length: 300 }, () => [minute(someone(), 5), day(someone(), 9)]);
    const answers = await Promise.all(callers.map(charger));
    expect(answers.every(({ fits, windows }) => fits && windows.every(({ used }) => used === 1))).toBe(true);
    expect(statements).toBeLessThanOrEqual(5);
  });

  it('given an unreachable database, then waiting calls fail, and later calls are counted', async () => {
    const closed = openDatabase(test.url, { max: 1 });
    await closed.end();
    const who = minute(someone(), 5);
    await expect(charge(closed, [who])).rejects.toThrow();
    await expect(charge(closed, [who])).rejects.toThrow();
    expect((await peek(test.database, [who])).windows[0]?.used).toBe(0);
    expect((await charge(test.database, [who])).windows[0]?.used).toBe(1);
  });
});
