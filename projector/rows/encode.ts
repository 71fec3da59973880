/** What a table holds of a row, in values that PostgreSQL takes. */
import type { Model, Table, TableRecord } from '../model.ts';

type Value = TableRecord[string];

/** Rows of one write, by key; null for a row that is no more. */
export type Rows<Row> = ReadonlyMap<string, Row | null>;

/** Text that PostgreSQL can hold: no NUL and no half of a surrogate pair, which only hostile text has. */
export const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();

const clean = (value: Value | undefined): Value => {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storable);
  return value ?? null;
};

/** True for the table in which the engine keeps the rows themselves. */
export const isMain = <Row>(model: Model<Row>, table: Table<Row>): boolean => table === model.tables[0];

/** The columns of a table in the order of its records. */
export const columnsOf = <Row>(model: Model<Row>, table: Table<Row>): string[] =>
  isMain(model, table) ? ['key', 'row', ...table.columns] : ['key', ...table.columns];

/** What the column `row` holds; JSON text, hence storable. */
export const rowText = <Row>(model: Model<Row>, row: Row): string => model.storage?.keep(row) ?? JSON.stringify(row);

/** All records of a table for these rows, each a list of values in the order of `columnsOf`. */
export function* recordsOf<Row>(model: Model<Row>, table: Table<Row>, rows: Rows<Row>): Generator<Value[]> {
  const main = isMain(model, table);
  for (const [key, row] of rows) {
    if (row === null) continue;
    for (const record of table.records(row, key)) {
      const values: Value[] = main ? [storable(key), rowText(model, row)] : [storable(key)];
      for (const column of table.columns) values.push(clean(record[column]));
      yield values;
    }
  }
}

/** Records as the JSON text that `json_populate_recordset` reads. */
export function jsonRecords(columns: readonly string[], records: Iterable<readonly Value[]>): string {
  const objects: Record<string, Value>[] = [];
  for (const values of records)
    objects.push(Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null])));
  return JSON.stringify(objects, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}

/** An array as PostgreSQL reads it from text. */
export const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${storable(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
