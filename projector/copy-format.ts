/** Rows as tuples of COPY's binary format, and back. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { z } from 'zod';
import { type Queryable, query } from '../log/postgres/database.ts';
import type { Model, Table, TableRecord } from './read-model.ts';
import { columnsOf, isMain, microsecondsOf, rowText, storable } from './row-storage.ts';

/** A place in a buffer at which one value after the other is written, as COPY's binary format has them. */

/** Texts up to this length are written unit by unit: a call into the runtime would take longer. */
const SHORT = 40;

class Tuple {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #fits = true;

  /** Goes on writing elsewhere. */
  open(bytes: Buffer, start: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#fits = true;
  }

  /** Where the next byte would go; null when the buffer was too small for what was written since it was opened. */
  end(): number | null {
    return this.#fits ? this.#at : null;
  }

  byte(value: number): void {
    if (this.#has(1)) this.#bytes[this.#at++] = value;
  }

  /** @param value -32768 to 32767 */
  int16(value: number): void {
    if (!this.#has(2)) return;
    this.#bytes[this.#at++] = value >>> 8;
    this.#bytes[this.#at++] = value;
  }

  /** @param value from -2^31 to 2^32 - 1; negative ones in two's complement */
  int32(value: number): void {
    if (!this.#has(4)) return;
    const [bytes, at] = [this.#bytes, this.#at];
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
    this.#at = at + 4;
  }

  int64(value: bigint): void {
    if (this.#has(8)) this.#at = this.#bytes.writeBigInt64BE(value, this.#at);
  }

  double(value: number): void {
    if (this.#has(8)) this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  /** Length and bytes of a text that PostgreSQL can hold. */
  text(text: string): void {
    const { length } = text;
    // A UTF-16 unit has at most three bytes: most texts need no count.
    if (!this.#fits) return;
    if (this.#at + 4 + length * 3 > this.#bytes.length && !this.#has(4 + Buffer.byteLength(text))) return;
    if (length <= SHORT && this.#ascii(text)) return;
    const start = this.#at + 4;
    const written = this.#bytes.write(text, start);
    this.int32(written);
    this.#at = start + written;
  }

  /** Writes the text when it is ASCII throughout; else writes nothing that counts. */
  #ascii(text: string): boolean {
    const [bytes, start, { length }] = [this.#bytes, this.#at + 4, text];
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      bytes[start + index] = code;
    }
    this.int32(length);
    this.#at = start + length;
    return true;
  }

  #has(bytes: number): boolean {
    if (this.#at + bytes > this.#bytes.length) this.#fits = false;
    return this.#fits;
  }
}

// Values in COPY's binary format, by the type of their column: PostgreSQL takes them without parsing.

type Value = NonNullable<TableRecord[string]>;

/** Writes the length of a value and the value. @throws TypeError for one that the column's type cannot hold */
type WriteValue = (tuple: Tuple, value: Value) => void;

/** The number by which PostgreSQL knows the type text. */
const TEXT = 25;

const misfit = (value: Value, what: string): TypeError =>
  new TypeError(`${String(value).slice(0, 100)} is not ${what}`);

function text(tuple: Tuple, value: Value): void {
  if (typeof value === 'object') throw misfit(value, 'one text');
  tuple.text(typeof value === 'string' ? storable(value) : String(value));
}

function texts(tuple: Tuple, value: Value): void {
  if (typeof value !== 'object') throw misfit(value, 'a list of texts');
  const elements = value.map(storable);
  const length = elements.reduce((sum, element) => sum + 4 + Buffer.byteLength(element), 0);
  tuple.int32(elements.length === 0 ? 12 : 20 + length);
  // Dimensions, no nulls among the elements, their type.
  for (const head of [elements.length === 0 ? 0 : 1, 0, TEXT]) tuple.int32(head);
  if (elements.length === 0) return;
  // The size of the one dimension, and the number of its first element.
  for (const head of [elements.length, 1]) tuple.int32(head);
  for (const element of elements) tuple.text(element);
}

function boolean(tuple: Tuple, value: Value): void {
  if (typeof value !== 'boolean') throw misfit(value, 'true or false');
  tuple.int32(1);
  tuple.byte(value ? 1 : 0);
}

function integer(tuple: Tuple, value: Value): void {
  const number = Number(value);
  if (typeof value === 'object' || (number | 0) !== number) throw misfit(value, 'a whole number of 32 bits');
  tuple.int32(4);
  tuple.int32(number);
}

function bigint(tuple: Tuple, value: Value): void {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) throw misfit(value, 'a whole number');
  const whole = BigInt(value as bigint | number);
  if (BigInt.asIntN(64, whole) !== whole) throw misfit(value, 'a whole number of 64 bits');
  tuple.int32(8);
  tuple.int64(whole);
}

function double(tuple: Tuple, value: Value): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw misfit(value, 'a number');
  tuple.int32(8);
  // JSON, by which the live fold writes, knows no -0.
  tuple.double(value + 0);
}

/** Instants come several times in a row: all records of a signal have the same. */
let known = { text: '', microseconds: 0n };

function instant(tuple: Tuple, value: Value): void {
  if (typeof value !== 'string') throw misfit(value, 'an instant');
  if (value !== known.text) known = { text: value, microseconds: microsecondsOf(value) };
  tuple.int32(8);
  tuple.int64(known.microseconds);
}

const WRITERS: Readonly<Record<string, WriteValue>> = {
  text,
  'text[]': texts,
  boolean,
  integer,
  bigint,
  'double precision': double,
  'timestamp with time zone': instant,
};

/**
 * What writes the values of a column.
 * @param type as PostgreSQL's format_type names it
 * @throws TypeError for a type that no read model has had yet
 */
function writerOf(column: string, type: string): WriteValue {
  const write = WRITERS[type];
  if (write) return write;
  throw new TypeError(`column ${column} is of type ${type}; a rebuild writes ${Object.keys(WRITERS).join(', ')}`);
}

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
    writerOf(`${table.name}.${name}`, types.get(name) ?? 'unknown'),
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

/** What the binary format begins with: its signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Adds new rows to a build.
 * @param tuples for each table of the model what `tupleWriter` wrote; they must not change before this resolves
 * @param freeze in the transaction that made or emptied the tables: the rows are frozen at once, so that nothing has to
 *   visit them again before indexes alone can answer
 */
export async function copyTuples(
  client: ClientBase,
  model: Model,
  build: string,
  tuples: readonly (readonly Buffer[])[],
  freeze: boolean,
): Promise<void> {
  for (const [index, table] of model.tables.entries()) {
    const filled = (tuples[index] ?? []).filter(({ length }) => length > 0);
    if (filled.length === 0) continue;
    const columns = columnsOf(model, table);
    const target = client.query(
      copyFrom(`COPY ${build}.${table.name} (${columns}) FROM STDIN WITH (FORMAT binary, FREEZE ${freeze})`),
    );
    await pipeline(Readable.from([HEADER, ...filled, TRAILER]), target);
  }
}
