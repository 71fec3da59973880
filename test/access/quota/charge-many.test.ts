import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../../access/access.ts';
import { charge, peek } from '../../../access/quota/charge.ts';
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

/** The database of the test, which counts the statements that it is sent. */
function counting() {
  let statements = 0;
  const database = {
    query: (...words: Parameters<typeof test.database.query>) => {
      statements++;
      return test.database.query(...words);
    },
  } as unknown as typeof test.database;
  return { database, statements: () => statements };
}

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
    const { database, statements } = counting();
    const callers = Array.from({ length: 300 }, () => [minute(someone(), 5), day(someone(), 9)]);
    const answers = await Promise.all(callers.map((windows) => charge(database, windows)));
    expect(answers.every(({ fits, windows }) => fits && windows.every(({ used }) => used === 1))).toBe(true);
    expect(statements()).toBeLessThanOrEqual(5);
  });

  it('given connections that planned while there were hardly any windows, then windows are found by their keys', async () => {
    const client = await test.database.connect();
    try {
      await client.query('BEGIN');
      await client.query('TRUNCATE access.quota_window');
      await client.query('ANALYZE access.quota_window');
      const scans = async (): Promise<[number, number]> => {
        const { rows } = await client.query(
          `SELECT seq_scan::int, idx_tup_fetch::int FROM pg_stat_xact_user_tables WHERE relid = 'access.quota_window'::regclass`,
        );
        return [rows[0].seq_scan, rows[0].idx_tup_fetch];
      };
      const some = (callers: number) =>
        Promise.all(Array.from({ length: callers }, () => charge(client, [minute(someone(), 5), day(someone(), 9)])));
      for (let call = 0; call < 3; call++) await some(20);
      await client.query(
        `INSERT INTO access.quota_window SELECT 'other ' || n, 1, now() FROM generate_series(1, 2000) n`,
      );
      const [whole, byKey] = await scans();
      await some(20);
      const after = await scans();
      // 40 windows, each found by its key to be counted and to be written: no plan reads the others.
      expect([after[0] - whole, after[1] - byKey]).toEqual([0, 80]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('given 300 calls of one caller at once, then two statements count them exactly, up to the limit', async () => {
    const { database, statements } = counting();
    const windows = [minute(someone(), 1_000), day(someone(), 200)];
    const answers = await Promise.all(Array.from({ length: 300 }, () => charge(database, windows)));
    expect(answers.map(({ fits }) => fits)).toEqual(Array.from({ length: 300 }, (_, call) => call < 200));
    expect(answers.map((answer) => answer.windows[1]?.used)).toEqual(
      Array.from({ length: 300 }, (_, call) => Math.min(call + 1, 200)),
    );
    expect(statements()).toBeLessThanOrEqual(2);
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
