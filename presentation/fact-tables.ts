/** The tables of facts as pages and the API read them: filters by name, a page of rows with its totals, and files. */
import { FACTS } from '../facts/all-facts.ts';
import type { FactKind } from '../facts/fact.ts';
import { istDay } from '../language/days.ts';
import type { Queryable } from '../log/postgres/database.ts';
import {
  cellsOfTable,
  fieldsOfTable,
  listTable,
  NONE,
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
import { CATEGORIES, type Category } from '../schemas/catalogue.ts';
import type { Directory, Gazetteer } from '../schemas/directory.ts';
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

const CATEGORY_VALUES = [...CATEGORIES, NONE];

/** The values that a field can have; null where any text is allowed. */
export const valuesOf = (table: FactKindName, field: string): readonly string[] | null =>
  field === 'category'
    ? CATEGORY_VALUES
    : (factNamed(table).table.columns.find(({ filter }) => filter === field)?.values ?? null);

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

type Names = { readonly directory: Directory; readonly gazetteer: Gazetteer };

/** The slugs of a category, or the cities of a state; those of all where `value` is `none`. */
const membersOf = (field: 'category' | 'state', value: string, { directory, gazetteer }: Names): readonly string[] => {
  if (field === 'category')
    return CATEGORIES.flatMap((category) => (value === NONE || value === category ? gazetteer.brandsOf(category) : []));
  return directory.cities.flatMap(({ name, state }) =>
    value === NONE || state.toLowerCase() === value.toLowerCase() ? [name] : [],
  );
};

/** Values by the columns of rows: brands with all their slugs, categories as brands, states as cities. */
export function boundValues(
  only: Chosen,
  without: Chosen,
  names: Names,
): { readonly only: Chosen; readonly without: Chosen } {
  const bound: Record<'only' | 'without', Record<string, readonly string[]>> = { only: {}, without: {} };
  const other = { only: 'without', without: 'only' } as const;
  for (const [side, chosen] of [['only', only] as const, ['without', without] as const])
    for (const [field, values] of Object.entries(chosen)) {
      if (field === 'brand')
        bound[side].brand = values.flatMap((slug) => names.directory.slugsOf(StoredBrandSlug.parse(slug)));
      else if (field !== 'category' && field !== 'state') bound[side][field] = values;
      else if (values.includes(NONE)) bound[other[side]][field] = membersOf(field, NONE, names);
      else bound[side][field] = values.flatMap((value) => membersOf(field, value, names));
      // A name without members fits no row.
      if (values.length > 0 && bound[side][field]?.length === 0) bound[side][field] = [''];
    }
  return bound;
}

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
const CITED = ['category', 'reported_on', 'headline', 'outlets', 'outlet', 'source_url', 'id', 'url'];
const nameInFile = (cell: string): string => (cell === 'date' ? 'opens_on' : cell);

interface FileContext {
  readonly table: FactKindName;
  readonly baseUrl: string;
  readonly gazetteer: Gazetteer;
}

/** The category of the brand that rows are filtered by; of the first of several. */
export function categoryOfRow(table: FactKindName, cells: TableRow['cells'], gazetteer: Gazetteer): Category | null {
  const column = factNamed(table).table.columns.find(({ filter }) => filter === 'brand')?.name ?? '';
  const slugs = [cells[column] ?? []].flat();
  const [category] = slugs.flatMap((slug) => gazetteer.categoryOf(StoredBrandSlug.parse(slug)) ?? []);
  return category ?? null;
}

/** A row of a file: the date, what the table shows, and the citation as `/api/v1/signals.csv` names it. */
export const fileRow = (
  { cells, ...row }: TableRow,
  { table, baseUrl, gazetteer }: FileContext,
): Record<string, TableCell> => ({
  published_at: row.published_at.toISOString(),
  ...Object.fromEntries(Object.entries(cells).map(([name, value]) => [nameInFile(name), value])),
  category: categoryOfRow(table, cells, gazetteer),
  reported_on: istDay(row.reported_at.getTime()),
  headline: row.headline,
  outlets: row.outlets,
  outlet: row.outlet,
  source_url: row.source_url,
  id: row.key,
  url: `${baseUrl}/signal/${row.slug}`,
});

/** Rows as a table of a file. */
export function tableFile(rows: readonly TableRow[], context: FileContext): CsvTable {
  const { table } = context;
  const columns = ['published_at', ...cellsOfTable(table).map(nameInFile), ...CITED];
  return {
    columns,
    rows: rows.map((row) => {
      const cells = fileRow(row, context);
      return columns.map((name) => {
        const value = cells[name] ?? null;
        return Array.isArray(value) ? value.join('; ') : value;
      });
    }),
  };
}
