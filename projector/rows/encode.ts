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

const isMain = <Row>(model: Model<Row>, table: Table<Row>): boolean => table === model.tables[0];

/** The columns of a table in the order of its records. */
export const columnsOf = <Row>(model: Model<Row>, table: Table<Row>): string[] =>
  isMain(model, table) ? ['key', 'row', ...table.columns] : ['key', ...table.columns];

/** What the column `row` holds; JSON text, hence storable. */
const rowText = <Row>(model: Model<Row>, row: Row): string => model.storage?.keep(row) ?? JSON.stringify(row);

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

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escapeCopy = (text: string): string =>
  text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);

const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${storable(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const CAREFUL = /[\\\n\r\t\0\ud800-\udfff]/;
const textField = (text: string): string => (CAREFUL.test(text) ? escapeCopy(storable(text)) : text);

/** Text by JSON.stringify: control characters and lone surrogates are escaped in it, by backslashes. */
const jsonField = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);

const copyField = (value: Value | undefined): string => {
  if (typeof value === 'string') return textField(value);
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'object') return value.length === 0 ? '{}' : escapeCopy(arrayLiteral(value));
  return String(value);
};

/** Lines of COPY's text format for all records of a table, with the columns of `columnsOf`. */
export function* copyLines<Row>(model: Model<Row>, table: Table<Row>, rows: Rows<Row>): Generator<string> {
  const main = isMain(model, table);
  const columns = table.columns.map((name) => ({ name, json: table.json?.includes(name) === true }));
  for (const [key, row] of rows) {
    if (row === null) continue;
    for (const record of table.records(row, key)) {
      let line = textField(key);
      if (main) line += `\t${jsonField(rowText(model, row))}`;
      for (const { name, json } of columns) {
        const value = record[name];
        line += `\t${json && typeof value === 'string' ? jsonField(value) : copyField(value)}`;
      }
      yield `${line}\n`;
    }
  }
}
