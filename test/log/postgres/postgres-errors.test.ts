import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../log/postgres/database.ts';
import { isDatabaseUnavailable } from '../../../log/postgres/postgres-errors.ts';
import { testDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';

const failing = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);

describe('an unreachable database', () => {
  it('given a closed port, or a session that was terminated, then the database is unreachable', async () => {
    const closed = openDatabase('postgres://nobody@127.0.0.1:1/none');
    expect(isDatabaseUnavailable(await failing(closed.query('SELECT 1')))).toBe(true);
    await closed.end();
    const { database, close } = await testDatabase();
    expect(isDatabaseUnavailable(await failing(database.query('SELECT pg_terminate_backend(pg_backend_pid())')))).toBe(
      true,
    );
    await close();
  });

  it('given every connection in use for too long, then the database is unreachable', async () => {
    const { url, close } = await testDatabase();
    const pool = openDatabase(url, { max: 1, connectionTimeout: 500 });
    const held = await eventually(() => pool.connect());
    expect(isDatabaseUnavailable(await failing(pool.query('SELECT 1')))).toBe(true);
    held.release();
    await pool.end();
    await close();
  });

  it('given an invalid statement, or a defect in the program, then it is not', async () => {
    const { database, close } = await testDatabase();
    for (const statement of ['SELECT nonsense', "SELECT 'x'::integer", 'SELECT 1 / 0'])
      expect(isDatabaseUnavailable(await failing(database.query(statement))), statement).toBe(false);
    for (const mistake of [new TypeError('x is undefined'), new Error('anything'), 'text', null, { code: '08006' }])
      expect(isDatabaseUnavailable(mistake)).toBe(false);
    await close();
  });
});
