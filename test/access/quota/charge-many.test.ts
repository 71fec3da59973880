import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { migrateAccess } from '../../../access/access.ts';
import { charge, chargerOf, peek, refund, settleLeases } from '../../../access/quota/charge.ts';
import type { Window } from '../../../access/quota/limits.ts';
import { noteUsage, usageOfAccounts } from '../../../access/quota/usage.ts';
import { openDatabase } from '../../../log/postgres/database.ts';
import { createRegistry } from '../../../projector/model-builds.ts';
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
    const { charge: count } = chargerOf(database);
    const callers = Array.from({ length: 300 }, () => [minute(someone(), 5), day(someone(), 9)]);
    const answers = await Promise.all(callers.map((windows) => count(windows)));
    expect(answers.every(({ fits, windows }) => fits && windows.every(({ used }) => used === 1))).toBe(true);
    expect(statements()).toBeLessThanOrEqual(5);
  });

  it('given callers that come in turns of the event loop one after the other, then one statement counts them', async () => {
    const { database, statements } = counting();
    const { charge: count } = chargerOf(database);
    const answers = [];
    for (let caller = 0; caller < 3; caller++) {
      answers.push(count([minute(someone(), 5)]));
      await turn();
    }
    expect((await Promise.all(answers)).every(({ fits }) => fits)).toBe(true);
    expect(statements()).toBe(1);
  });

  it('given calls that name read models, then the statement that counts them reads their state', async () => {
    await createRegistry(test.database);
    const insert =
      "INSERT INTO projector.builds (name, model, version, state) VALUES ('counter_1', 'counter', '1', 'live')";
    await test.database.query(insert);
    const { database, statements } = counting();
    const { charge: count } = chargerOf(database, { above: 1, share: 2 });
    const windows = () => [minute(someone(), 500)];
    const models = ['counter'];
    const states = async (...calls: ReturnType<typeof count>[]) =>
      (await Promise.all(calls)).map((one) => one.modelState);

    expect(await states(count(windows(), models), count(windows(), models), count(windows()))).toEqual([
      'counter_1',
      'counter_1',
      undefined,
    ]);
    // One state a statement: a call that names other models gets none.
    expect(await states(count(windows(), models), count(windows(), ['others']))).toEqual(['counter_1', undefined]);
    expect(statements()).toBe(2);
    await test.database.query(
      `INSERT INTO projector.checkpoints (build, input, position) VALUES ('counter_1', 'store', 7)`,
    );
    expect(await states(count(windows(), models))).toEqual(['counter_1 store 7']);
    // What no statement counts has none: it would be that of an earlier moment.
    const often = windows();
    const all = [];
    for (let call = 0; call < 20; call++) all.push(...(await states(count(often, models))));
    expect(new Set(all)).toEqual(new Set(['counter_1 store 7', undefined]));
    expect(all.filter((state) => state !== undefined)).toHaveLength(statements() - 3);
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
      const { charge: count } = chargerOf(client);
      const some = (callers: number) =>
        Promise.all(Array.from({ length: callers }, () => count([minute(someone(), 5), day(someone(), 9)])));
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
    const { charge: count } = chargerOf(database);
    const windows = [minute(someone(), 1_000), day(someone(), 200)];
    const answers = await Promise.all(Array.from({ length: 300 }, () => count(windows)));
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

describe('a caller with many calls a second', () => {
  it('given calls one after the other, then leases count most of them, and a stop gives back what is left', async () => {
    const { database, statements } = counting();
    const windows = [minute(someone(), 100_000), day(someone(), 1_000_000)];
    let used = 0;
    for (let call = 0; call < 400; call++) {
      const counted = await charge(database, windows);
      expect(counted.fits).toBe(true);
      // What is reported as used never goes back, and covers every call that was accepted.
      expect(counted.windows[0]?.used).toBeGreaterThanOrEqual(Math.max(used, call + 1));
      used = counted.windows[0]?.used ?? 0;
    }
    expect(statements()).toBeLessThan(200);
    await settleLeases(database);
    expect((await peek(test.database, windows)).windows.map((window) => window.used)).toEqual([400, 400]);
  });

  it('given a full window, then repeated refusals ask PostgreSQL now and then only, and a refund reopens it at once', async () => {
    const { database, statements } = counting();
    const windows = [minute(someone(), 40)];
    const counted = await Promise.all(Array.from({ length: 40 }, () => charge(database, windows)));
    const before = statements();
    const refusals = [];
    for (let call = 0; call < 200; call++) refusals.push(await charge(database, windows));
    expect(refusals.every(({ fits, windows: [full] }) => !fits && full?.used === 40)).toBe(true);
    expect(statements() - before).toBeLessThan(100);
    if (counted[0]) await refund(database, counted[0]);
    expect((await charge(database, windows)).fits).toBe(true);
  });

  it('given a lease of which the window ended or was deleted meanwhile, then a return changes nothing', async () => {
    const who = someone();
    await charge(test.database, [minute(who, 5)]);
    const values = [
      [`${who} minute`, `${who} minute`, 'nobody minute'],
      [1, 3, 1],
      [new Date(0), new Date(0), new Date(0)],
    ];
    await test.database.query('SELECT access.return_calls($1, $2, $3)', values);
    expect((await peek(test.database, [minute(who, 5)])).windows[0]?.used).toBe(1);
  });
});

describe('how much accounts called', () => {
  it('given many of them, then each write has the oldest counts, and all are written in the end', async () => {
    const PATIENT = { timeout: 10_000 };
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const written: unknown[][] = [];
      const database = {
        query: async (text: string, values: unknown[][]) => {
          const result = await test.database.query(text, values);
          written.push(values[0] ?? []);
          return result;
        },
      } as unknown as typeof test.database;
      const accounts = Array.from({ length: 150 }, (_, number) => `acc_${String(number).padStart(16, '0')}`);
      const at = new Date();
      const note = (account = ''): void =>
        noteUsage(database, { fits: true, at, windows: [{ ...day(account, 9), used: 1, endsAt: at }] }, 1);
      for (const account of accounts) note(account);
      note(accounts[0]);
      await vi.waitFor(() => expect(written).toEqual([accounts.slice(0, 100)]), PATIENT);
      // Noted again after it was written: it comes after those that wait.
      note(accounts[0]);
      await vi.waitFor(
        () => expect(written.flat()).toEqual([...accounts.slice(0, 100), accounts[0], ...accounts.slice(100)]),
        PATIENT,
      );
      const used = await usageOfAccounts(test.database, 1, at);
      expect(accounts.map((account) => used.get(account)?.calls)).toEqual([3, ...accounts.slice(1).map(() => 1)]);
    } finally {
      vi.useRealTimers();
    }
  });
});
