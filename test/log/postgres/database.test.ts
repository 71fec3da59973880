import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  migrate,
  openDatabase,
  probeSession,
  type Queryable,
  query,
  queryKeys,
  sessionOptions,
  transaction,
} from '../../../log/postgres/database.ts';
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

  test('given keys, few or many, then their rows are found by one plan, also after a view has other types', async () => {
    const client = await it.database.connect();
    try {
      await client.query(`CREATE TABLE numbered AS SELECT 'n' || n AS name, n FROM generate_series(1, 50) n`);
      await client.query('CREATE VIEW seen AS SELECT name, n FROM numbered');
      const text = `SELECT s.* FROM unnest($1::text[]) AS asked(name)
        CROSS JOIN LATERAL (SELECT name, n FROM seen WHERE name = asked.name OFFSET 0) s`;
      const found = async (keys: readonly string[]) => {
        const Row = z.object({ name: z.string(), n: z.coerce.number() });
        const rows = await queryKeys(client, { name: 'numbers_seen', text }, keys, Row);
        return rows.map(({ n }) => n).toSorted((one, other) => one - other);
      };
      for (let call = 1; call <= 12; call++) expect(await found([`n${call}`, 'absent'])).toEqual([call]);
      expect(await found([])).toEqual([]);
      const many = Array.from({ length: 40 }, (_, n) => n + 1);
      expect(await found(many.map((n) => `n${n}`))).toEqual(many);
      const plans = await query(
        client as Queryable,
        `SELECT generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements WHERE name = 'numbers_seen'`,
        [],
        z.object({ generic: z.int(), custom: z.int() }),
      );
      // The first five plans are for what is asked, by which PostgreSQL compares.
      expect(plans).toEqual([{ generic: 9, custom: 5 }]);
      await client.query('DROP VIEW seen');
      await client.query('CREATE VIEW seen AS SELECT name, n::text FROM numbered');
      expect(await found(['n7'])).toEqual([7]);
    } finally {
      client.release(true);
    }
  });

  test('given a migration that fails, then the ones before it are undone too, and no process meets a schema between two releases', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
    await writeFile(join(folder, '0001_first.sql'), 'CREATE TABLE between (n int);');
    await writeFile(join(folder, '0002_second.sql'), 'SELECT 1 / 0;');
    await expect(migrate(it.database, folder, 'steps')).rejects.toMatchObject({ code: '22012' });
    expect((await it.database.query("SELECT to_regclass('between') AS name")).rows).toEqual([{ name: null }]);
    await writeFile(join(folder, '0002_second.sql'), 'ALTER TABLE between ADD m int;');
    await Promise.all([migrate(it.database, folder, 'steps'), migrate(it.database, folder, 'steps')]);
    expect((await it.database.query('SELECT n, m FROM between')).rowCount).toBe(0);
    await rm(folder, { recursive: true });
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

  test('given a process that is suspended in a transaction, then the server ends it after a time, and no session of others', async () => {
    const limit = "SELECT current_setting('idle_in_transaction_session_timeout') AS limit";
    const within = await transaction(it.database, async (client) => (await client.query(limit)).rows);
    expect(within).toEqual([{ limit: '30s' }]);
    expect((await it.database.query(limit)).rows).toEqual([{ limit: '0' }]);
  });

  test('given a pool behind a pooler, then no statement is named, no parameter is sent, and sessions go past the pooler', async () => {
    const prepared = async (pooled: boolean) => {
      const pool = openDatabase(it.url, { max: 1, statementTimeout: 5_000, readOnly: true, pooled });
      await pool.query({ name: 'one', text: 'SELECT $1::int', values: [1] });
      const { rows } = await pool.query(
        `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS statements, current_setting('statement_timeout') AS timeout,
           current_setting('default_transaction_read_only') AS read_only`,
      );
      await pool.end();
      return rows;
    };
    expect(await prepared(false)).toEqual([{ statements: 1, timeout: '5s', read_only: 'on' }]);
    expect(await prepared(true)).toEqual([{ statements: 0, timeout: '0', read_only: 'off' }]);

    const pool = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { directUrl: it.url });
    expect(sessionOptions(pool).connectionString).toBe(it.url);
    const { used, maximum, pooled } = await probeSession(pool);
    expect([pooled, used > 0, used <= maximum]).toEqual([false, true, true]);
    await pool.end();
  });
});
