/** Rows as lines of COPY's text format, and back. */
import type { Model, Table, TableRecord } from '../model.ts';
import { arrayLiteral, columnsOf, isMain, rowText, storable } from './encode.ts';

type Value = TableRecord[string];

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const UNESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
const NULL = '\\N';
const escapeCopy = (text: string): string =>
  text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
const unescapeCopy = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(.)/g, (_, character: string) => UNESCAPES[character] ?? character) : text;

const CAREFUL = /[\\\n\r\t\0\ud800-\udfff]/;
const textField = (text: string): string => (CAREFUL.test(text) ? escapeCopy(storable(text)) : text);

/** Text by JSON.stringify: control characters and lone surrogates are escaped in it, by backslashes. */
const jsonField = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);

const copyField = (value: Value | undefined): string => {
  if (typeof value === 'string') return textField(value);
  if (value === null || value === undefined) return NULL;
  if (typeof value === 'object') return value.length === 0 ? '{}' : escapeCopy(arrayLiteral(value));
  return String(value);
};

/** Makes the lines of a row: one text a table of the model, with all its records, in the columns of `columnsOf`. */
export function lineMaker<Row>(model: Model<Row>): (key: string, row: Row) => string[] {
  const makers = model.tables.map((table) => tableLines(model, table));
  return (key, row) => {
    const begin = textField(key);
    return makers.map((make) => make(begin, key, row));
  };
}

function tableLines<Row>(model: Model<Row>, table: Table<Row>): (begin: string, key: string, row: Row) => string {
  const main = isMain(model, table);
  const columns = table.columns.map((name) => ({ name, json: table.json?.includes(name) === true }));
  return (begin, key, row) => {
    let lines = '';
    for (const record of table.records(row, key)) {
      lines += begin;
      if (main) lines += `\t${jsonField(rowText(model, row))}`;
      for (const { name, json } of columns) {
        const value = record[name];
        lines += `\t${json && typeof value === 'string' ? jsonField(value) : copyField(value)}`;
      }
      lines += '\n';
    }
    return lines;
  };
}

/** Reads a row back from its line in the main table. */
export function lineReader<Row>(model: Model<Row>): (line: string) => Row {
  const [main] = model.tables;
  const columns = main ? columnsOf(model, main) : [];
  const places = ['row', ...(model.storage?.columns ?? [])].map((name) => [name, columns.indexOf(name)] as const);
  return (line) => {
    const fields = line.slice(0, -1).split('\t');
    const kept: Record<string, string | null> = {};
    for (const [name, place] of places) {
      const field = fields[place] ?? NULL;
      kept[name] = field === NULL ? null : unescapeCopy(field);
    }
    return model.storage ? model.storage.restore(kept) : (JSON.parse(kept.row ?? 'null') as Row);
  };
}
