/** The tables of facts as pages and the API read them: filters by name, a page of rows with its totals, and files. */
import { FACTS } from '../facts/all-facts.ts';
import type { FactKind } from '../facts/fact.ts';
import type { Queryable } from '../log/postgres/database.ts';
import {
  cellsOfTable,
  fieldsOfTable,
  listTable,
  readTableCursor,
  sortsOfTable,
  type TableCell,
  type TableFilter,
  type TableOrder,
  type TableRow,
  type TableTotals,
  tableCursor,
  tableTotals,
} from '../projector/models/tables-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import type { FactKindName } from '../schemas/facts.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { brandSlugOf, StoredBrandSlug } from '../schemas/scalar.ts';
import type { CsvTable } from './csv.ts';
import { readCursor } from './public-records.ts';

/** The tables, in the order in which pages list them. */
export const TABLES: readonly FactKindName[] = FACTS.map(({ kind }) => kind);

/** A kind of fact by its name. */
export function factNamed(name: FactKindName): FactKind {
  const fact = FACTS.find(({ kind }) => kind === name);
  if (!fact) throw new Error(`there is no kind of fact ${name}`);
  return fact;
}

/** The values that a field can have; null where any text is allowed. */
export const valuesOf = (table: FactKindName, field: string): readonly string[] | null =>
  factNamed(table).table.columns.find(({ filter }) => filter === field)?.values ?? null;

/** Values by field. */
export type Chosen = TableFilter['only'];

/**
 * The values by which a table is filtered. Names that readers type are resolved, a brand to its slug and a city to its name
 * in the catalogue; both may be separated by commas. Fields of other tables are ignored.
 * @param given values by the names of fields
 * @throws Refusal that names a value that is not allowed
 */
export function chosenValues(
  table: FactKindName,
  given: Readonly<Record<string, readonly string[] | undefined>>,
  directory: Directory,
): Chosen {
  const resolved = (field: string, values: readonly string[]): string[] => {
    const words = (): string[] =>
      values.flatMap((value) => value.split(',').map((word) => word.trim())).filter(Boolean);
    if (field === 'brand')
      return words().map((name) => directory.currentSlug(directory.brandNamed(name)?.slug ?? brandSlugOf(name)));
    if (field === 'city') return words().map((name) => directory.city(name)?.name ?? name);
    const allowed = valuesOf(table, field);
    const wrong = allowed && values.find((value) => !allowed.includes(value));
    if (wrong)
      throw new Refusal(
        'invalid_request',
        `${field}: ${quoted(wrong)} is not allowed. Allowed: ${allowed.join(', ')}.`,
      );
    return [...values];
  };
  return Object.fromEntries(
    fieldsOfTable(table).flatMap((field) => {
      const values = resolved(field, given[field] ?? []);
      return values.length > 0 ? [[field, [...new Set(values)]]] : [];
    }),
  );
}

/** The values with every slug that their brands have had. */
export const withRetiredBrands = ({ brand, ...others }: Chosen, directory: Directory): Chosen => ({
  ...others,
  ...(brand && { brand: brand.flatMap((slug) => directory.slugsOf(StoredBrandSlug.parse(slug))) }),
});

export const NEWEST: TableOrder = { by: 'date', descending: true };

/** An order by the name of a sort; one after `-` is from high to low. @throws Refusal for a sort that the table lacks */
export function orderIn(table: FactKindName, sort: string | undefined): TableOrder {
  if (sort === undefined) return NEWEST;
  const by = sort.replace(/^-/, '');
  if (!sortsOfTable(table).includes(by))
    throw new Refusal(
      'invalid_request',
      `sort: ${quoted(sort)} is not allowed. Allowed: ${sortsOfTable(table).join(', ')}, each with - in front too.`,
    );
  return { by, descending: sort.startsWith('-') };
}

interface TablePage {
  readonly rows: readonly TableRow[];
  readonly totals: TableTotals;
  /** Null where no row follows. */
  readonly next_cursor: string | null;
}

/** A page of rows, and what all rows of the filter add up to. @throws Refusal for a cursor that no page returned */
export async function readTable(
  database: Queryable,
  table: FactKindName,
  filter: TableFilter,
  {
    order,
    cursor,
    limit,
  }: { readonly order: TableOrder; readonly cursor?: string | undefined; readonly limit: number },
): Promise<TablePage> {
  const after = cursor === undefined ? null : readCursor(cursor, (given) => readTableCursor(given, order));
  const [listed, totals] = await Promise.all([
    // One more row than asked for shows whether others follow.
    listTable(database, table, filter, { order, limit: limit + 1, after }),
    tableTotals(database, table, filter),
  ]);
  const rows = listed.slice(0, limit);
  const last = rows.at(-1);
  return { rows, totals, next_cursor: listed.length > limit && last ? tableCursor(order, last) : null };
}

// Files.

/** Columns of every file after those of its table. */
const CITED = ['headline', 'outlets', 'outlet', 'source_url', 'id', 'url'];
const nameInFile = (cell: string): string => (cell === 'date' ? 'opens_on' : cell);

/** A row of a file: the date, what the table shows, and the citation as `/api/v1/signals.csv` names it. */
export const fileRow = ({ cells, ...row }: TableRow, baseUrl: string): Record<string, TableCell> => ({
  published_at: row.published_at.toISOString(),
  ...Object.fromEntries(Object.entries(cells).map(([name, value]) => [nameInFile(name), value])),
  headline: row.headline,
  outlets: row.outlets,
  outlet: row.outlet,
  source_url: row.source_url,
  id: row.key,
  url: `${baseUrl}/signal/${row.slug}`,
});

/** Rows as a table of a file. */
export function tableFile(table: FactKindName, rows: readonly TableRow[], baseUrl: string): CsvTable {
  const columns = ['published_at', ...cellsOfTable(table).map(nameInFile), ...CITED];
  return {
    columns,
    rows: rows.map((row) => {
      const cells = fileRow(row, baseUrl);
      return columns.map((name) => {
        const value = cells[name] ?? null;
        return Array.isArray(value) ? value.join('; ') : value;
      });
    }),
  };
}
