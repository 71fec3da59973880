/** Rows as tuples of COPY's binary format, and back. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Model, Table } from '../model.ts';
import { columnsOf, isMain, rowText, storable } from './encode.ts';
import { Tuple } from './tuple.ts';
import { type WriteValue, writerOf } from './values.ts';

/**
 * Writes all records of a row for one table of its model.
 * @returns where they end; null when the buffer is too small for them
 */
export type WriteTuples<Row> = (table: number, key: string, row: Row, bytes: Buffer, start: number) => number | null;

const NULL = -1;
const Column = z.object({ name: z.string(), type: z.string() });
const COLUMNS = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`;

/**
 * Makes the writer of a model's rows for the tables of a build.
 * @throws TypeError for a column of a type that it does not write
 */
export async function tupleWriter<Row>(client: Queryable, model: Model<Row>, build: string): Promise<WriteTuples<Row>> {
  const tuple = new Tuple();
  const writers: ((key: string, row: Row) => void)[] = [];
  for (const table of model.tables) {
    const found = await query(client, COLUMNS, [`${build}.${table.name}`], Column);
    const types = new Map(found.map(({ name, type }) => [name, type]));
    writers.push(tableWriter(tuple, model, table, types));
  }
  return (table, key, row, bytes, start) => {
    tuple.open(bytes, start);
    writers[table]?.(key, row);
    return tuple.end();
  };
}

function tableWriter<Row>(
  tuple: Tuple,
  model: Model<Row>,
  table: Table<Row>,
  types: ReadonlyMap<string, string>,
): (key: string, row: Row) => void {
  const main = isMain(model, table);
  const fields = columnsOf(model, table).length;
  const columns = table.columns.map((name): [string, WriteValue] => [
    name,
    // What JSON.stringify made is storable.
    table.json?.includes(name) ? writeJson : writerOf(`${table.name}.${name}`, types.get(name) ?? 'unknown'),
  ]);
  return (key, row) => {
    for (const record of table.records(row, key)) {
      tuple.int16(fields);
      tuple.text(storable(key));
      if (main) tuple.text(rowText(model, row));
      for (const [name, write] of columns) {
        const value = record[name] ?? null;
        if (value === null) tuple.int32(NULL);
        else write(tuple, value);
      }
    }
  };
}

const writeJson: WriteValue = (tuple, value) => tuple.text(String(value));

/** Reads a row back from its tuple in the main table. */
export function tupleReader<Row>(model: Model<Row>): (bytes: Buffer) => Row {
  const [main] = model.tables;
  const columns = main ? columnsOf(model, main) : [];
  const wanted = new Set(['row', ...(model.storage?.columns ?? [])]);
  return (bytes) => {
    const kept: Record<string, string | null> = {};
    let at = 2;
    for (const column of columns) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (wanted.has(column)) kept[column] = length === NULL ? null : bytes.toString('utf8', at, at + length);
      if (length !== NULL) at += length;
    }
    return model.storage ? model.storage.restore(kept) : (JSON.parse(kept.row ?? 'null') as Row);
  };
}
