import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, transaction } from '../../log/postgres/database.ts';
import { copyTuples, tupleReader, tupleWriter } from '../../projector/copy-format.ts';
import type { Model } from '../../projector/read-model.ts';
import { writeRows } from '../../projector/row-storage.ts';
import { testDatabase } from '../harness/database.ts';

interface Row {
  readonly words: string | null;
  readonly list: readonly string[];
  readonly flag: boolean;
  readonly small: number;
  readonly large: bigint;
  readonly fraction: number;
  readonly at: string | null;
}

const columns = ['words', 'list', 'flag', 'small', 'large', 'fraction', 'at'] as const;
const table = `(key text COLLATE "C" PRIMARY KEY, row text NOT NULL, words text, list text[], flag boolean, small integer,
  large bigint, fraction double precision, at timestamptz)`;
const keep = (row: Row): string => JSON.stringify({ ...row, large: String(row.large) });
const all: Model<Row> = {
  name: 'all',
  types: [],
  prefixes: [],
  topics: [],
  version: '000000000001' as Model['version'],
  schema: `CREATE TABLE everything ${table};`,
  indexes: [],
  tables: [{ name: 'everything', columns, records: (row) => [{ ...row }] }],
  storage: {
    columns: [],
    keep,
    restore: ({ row }) => JSON.parse(row ?? '{}', (key, value) => (key === 'large' ? BigInt(value) : value)),
  },
  keys: () => [],
  evolve: (row) => row,
};

let made: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  made = await testDatabase();
  database = made.database;
  for (const schema of ['copied', 'inserted'])
    await database.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.everything ${table}`);
});
afterAll(() => made.close());

/** What both ways of writing make of the rows, by key. */
async function bothWays(rows: ReadonlyMap<string, Row>) {
  await transaction(database, async (client) => {
    await client.query('TRUNCATE copied.everything, inserted.everything');
    const write = await tupleWriter(client, all, 'copied');
    const buffer = Buffer.alloc(1_000_000);
    let end = 0;
    for (const [key, row] of rows) end = write(0, key, row, buffer, end) ?? expect.unreachable();
    await copyTuples(client, all, 'copied', [[buffer.subarray(0, end)]], true);
    await writeRows(client, all, 'inserted', rows);
  });
  const read = async (schema: string) =>
    (await database.query(`SELECT t::text AS text FROM ${schema}.everything t ORDER BY key`)).rows;
  return { copied: await read('copied'), inserted: await read('inserted') };
}

const instant = fc
  .record({
    at: fc.date({ min: new Date('1900-01-01'), max: new Date('2500-01-01'), noInvalidDate: true }),
    digits: fc.stringMatching(/^\d{0,9}$/),
    zone: fc.constantFrom('Z', '+05:30', '-03:00'),
  })
  .map(({ at, digits, zone }) => `${at.toISOString().slice(0, 19)}${digits && `.${digits}`}${zone}`);

const anyRow: fc.Arbitrary<Row> = fc.record({
  words: fc.option(fc.string({ unit: 'binary', maxLength: 90 })),
  list: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
  flag: fc.boolean(),
  small: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  large: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fraction: fc.double({ noNaN: true, noDefaultInfinity: true }),
  at: fc.option(instant),
});

describe('rows as COPY takes them', () => {
  it('are stored as INSERT stores them, whatever the values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 20 }), async (rows) => {
        const keyed = new Map(rows.map((row, number) => [`k${number}`, row]));
        const { copied, inserted } = await bothWays(keyed);
        expect(copied).toEqual(inserted);
        expect(copied).toHaveLength(rows.length);
      }),
      { numRuns: 12 },
    );
  });

  it('are read back as they were, and do not go into a buffer that is too small for them', async () => {
    const write = await tupleWriter(database, all, 'copied');
    const read = tupleReader(all);
    fc.assert(
      fc.property(anyRow, (row) => {
        const buffer = Buffer.alloc(4_000);
        const end = write(0, 'key', row, buffer, 7);
        if (end === null) return expect.unreachable();
        expect(keep(read(buffer.subarray(7, end)))).toBe(keep(JSON.parse(keep(row))));
        expect(write(0, 'key', row, buffer.subarray(0, end - 1), 7)).toBeNull();
        expect(write(0, 'key', row, buffer.subarray(0, end), 7)).toBe(end);
      }),
    );
  });

  it.each([
    ['small', 2 ** 31],
    ['small', 0.5],
    ['large', 2n ** 63n],
    ['flag', 'yes'],
    ['fraction', Number.NaN],
    ['list', 'no list'],
    ['words', ['a list']],
    ['at', 'tomorrow'],
    ['at', '2026-11-21T04:30:00'],
  ])('refuse a value that does not fit: %s %s', async (column, value) => {
    const row = { words: null, list: [], flag: true, small: 1, large: 1n, fraction: 1, at: null, [column]: value };
    const write = await tupleWriter(
      database,
      { ...all, storage: { columns: [], keep: () => '', restore: () => row } as never },
      'copied',
    );

    expect(() => write(0, 'key', row as never, Buffer.alloc(1_000), 0)).toThrow(TypeError);
  });

  it('name the column whose type has no COPY format', async () => {
    await database.query('CREATE SCHEMA odd; CREATE TABLE odd.everything (key text, row text, words xml)');
    const odd = { ...all, tables: [{ name: 'everything', columns: ['words'], records: () => [] }] };

    await expect(tupleWriter(database, odd, 'odd')).rejects.toThrow('everything.words is of type xml');
  });
});
