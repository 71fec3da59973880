import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { query, transaction } from '../../../log/postgres/database.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';

describe('queries to PostgreSQL', () => {
  let it: TestDatabase;
  beforeAll(async () => {
    it = await testDatabase();
    await it.database.query('CREATE TABLE thing (name text PRIMARY KEY, size bigint)');
  });
  afterAll(() => it.close());

  test('given a 64-bit number, then it arrives exactly', async () => {
    const rows = await query(it.database, 'SELECT 9007199254740993::bigint AS n', [], z.object({ n: z.bigint() }));
    expect(rows).toEqual([{ n: 9007199254740993n }]);
  });

  test('given a row that does not fit its schema, then it is refused', async () => {
    await expect(query(it.database, 'SELECT 1 AS n', [], z.object({ n: z.string() }))).rejects.toThrow();
  });

  test('given work that throws, after it had written, then nothing is stored', async () => {
    const work = transaction(it.database, async (client) => {
      await client.query("INSERT INTO thing VALUES ('half', 1)");
      throw new Error('on purpose');
    });
    await expect(work).rejects.toThrow('on purpose');
    expect((await it.database.query('SELECT 1 FROM thing')).rowCount).toBe(0);
  });

  test('given work that resolves, then what it wrote is stored and its result returned', async () => {
    const result = await transaction(it.database, async (client) => {
      await client.query("INSERT INTO thing VALUES ('whole', 1)");
      return 'done';
    });
    expect(result).toBe('done');
    expect((await it.database.query('SELECT 1 FROM thing')).rowCount).toBe(1);
  });
});
