/** Loads and writes rows in bulk: one statement a table and page. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Model, Table } from '../model.ts';
import { columnsOf, jsonRecords, type Rows, recordsOf } from './encode.ts';

const Stored = z.object({ key: z.string(), row: z.string() }).catchall(z.string().nullable());

/** Reads rows of a build; the map holds null for every key that has none. */
export async function loadRows<Row>(
  database: Queryable,
  model: Model<Row>,
  build: string,
  keys: readonly string[],
): Promise<Map<string, Row | null>> {
  const rows = new Map<string, Row | null>(keys.map((key) => [key, null]));
  const main = model.tables[0];
  if (!main || keys.length === 0) return rows;
  const columns = [...new Set(['key', 'row', ...(model.storage?.columns ?? [])])];
  const text = `SELECT ${columns} FROM ${build}.${main.name} WHERE key = ANY($1)`;
  // The engine wrote these texts itself, from a row of the same version of the model.
  for (const kept of await query(database, text, [keys], Stored))
    rows.set(kept.key, model.storage ? model.storage.restore(kept) : (JSON.parse(kept.row) as Row));
  return rows;
}

/**
 * Writes rows over whatever a build holds under their keys; to be called in a transaction.
 * @param tables those of the model that are written, all when unset
 */
export async function writeRows<Row>(
  client: Queryable,
  model: Model<Row>,
  build: string,
  rows: Rows<Row>,
  tables: readonly Table<Row>[] = model.tables,
): Promise<void> {
  if (rows.size === 0) return;
  const gone = [...rows].filter(([, row]) => row === null).map(([key]) => key);
  for (const table of tables) {
    const main = table === model.tables[0];
    const target = `${build}.${table.name}`;
    const stale = main ? gone : [...rows.keys()];
    if (stale.length > 0) await client.query(`DELETE FROM ${target} WHERE key = ANY($1)`, [stale]);
    const columns = columnsOf(model, table);
    const replace = columns.slice(1).map((column) => `${column} = EXCLUDED.${column}`);
    await client.query(
      `INSERT INTO ${target} (${columns}) SELECT ${columns} FROM json_populate_recordset(null::${target}, $1::json)
       ${main ? `ON CONFLICT (key) DO UPDATE SET ${replace}` : ''}`,
      [jsonRecords(columns, recordsOf(model, table, rows))],
    );
  }
}
