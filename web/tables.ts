/** What the address of a table says: its filters, order and page, and the addresses that change one of them. */

import { z } from 'zod';
import { FACTS } from '../facts/all-facts.ts';
import { DAY, formatDay, istDay, startOfDay } from '../language/days.ts';
import { boundValues, chosenValues, NEWEST, orderIn, valuesOf } from '../presentation/fact-tables.ts';
import { categoryLabel, labelToWords, slugToWords } from '../presentation/text.ts';
import { fieldsOfTable, NONE, type TableFilter, type TableOrder } from '../projector/models/tables-queries.ts';
import { Category } from '../schemas/catalogue.ts';
import type { Directory } from '../schemas/directory.ts';
import type { FactKindName as TableName } from '../schemas/facts.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { wholeNumber } from '../schemas/parameters.ts';
import { StoredBrandSlug } from '../schemas/scalar.ts';
import { oneOf, readFileQuery, readQuery } from './forms.ts';
import type { Site } from './site.ts';

/** The filters of a table as its address has them. */
export interface TableFilters {
  readonly only: Readonly<Record<string, readonly string[]>>;
  readonly without: Readonly<Record<string, readonly string[]>>;
  /** Days that end now; unset with `from` or `to`. */
  readonly days?: number | undefined;
  /** Days in IST, YYYY-MM-DD, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Reported by at least so many outlets. */
  readonly outlets?: number | undefined;
  /** Names of columns that the page leaves out; files have all. */
  readonly hidden?: readonly string[] | undefined;
  readonly order: TableOrder;
  readonly cursor?: string | undefined;
  /** Sums by month in place of the rows, of openings alone. */
  readonly by?: PivotBy | undefined;
}

/** What the rows of a pivot are. */
export const PIVOTS = ['city', 'state', 'brand', 'category'] as const;
export type PivotBy = (typeof PIVOTS)[number];

/** What fields of all tables are called. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  brand: 'Brand',
  category: 'Category',
  city: 'City',
  state: 'State',
  ...Object.fromEntries(
    FACTS.flatMap(({ table }) =>
      table.columns.flatMap(({ filter, title }) => (filter && title ? [[filter, title]] : [])),
    ),
  ),
  outlet: 'Outlet',
};

const MAXIMUM_VALUES = 20;
const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,120}$/u;

/** Values of a field: the parameter may be repeated; empty ones are ignored. */
const names = z
  .union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)])
  .transform((given) => [
    ...new Set(
      [given]
        .flat()
        .map((value) => value.trim())
        .filter(Boolean),
    ),
  ])
  .pipe(z.array(z.string().regex(NAME)).max(MAXIMUM_VALUES))
  .describe(`at most ${MAXIMUM_VALUES} names`)
  .optional();
const day = (what: string) => z.iso.date().describe(`${what}, such as 2026-11-01`).optional();

const Query = z.object({
  ...Object.fromEntries(
    Object.keys(FIELD_NAMES).flatMap((field) => [field, `not_${field}`].map((name) => [name, names])),
  ),
  days: wholeNumber(1, 3_650).optional(),
  from: day('a first day'),
  to: day('a last day'),
  outlets: wholeNumber(1, 1_000).optional(),
  hide: names,
  by: oneOf(PIVOTS).optional(),
  sort: z.string().max(20).describe('the name of a column, with - in front for the other direction').optional(),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,1200}$/)
    .describe('from the link to the next rows, unchanged')
    .optional(),
});

/** The parameters of the files of a table: the fields of other tables are none. */
const fileQuery = (table: TableName): typeof Query => {
  const isOther = (name: string): boolean => {
    const field = name.replace(/^not_/, '');
    return field in FIELD_NAMES ? !fieldsOfTable(table).includes(field) : name === 'by' && table !== 'openings';
  };
  // Of the same type: the fields that are left out are optional.
  return z.object(
    Object.fromEntries(Object.entries(Query.shape).filter(([name]) => !isOther(name))),
  ) as unknown as typeof Query;
};

/**
 * Reads the address of a table, see `chosenValues`.
 * @param isFile true for a file, whose address has no parameter that is unknown or empty
 * @throws Refusal that names the invalid fields
 */
export function readTableQuery(
  table: TableName,
  query: unknown,
  directory: Directory,
  { isFile = false } = {},
): TableFilters {
  const read = isFile ? readFileQuery(fileQuery(table), query) : readQuery(Query, query);
  const { days, from, to, outlets, hide, sort, cursor, by, ...lists } = read;
  const given = lists as Record<string, string[] | undefined>;
  const without = Object.fromEntries(fieldsOfTable(table).map((field) => [field, given[`not_${field}`]]));
  const isRange = from !== undefined || to !== undefined;
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal('invalid_request', `from: ${formatDay(from)} is after ${formatDay(to)}.`);
  return {
    only: chosenValues(table, given, directory),
    without: chosenValues(table, without, directory),
    ...(isRange ? { from, to } : { days }),
    ...(outlets !== undefined && outlets > 1 && { outlets }),
    ...(hide && hide.length > 0 && { hidden: hide }),
    order: orderIn(table, sort),
    cursor,
    ...(by && table === 'openings' && { by }),
  };
}

const sortText = ({ by, descending }: TableOrder): string => `${descending ? '-' : ''}${by}`;

/** The parameters of an address, in one order. */
export function parametersOf({
  only,
  without,
  days,
  from,
  to,
  outlets,
  hidden = [],
  order,
  cursor,
  by,
}: TableFilters): [string, string][] {
  const listed = (lists: TableFilters['only'], prefix: string): [string, string][] =>
    Object.keys(FIELD_NAMES).flatMap((field) =>
      (lists[field] ?? []).map((value): [string, string] => [`${prefix}${field}`, value]),
    );
  const single = { by, days, from, to, outlets, sort: sortText(order), cursor };
  return [
    ...listed(only, ''),
    ...listed(without, 'not_'),
    ...hidden.map((name): [string, string] => ['hide', name]),
    ...Object.entries(single).flatMap(([name, value]): [string, string][] =>
      value === undefined || (name === 'sort' && value === sortText(NEWEST)) ? [] : [[name, String(value)]],
    ),
  ];
}

/** Files that a table is offered as. */
export const FILES = ['.csv', '.json', '.xlsx'] as const;
export type FileEnding = (typeof FILES)[number];

/** The address of a table. @param ending of a file */
export function tableAddress(table: TableName, filters: TableFilters, ending: '' | FileEnding = ''): string {
  const parameters = parametersOf(filters);
  return `/tables/${table}${ending}${parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''}`;
}

/** No filters, newest first. */
export const EVERYTHING: TableFilters = { only: {}, without: {}, order: NEWEST };

/** The filters that another table has too. */
export function sharedFilters(
  { only, without, days, from, to, outlets }: TableFilters,
  table: TableName,
): TableFilters {
  const shared = ['brand', 'category', 'city', 'state', 'outlet'].filter((field) =>
    fieldsOfTable(table).includes(field),
  );
  const of = (lists: TableFilters['only']): TableFilters['only'] =>
    Object.fromEntries(shared.flatMap((field) => (lists[field] ? [[field, lists[field]]] : [])));
  return { ...EVERYTHING, only: of(only), without: of(without), days, from, to, outlets };
}

/** The filter of a query. */
export const filterOf = (
  { only, without, days, from, to, outlets }: TableFilters,
  { now, directory, gazetteer }: Pick<Site, 'directory' | 'gazetteer' | 'now'>,
): TableFilter => {
  return {
    ...boundValues(only, without, { directory, gazetteer }),
    outlets,
    // Whole days, so that months add up to what the days have.
    since: from ? startOfDay(from) : days ? startOfDay(istDay(now().getTime() - days * DAY)) : undefined,
    until: to ? new Date(startOfDay(to).getTime() + DAY) : undefined,
  };
};

/** A filter that is set, in words, with the address without it. */
export interface Chip {
  readonly text: string;
  readonly without: string;
  /** The filters that are left without it. */
  readonly left: TableFilters;
}

/** The name of a value, as readers know it. */
export const valueName = (field: string, value: string, directory?: Directory): string => {
  if (field === 'brand') return directory?.brand(StoredBrandSlug.parse(value))?.name ?? slugToWords(value);
  if (field === 'category') return categoryLabel(value === NONE ? null : Category.parse(value));
  if (value === NONE) return 'not reported';
  return FACTS.some(({ kind }) => valuesOf(kind, field)) ? labelToWords(value) : value;
};

/** The filters that are set, each with the address that it is removed by. */
export function chipsOf(table: TableName, filters: TableFilters, directory: Directory): Chip[] {
  const first = { ...filters, cursor: undefined };
  const chip = (text: string, change: Partial<TableFilters>): Chip => ({
    text,
    without: tableAddress(table, { ...first, ...change }),
    left: { ...first, ...change },
  });
  const listed = (side: 'only' | 'without'): Chip[] =>
    Object.entries(filters[side]).flatMap(([field, values]) =>
      values.map((value) => {
        const left = { ...filters[side], [field]: values.filter((one) => one !== value) };
        const name = `${FIELD_NAMES[field]}: ${valueName(field, value, directory)}`;
        return chip(side === 'only' ? name : `Not ${name}`, { [side]: left });
      }),
    );
  const { days, from, to, outlets } = filters;
  return [
    ...listed('only'),
    ...listed('without'),
    ...(days ? [chip(`Last ${days} days`, { days: undefined })] : []),
    ...(from ? [chip(`From ${formatDay(from)}`, { from: undefined })] : []),
    ...(to ? [chip(`Until ${formatDay(to)}`, { to: undefined })] : []),
    ...(outlets ? [chip(`Reported by at least ${outlets} outlets`, { outlets: undefined })] : []),
  ];
}
