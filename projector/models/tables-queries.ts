/** Queries of the tables, the same statements for every kind: rows in any order, by pages, and what they add up to. */
import { z } from 'zod';
import { FACTS } from '../../facts/all-facts.ts';
import type { FactKind } from '../../facts/fact.ts';
import type { Column } from '../../facts/rows.ts';
import { type Queryable, query, queryRow } from '../../log/postgres/database.ts';
import type { FactKindName as TableName } from '../../schemas/facts.ts';
import {
  CITED_COLUMNS,
  Cited,
  CursorError,
  CursorTime,
  cursorOf,
  cursorReader,
  followsRow,
  JOIN_SIGNALS,
  PLACED_COLUMNS,
  Placed,
  type RowPlace,
  SignalKey,
} from './query-parts.ts';

/** The outlet of a row of `t`: that of its report, or of the one that its signal cites. */
const OUTLET = `coalesce(t.outlet,
  (SELECT s.item_document::json #>> '{source,outlet}' FROM read.signals s WHERE s.key = t.key))`;
/** Rows of `t` whose signal is about one of some cities, for tables whose rows have none of their own. */
const IN_CITIES = (cities: string): string =>
  `t.key IN (SELECT key FROM read.search_signals WHERE is_public AND cities && ${cities}::text[])`;

/** What queries need of a kind: its table in the schema `read`, and the parts of statements by the names that callers use. */
interface TableQuery {
  readonly table: string;
  /** Which rows are listed; null for all. */
  readonly listed: string | null;
  /** What a row contains in addition to its citation, by column. */
  readonly cells: readonly string[];
  /** Conditions by field; each takes the parameter that has the values, and whether rows without a value fit too. */
  readonly fields: Readonly<Record<string, (values: string, orNone: boolean) => string>>;
  /** What rows are sorted by, apart from the date. */
  readonly sorts: Readonly<Record<string, string>>;
  /** Sorts whose values are numbers. */
  readonly numeric: ReadonlySet<string>;
  /** Sums over the rows. */
  readonly totals: Readonly<Record<string, string>>;
}

/** Text is sorted by its beginning, so that the cursor of a page stays short. */
const sortOf = ({ name, type, values, sortedBy }: Column): string => {
  if (sortedBy) return sortedBy;
  if (type === 'integer' || type === 'number') return `t.${name}::float8`;
  return values ? `t.${name}` : `left(lower(t.${name}), 60)`;
};

/** A value of a field that stands for rows without one. */
export const NONE = 'none';

const filterOf =
  ({ name, type }: Column) =>
  (values: string, orNone: boolean): string => {
    const own = type === 'names' ? `t.${name} && ${values}::text[]` : `t.${name} = ANY(${values}::text[])`;
    return orNone ? `(${own} OR t.${name} IS NULL)` : own;
  };

const queryOf = ({ table: { table, columns, totals, listed } }: FactKind): TableQuery => {
  const own = columns.filter(({ filter }) => filter !== undefined);
  // Rows that have no city of their own are filtered by those of their signal.
  const fields = {
    brand: () => 'false',
    city: IN_CITIES,
    ...Object.fromEntries(own.map((column) => [column.filter, filterOf(column)])),
  };
  const sorted = columns.flatMap((column) => (column.sort === undefined ? [] : [{ ...column, sort: column.sort }]));
  return {
    table,
    totals,
    listed: listed ?? null,
    cells: columns.filter(({ isInternal }) => !isInternal).map(({ name }) => name),
    // Categories are filtered as their brands, states as their cities.
    fields: { ...fields, category: fields.brand, state: fields.city },
    sorts: Object.fromEntries(sorted.map((column) => [column.sort, sortOf(column)])),
    numeric: new Set(sorted.flatMap(({ type, sort }) => (type === 'integer' || type === 'number' ? [sort] : []))),
  };
};

const TABLE_QUERIES: ReadonlyMap<string, TableQuery> = new Map(FACTS.map((fact) => [fact.kind, queryOf(fact)]));

/** @throws Error for a kind that there is not */
function queryNamed(name: TableName): TableQuery {
  const named = TABLE_QUERIES.get(name);
  if (!named) throw new Error(`there is no table ${name}`);
  return named;
}

/** The fields that rows of a table are filtered by. */
export const fieldsOfTable = (name: TableName): readonly string[] => [
  ...Object.keys(queryNamed(name).fields),
  'outlet',
];

/** What a row of a table contains in addition to its citation. */
export const cellsOfTable = (name: TableName): readonly string[] => queryNamed(name).cells;

/** Which rows are asked for. */
export interface TableFilter {
  /** First reported from then on. */
  readonly since?: Date | undefined;
  /** First reported before then. */
  readonly until?: Date | undefined;
  /** Reported by at least so many outlets. */
  readonly outlets?: number | undefined;
  /** Values by field: a row has one of each. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Values by field: a row has none of them. */
  readonly without: Readonly<Record<string, readonly string[]>>;
}

/** The order of the rows; rows with the same value, and without one, are listed newest first. */
export interface TableOrder {
  /** `date`, or one of the sorts of the table. */
  readonly by: string;
  readonly descending: boolean;
}

/** The sorts of a table. */
export const sortsOfTable = (name: TableName): readonly string[] => ['date', ...Object.keys(queryNamed(name).sorts)];

/** @returns the condition, and the parameters that it names from $1 on */
export function conditionOf(name: TableName, filter: TableFilter): { where: string[]; parameters: unknown[] } {
  const { fields, listed } = queryNamed(name);
  const parameters: unknown[] = [];
  const where: string[] = listed === null ? [] : [listed];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const conditionFor = (field: string, values: readonly string[]): string => {
    if (field === 'outlet')
      return `lower(${OUTLET}) = ANY(${parameter(values.map((value) => value.toLowerCase()))}::text[])`;
    const condition = fields[field];
    if (!condition) throw new Error(`the table ${name} has no field ${field}`);
    return condition(parameter(values), values.includes(NONE));
  };
  if (filter.since) where.push(`t.reported_at >= ${parameter(filter.since)}`);
  if (filter.until) where.push(`t.reported_at < ${parameter(filter.until)}`);
  // One outlet is what every public signal has; the index has those with more.
  if (filter.outlets !== undefined && filter.outlets > 1)
    where.push(
      `t.key IN (SELECT key FROM read.signals WHERE status = 'public' AND outlets > 1 AND outlets >= ${parameter(filter.outlets)})`,
    );
  for (const [field, values] of Object.entries(filter.only))
    if (values.length > 0) where.push(conditionFor(field, values));
  for (const [field, values] of Object.entries(filter.without))
    if (values.length > 0) where.push(`(${conditionFor(field, values)}) IS NOT TRUE`);
  return { where, parameters };
}

const SortValue = z.union([z.string(), z.number()]).nullable();
type SortValue = z.infer<typeof SortValue>;
const Cell = z.union([z.string(), z.number(), z.array(z.string())]).nullable();
export type TableCell = z.infer<typeof Cell>;

const Row = Cited.extend({
  ...Placed.shape,
  outlets: z.int(),
  sort_value: SortValue,
  cells: z.record(z.string(), Cell),
});
/** A row: its citation, the outlets that report its signal, and its cells by column. */
export type TableRow = z.infer<typeof Row>;

/** Where a page begins: the row before, with the value that it was sorted by. */
export interface TablePlace extends RowPlace {
  readonly sort_value: SortValue;
}

const condition = (where: readonly string[]): string => (where.length > 0 ? `WHERE ${where.join(' AND ')}` : '');

/** The condition that rows follow a place. Rows without a value come last in both directions. */
function followsPlace(
  place: TablePlace,
  { by, descending }: TableOrder,
  column: string,
  parameters: unknown[],
): string {
  const newer = followsRow(place, parameters);
  if (by === 'date') return descending ? newer : newer.replace('<', '>');
  if (place.sort_value === null) return `${column} IS NULL AND ${newer}`;
  const value = `$${parameters.push(place.sort_value)}`;
  return `(${column} ${descending ? '<' : '>'} ${value} OR ${column} IS NULL OR (${column} = ${value} AND ${newer}))`;
}

/**
 * The rows of a table in an order.
 * @param after the last row of the page before
 */
export function listTable(
  database: Queryable,
  name: TableName,
  filter: TableFilter,
  { order, limit, after }: { readonly order: TableOrder; readonly limit: number; readonly after?: TablePlace | null },
): Promise<TableRow[]> {
  const { table, cells, sorts } = queryNamed(name);
  const { where, parameters } = conditionOf(name, filter);
  const column = sorts[order.by] ?? 'null::text';
  if (after) where.push(followsPlace(after, order, column, parameters));
  const direction = order.descending ? 'DESC' : 'ASC';
  const sorted = (value: string, of: string): string =>
    order.by === 'date'
      ? `${of}.reported_at ${direction}, ${of}.key ${direction}, ${of}.number ${direction}`
      : `${value} ${direction} NULLS LAST, ${of}.reported_at DESC, ${of}.key DESC, ${of}.number DESC`;
  return query(
    database,
    `SELECT ${CITED_COLUMNS}, ${PLACED_COLUMNS}, greatest(coalesce(s.outlets, 1), 1) AS outlets, row.sort_value,
       json_build_object(${cells.map((cell) => `'${cell}', row.${cell}`).join(', ')}) AS cells
     FROM (SELECT t.*, ${column} AS sort_value FROM read.${table} t ${condition(where)}
       ORDER BY ${sorted(column, 't')} LIMIT $${parameters.push(limit)}) AS row
     ${JOIN_SIGNALS} ORDER BY ${sorted('row.sort_value', 'row')}`,
    parameters,
    Row,
  );
}

const Totals = z.object({ rows: z.int(), sums: z.record(z.string(), z.number()) });
export type TableTotals = z.infer<typeof Totals>;

/** What all rows of a filter add up to: their number, and the sums of the table by name. */
export function tableTotals(database: Queryable, name: TableName, filter: TableFilter): Promise<TableTotals> {
  const { table, totals } = queryNamed(name);
  const { where, parameters } = conditionOf(name, filter);
  const sums = Object.entries(totals).map(([sum, expression]) => `'${sum}', ${expression}`);
  return queryRow(
    database,
    `SELECT count(*)::int AS rows, json_build_object(${sums.join(', ')}) AS sums
     FROM read.${table} t ${condition(where)}`,
    parameters,
    Totals,
  );
}

const Value = z.object({ field: z.string(), value: z.string() });

/**
 * The most frequent values of the fields of a table that have no fixed list.
 * @param limit maximum of each field
 */
export async function tableValues(
  database: Queryable,
  name: TableName,
  limit: number,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const columns = FACTS.find(({ kind }) => kind === name)?.table.columns ?? [];
  const suggested = columns.filter(({ filter, values }) => filter && filter !== 'brand' && !values);
  const columnOf: Record<string, string> = {
    ...Object.fromEntries(suggested.map((column) => [column.filter, column.name])),
    outlet: 'outlet',
  };
  const fields = Object.keys(columnOf);
  const of = (field: string): string =>
    `(SELECT '${field}' AS field, ${columnOf[field]} AS value FROM read.${queryNamed(name).table}
      WHERE ${columnOf[field]} IS NOT NULL GROUP BY 2 ORDER BY count(*) DESC, 2 LIMIT $1)`;
  const values = await query(database, fields.map(of).join(' UNION ALL '), [limit], Value);
  return Object.fromEntries(
    fields.map((field) => [field, values.flatMap((one) => (one.field === field ? [one.value] : []))]),
  );
}

const isNumeric = (sort: string): boolean => [...TABLE_QUERIES.values()].some(({ numeric }) => numeric.has(sort));

// Cursors of pages: the order, and the last row with the value that it was sorted by.

const TableCursor = z.tuple([
  z.string().max(20),
  z.boolean(),
  SortValue,
  CursorTime,
  SignalKey,
  z.int().nonnegative().max(2_147_483_647),
]);
const encodeCursor = cursorOf<z.infer<typeof TableCursor>>();
const decodeCursor = cursorReader(TableCursor, (place) => place[3]);

/** The cursor of the page after a row. */
export const tableCursor = ({ by, descending }: TableOrder, { sort_value, at, key, number }: TablePlace): string =>
  encodeCursor([by, descending, sort_value, at, key, number]);

/**
 * The place of a cursor.
 * @throws CursorError for one that no page in this order returned
 */
export function readTableCursor(cursor: string, order: TableOrder): TablePlace {
  const [by, descending, sort_value, at, key, number] = decodeCursor(cursor);
  const isOfType = sort_value === null || (by !== 'date' && (typeof sort_value === 'number') === isNumeric(order.by));
  const fits = isOfType && !String(sort_value).includes('\0') && by === order.by && descending === order.descending;
  if (!fits) throw new CursorError();
  return { sort_value, at, key, number };
}
