/** Turns rows into what PostgreSQL takes: JSON for small batches, COPY text for large ones. */
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

/** The columns of a table in the order of its records. */
export const columnsOf = <Row>(model: Model<Row>, table: Table<Row>): string[] =>
  table === model.tables[0] ? ['key', 'row', ...table.columns] : ['key', ...table.columns];

/** All records of a table for these rows, each a list of values in the order of `columnsOf`. */
export function* recordsOf<Row>(model: Model<Row>, table: Table<Row>, rows: Rows<Row>): Generator<Value[]> {
  const main = table === model.tables[0];
  for (const [key, row] of rows) {
    if (row === null) continue;
    for (const record of table.records(row, key)) {
      const values: Value[] = main ? [storable(key), JSON.stringify(row)] : [storable(key)];
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

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escapeCopy = (text: string): string =>
  /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : text;

const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const copyValue = (value: Value): string => {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escapeCopy(value);
  if (typeof value === 'object') return escapeCopy(arrayLiteral(value));
  return String(value);
};

/** One line of COPY's text format. */
export const copyLine = (values: readonly Value[]): string => `${values.map(copyValue).join('\t')}\n`;
