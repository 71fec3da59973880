/** What the address of a table says: its filters, order and page, and the addresses that change one of them. */

import { z } from 'zod';
import { formatDay } from '../language/days.ts';
import { labelToWords, slugToWords } from '../presentation/text.ts';
import { fieldsOfTable, sortsOfTable, type TableFilter, type TableOrder } from '../projector/models/tables-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { FIXED_VALUES, type TableName } from '../schemas/moves-by-kind.ts';
import { wholeNumber } from '../schemas/parameters.ts';
import { type BrandSlug, brandSlugOf, StoredBrandSlug } from '../schemas/scalar.ts';
import { readQuery } from './forms.ts';

/** The filters of a table as its address has them. */
export interface Asked {
  readonly only: Readonly<Record<string, readonly string[]>>;
  readonly without: Readonly<Record<string, readonly string[]>>;
  /** Days that end now; unset with `from` or `to`. */
  readonly days?: number | undefined;
  /** Days in IST, YYYY-MM-DD, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Reported by at least so many outlets. */
  readonly outlets?: number | undefined;
  readonly order: TableOrder;
  readonly cursor?: string | undefined;
}

export const FIELD_NAMES: Readonly<Record<string, string>> = {
  brand: 'Brand',
  city: 'City',
  status: 'Status',
  direction: 'Direction',
  quarter: 'Quarter',
  metric: 'Metric',
  type: 'Type',
  regulator: 'Regulator or court',
  action: 'Action',
  outlet: 'Outlet',
};

/** The fixed values of a field; null where any text is allowed. */
export const valuesOf = (table: TableName, field: string): readonly string[] | null =>
  Object.entries<readonly string[]>(FIXED_VALUES[table]).find(([name]) => name === field)?.[1] ?? null;

const NEWEST: TableOrder = { by: 'date', descending: true };
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
  sort: z.string().max(20).describe('the name of a column, with - in front for the other direction').optional(),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,1200}$/)
    .describe('from the link to the next rows, unchanged')
    .optional(),
});

/** A column after `-` is sorted from high to low. */
function orderIn(table: TableName, sort: string | undefined): TableOrder {
  if (sort === undefined) return NEWEST;
  const by = sort.replace(/^-/, '');
  if (!sortsOfTable(table).includes(by))
    throw new Refusal(
      'invalid_request',
      `sort: ${quoted(sort)} is not allowed. Allowed: ${sortsOfTable(table).join(', ')}, each with - in front too.`,
    );
  return { by, descending: sort.startsWith('-') };
}

/** The slug of a brand as readers write it. */
const slugOf = (name: string, directory: Directory): BrandSlug =>
  directory.currentSlug(directory.brandNamed(name)?.slug ?? brandSlugOf(name));

/**
 * Reads the address of a table. Names that readers type are resolved, a brand to its slug and a city to its name in the
 * catalogue; brands and cities may be separated by commas. Fields of other tables are ignored.
 * @throws Refusal that names the invalid fields
 */
export function readTableQuery(table: TableName, query: unknown, directory: Directory): Asked {
  const { days, from, to, outlets, sort, cursor, ...lists } = readQuery(Query, query);
  const resolved = (field: string, values: readonly string[]): string[] => {
    const words = (): string[] =>
      values.flatMap((value) => value.split(',').map((word) => word.trim())).filter(Boolean);
    if (field === 'brand') return words().map((name) => slugOf(name, directory));
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
  const listed = (prefix: string): Record<string, string[]> =>
    Object.fromEntries(
      fieldsOfTable(table).flatMap((field) => {
        const values = (lists as Record<string, string[] | undefined>)[`${prefix}${field}`] ?? [];
        return values.length > 0 ? [[field, [...new Set(resolved(field, values))]]] : [];
      }),
    );
  const isRange = from !== undefined || to !== undefined;
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal('invalid_request', `from: ${formatDay(from)} is after ${formatDay(to)}.`);
  return {
    only: listed(''),
    without: listed('not_'),
    ...(isRange ? { from, to } : { days }),
    ...(outlets !== undefined && outlets > 1 && { outlets }),
    order: orderIn(table, sort),
    cursor,
  };
}

const sortText = ({ by, descending }: TableOrder): string => `${descending ? '-' : ''}${by}`;

/** The parameters of an address, in one order. */
export function parametersOf({ only, without, days, from, to, outlets, order, cursor }: Asked): [string, string][] {
  const listed = (lists: Asked['only'], prefix: string): [string, string][] =>
    Object.keys(FIELD_NAMES).flatMap((field) =>
      (lists[field] ?? []).map((value): [string, string] => [`${prefix}${field}`, value]),
    );
  const single = { days, from, to, outlets, sort: sortText(order), cursor };
  return [
    ...listed(only, ''),
    ...listed(without, 'not_'),
    ...Object.entries(single).flatMap(([name, value]): [string, string][] =>
      value === undefined || (name === 'sort' && value === sortText(NEWEST)) ? [] : [[name, String(value)]],
    ),
  ];
}

/** The address of a table. @param ending `.csv` or `.json` for a file */
export function tableAddress(table: TableName, asked: Asked, ending: '' | '.csv' | '.json' = ''): string {
  const parameters = parametersOf(asked);
  return `/tables/${table}${ending}${parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''}`;
}

/** No filters, newest first. */
export const EVERYTHING: Asked = { only: {}, without: {}, order: NEWEST };

/** The filters that another table has too. */
export function sharedFilters({ only, without, days, from, to, outlets }: Asked, table: TableName): Asked {
  const shared = ['brand', 'city', 'outlet'].filter((field) => fieldsOfTable(table).includes(field));
  const of = (lists: Asked['only']): Asked['only'] =>
    Object.fromEntries(shared.flatMap((field) => (lists[field] ? [[field, lists[field]]] : [])));
  return { ...EVERYTHING, only: of(only), without: of(without), days, from, to, outlets };
}

const DAY = 86_400_000;
const startOf = (day: string): Date => new Date(`${day}T00:00:00+05:30`);

/** The filter of a query. */
export const filterOf = (
  { only, without, days, from, to, outlets }: Asked,
  now: Date,
  directory: Directory,
): TableFilter => {
  const withRetired = ({ brand, ...others }: Asked['only']): Asked['only'] => ({
    ...others,
    ...(brand && { brand: brand.flatMap((slug) => directory.slugsOf(StoredBrandSlug.parse(slug))) }),
  });
  return {
    only: withRetired(only),
    without: withRetired(without),
    outlets,
    since: from ? startOf(from) : days ? new Date(now.getTime() - days * DAY) : undefined,
    until: to ? new Date(startOf(to).getTime() + DAY) : undefined,
  };
};

/** A filter that is set, in words, with the address without it. */
export interface Chip {
  readonly text: string;
  readonly without: string;
  /** The filters that are left without it. */
  readonly left: Asked;
}

/** The name of a value, as readers know it. */
export const valueName = (field: string, value: string, directory: Directory): string => {
  if (field === 'brand') return directory.brand(StoredBrandSlug.parse(value))?.name ?? slugToWords(value);
  return ['status', 'direction', 'type', 'action'].includes(field) ? labelToWords(value) : value;
};

/** The filters that are set, each with the address that it is removed by. */
export function chipsOf(table: TableName, asked: Asked, directory: Directory): Chip[] {
  const first = { ...asked, cursor: undefined };
  const chip = (text: string, change: Partial<Asked>): Chip => ({
    text,
    without: tableAddress(table, { ...first, ...change }),
    left: { ...first, ...change },
  });
  const listed = (side: 'only' | 'without'): Chip[] =>
    Object.entries(asked[side]).flatMap(([field, values]) =>
      values.map((value) => {
        const left = { ...asked[side], [field]: values.filter((one) => one !== value) };
        const name = `${FIELD_NAMES[field]}: ${valueName(field, value, directory)}`;
        return chip(side === 'only' ? name : `Not ${name}`, { [side]: left });
      }),
    );
  const { days, from, to, outlets } = asked;
  return [
    ...listed('only'),
    ...listed('without'),
    ...(days ? [chip(`Last ${days} days`, { days: undefined })] : []),
    ...(from ? [chip(`From ${formatDay(from)}`, { from: undefined })] : []),
    ...(to ? [chip(`Until ${formatDay(to)}`, { to: undefined })] : []),
    ...(outlets ? [chip(`Reported by at least ${outlets} outlets`, { outlets: undefined })] : []),
  ];
}
