/** Values in COPY's binary format, by the type of their column: PostgreSQL takes them without parsing. */
import type { TableRecord } from '../model.ts';
import { storable } from './encode.ts';
import { microsecondsOf } from './instant.ts';
import type { Tuple } from './tuple.ts';

type Value = NonNullable<TableRecord[string]>;

/** Writes the length of a value and the value. @throws TypeError for one that the column's type cannot hold */
export type WriteValue = (tuple: Tuple, value: Value) => void;

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
  ...{ text, 'text[]': texts, boolean, integer, bigint },
  ...{ 'double precision': double, 'timestamp with time zone': instant },
};

/**
 * What writes the values of a column.
 * @param type as PostgreSQL's format_type names it
 * @throws TypeError for a type that no read model has had yet
 */
export function writerOf(column: string, type: string): WriteValue {
  const write = WRITERS[type];
  if (write) return write;
  throw new TypeError(`column ${column} is of type ${type}; a rebuild writes ${Object.keys(WRITERS).join(', ')}`);
}
