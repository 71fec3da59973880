import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSession } from '../../../projector/model-builds.ts';
import { withHelpersLowered, yieldToReaders } from '../../../projector/rebuild/fill-build.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';

/** Whether this kernel shares the processor among sessions. */
const AUTOGROUP = existsSync('/proc/self/autogroup');
const groupOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/autogroup`, 'utf8');

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const pidOf = async (session: Awaited<ReturnType<typeof openSession>>): Promise<number> =>
  (await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

/** Only Linux tells the title of a process, by which a backend is known for one of this machine. */
describe.runIf(process.platform === 'linux')('a connection that steps back', () => {
  it('lowers its own process and no other', async () => {
    const [one, other] = [await openSession(test.database), await openSession(test.database)];
    const lowered = await yieldToReaders(one);

    expect(lowered).toBe(await pidOf(one));
    expect(getPriority(await pidOf(one))).toBe(10);
    expect(getPriority(await pidOf(other))).toBe(0);
    if (AUTOGROUP) {
      expect(await groupOf(await pidOf(one))).toContain('nice 10');
      expect(await groupOf(await pidOf(other))).toContain('nice 0');
    }
    await Promise.all([one.end(), other.end()]);
  });

  it('lowers the processes that help it to build an index', async () => {
    const [one, other] = [await openSession(test.database), await openSession(test.database)];
    await one.query(`CREATE TABLE numbers (number integer) WITH (parallel_workers = 1);
      INSERT INTO numbers SELECT generate_series(1, 1000);
      CREATE FUNCTION slowly(integer) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(0.001); RETURN $1; END';
      SET max_parallel_maintenance_workers = 1; SET min_parallel_table_scan_size = 0`);
    const lowered = (await yieldToReaders(one)) ?? expect.unreachable();
    const helpers = `SELECT pid FROM pg_stat_activity WHERE leader_pid = $1 AND pid <> $1`;

    const building = withHelpersLowered(lowered, () => one.query('CREATE INDEX slow ON numbers (slowly(number))'));

    await vi.waitFor(
      async () => {
        const { rows } = await other.query<{ pid: number }>(helpers, [lowered]);
        expect(rows.map(({ pid }) => getPriority(pid))).toEqual([10]);
      },
      { timeout: 5_000, interval: 5 },
    );
    await building;
    await Promise.all([one.end(), other.end()]);
  });
});
