/** Openings as a pivot: stores by city, state, brand or category and by month. Its cells lead to the rows that they sum. */
import { html } from 'hono/html';
import { istDay, monthStart, plusDays } from '../../language/days.ts';
import { formatCount, formatNumber, joinNames } from '../../language/prose.ts';
import type { CsvTable } from '../../presentation/csv.ts';
import type { Markup } from '../../presentation/markup.ts';
import { categoryLabel } from '../../presentation/text.ts';
import { countOpenings, type OpeningCount } from '../../projector/models/openings-pivot-queries.ts';
import { NONE } from '../../projector/models/tables-queries.ts';
import type { Category } from '../../schemas/catalogue.ts';
import { StoredBrandSlug } from '../../schemas/scalar.ts';
import { excerpt, scrolled, tableHead } from '../parts.ts';
import type { Site } from '../site.ts';
import { EVERYTHING, filterOf, PIVOTS, type PivotBy, type TableFilters, tableAddress } from '../tables.ts';

/** Months of a pivot without a range; a page shows the newest ones of a longer range. */
const MONTHS = 12;

export const PIVOT_NAMES: Readonly<Record<PivotBy, string>> = {
  city: 'City',
  state: 'State',
  brand: 'Brand',
  category: 'Category',
};

interface PivotRow {
  readonly name: string;
  /** The value that the rows are filtered by; null for a brand that has none. */
  readonly value: string | null;
  /** Stores by month, YYYY-MM. */
  readonly stores: ReadonlyMap<string, number>;
  readonly total: number;
}

export interface Pivot {
  readonly by: PivotBy;
  /** The filters that the sums are of, with status and range. */
  readonly filters: TableFilters;
  /** Months from the first to the last, YYYY-MM, those without openings included. */
  readonly months: readonly string[];
  /** Most stores first; what has no name comes last. */
  readonly rows: readonly PivotRow[];
}

/** The month so many months later, or earlier. */
const plusMonths = (month: string, months: number): string =>
  monthStart(Number(month.slice(0, 4)), Number(month.slice(5)) + months).slice(0, 7);

/** `Nov 2026`. */
const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-IN', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The filters of a pivot: stores that opened, in the last months, where its reader chose neither. */
function pivotFilters(filters: TableFilters, by: PivotBy, today: string): TableFilters {
  const { only, days, from, to } = filters;
  const first = `${plusMonths((to ?? today).slice(0, 7), 1 - MONTHS)}-01`;
  return {
    ...filters,
    by,
    cursor: undefined,
    only: { ...only, status: only.status ?? ['opened'] },
    ...(from === undefined && days === undefined && { from: first }),
  };
}

/** The row that a count belongs to. */
function placeOf({ name, slug }: OpeningCount, by: PivotBy, { directory, gazetteer }: Site) {
  if (by === 'city') return { name: name ?? 'City not reported', value: name ?? NONE };
  if (by === 'state') {
    const state = name === null ? null : gazetteer.city(name)?.state;
    return { name: state ?? 'State not reported', value: state ?? NONE };
  }
  const current = slug === null ? null : directory.currentSlug(StoredBrandSlug.parse(slug));
  if (by === 'brand') return { name: (current && directory.brand(current)?.name) ?? name ?? '', value: current };
  const category: Category | null = current && gazetteer.categoryOf(current);
  return { name: categoryLabel(category), value: category ?? NONE };
}

/** Adds up the openings of filters. */
export async function openingsPivot(site: Site, shown: TableFilters, by: PivotBy): Promise<Pivot> {
  const today = istDay(site.now().getTime());
  const filters = pivotFilters(shown, by, today);
  const filter = filterOf(filters, site);
  const of = by === 'city' || by === 'state' ? 'city' : 'brand';
  const counts = await countOpenings(site.database, filter, of);
  const grouped = Map.groupBy(counts, (count) => JSON.stringify(placeOf(count, by, site)));
  const rows = [...grouped].map(([place, own]): PivotRow => {
    const stores = new Map<string, number>();
    for (const { month, stores: many } of own) stores.set(month, (stores.get(month) ?? 0) + many);
    return { ...(JSON.parse(place) as ReturnType<typeof placeOf>), stores, total: sumOf(stores) };
  });
  const reported = counts.map(({ month }) => month).toSorted();
  // Without a range of the reader's, months before the first report say nothing.
  const isChosen = shown.from !== undefined || shown.days !== undefined;
  const begin = isChosen && filter.since ? istDay(filter.since.getTime()) : (reported[0] ?? today);
  const first = begin.slice(0, 7);
  const last = [filters.to ?? today, today].toSorted()[0]?.slice(0, 7) ?? today;
  const months = [first];
  for (let month = first; month < last; months.push(month)) month = plusMonths(month, 1);
  return {
    by,
    filters,
    months,
    rows: rows.toSorted(
      (one, other) =>
        Number(one.value === NONE) - Number(other.value === NONE) ||
        other.total - one.total ||
        one.name.localeCompare(other.name, 'en'),
    ),
  };
}

const sumOf = (stores: ReadonlyMap<string, number>, months?: readonly string[]): number =>
  [...stores].reduce((sum, [month, many]) => sum + (months && !months.includes(month) ? 0 : many), 0);

const monthEnd = (month: string): string => plusDays(`${plusMonths(month, 1)}-01`, -1);

/** The rows that a cell sums: those of a name and of some months, within the range of the pivot. */
function cellAddress({ by, filters }: Pivot, value: string | null, months: readonly string[], site: Site): string {
  const { since } = filterOf(filters, site);
  const [first, last] = [`${months[0]}-01`, monthEnd(months.at(-1) ?? '')];
  const begin = since ? istDay(since.getTime()) : first;
  return tableAddress('openings', {
    ...filters,
    by: undefined,
    order: EVERYTHING.order,
    only: value === null ? filters.only : { ...filters.only, [by]: [value] },
    days: undefined,
    from: begin > first ? begin : first,
    to: filters.to !== undefined && filters.to < last ? filters.to : last,
  });
}

/** What is summed: `Stores opened by month of the report`. */
export const pivotCaption = ({ filters }: Pivot): string =>
  `Stores ${joinNames(filters.only.status ?? [])} by month of the report; a report without a number counts as one`;

/**
 * The pivot as a table.
 * @param maximum of rows; files have all
 */
export function pivotTable(pivot: Pivot, site: Site, maximum: number): Markup {
  const { by, rows } = pivot;
  const months = pivot.months.slice(-MONTHS);
  const listed = rows.filter(({ stores }) => sumOf(stores, months) > 0);
  const cell = (many: number, value: string | null, of: readonly string[], isLinked = true): Markup => {
    if (many === 0) return html`<td class="figure nothing">–</td>`;
    const shown = formatNumber(many);
    return html`<td class="figure">${isLinked ? html`<a href="${cellAddress(pivot, value, of, site)}">${shown}</a>` : shown}</td>`;
  };
  const line = (name: Markup | string, stores: ReadonlyMap<string, number>, value: string | null, isLinked: boolean) =>
    html`<tr><th scope="row">${name}</th>${months.map((month) => cell(stores.get(month) ?? 0, value, [month], isLinked))}${cell(sumOf(stores, months), value, months, isLinked)}</tr>
`;
  const all = new Map(months.map((month) => [month, rows.reduce((sum, row) => sum + (row.stores.get(month) ?? 0), 0)]));
  const left = [
    ...(listed.length > maximum ? [formatCount(listed.length - maximum, 'more row')] : []),
    ...(pivot.months.length > MONTHS ? [formatCount(pivot.months.length - MONTHS, 'earlier month')] : []),
  ];
  return html`${scrolled(
    `${pivotCaption(pivot)}, by ${by}`,
    html`<table class="pivot">
  ${tableHead([PIVOT_NAMES[by], ...months.map((month) => ({ figure: monthName(month) })), { figure: 'Total' }])}
  <tbody>${listed.slice(0, maximum).map(({ name, stores, value }) => line(excerpt(name, 40), stores, value, value !== null))}</tbody>
  <tfoot>${line('All', all, null, true)}</tfoot></table>`,
  )}
  <p class="note">${pivotCaption(pivot)}. A figure leads to its rows.${left.length > 0 ? ` The files have ${left.join(' and ')}.` : ''}</p>`;
}

/** The pivot as a table of a file. */
export const pivotFile = ({ by, months, rows }: Pivot, { gazetteer }: Site): CsvTable => ({
  columns: [PIVOT_NAMES[by], ...(by === 'city' ? ['State'] : []), ...months, 'Total'],
  rows: rows.map(({ name, stores, total }) => [
    name,
    ...(by === 'city' ? [gazetteer.city(name)?.state ?? null] : []),
    ...months.map((month) => stores.get(month) ?? 0),
    total,
  ]),
});

/** Links between the rows and the pivots of the same filters. */
export const pivotViews = (filters: TableFilters) =>
  [undefined, ...PIVOTS].map((by) => ({
    path: tableAddress('openings', { ...filters, by, cursor: undefined }),
    name: by === undefined ? 'Rows' : `By ${by}`,
    isCurrent: filters.by === by,
  }));
