/** What the record has of a brand: openings on a small map, results by quarter, people and deals. */
import { html } from 'hono/html';
import { quarterOrder } from '../../language/fiscal.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { addressWith, type Markup } from '../../presentation/markup.ts';
import { labelToWords } from '../../presentation/text.ts';
import { countByPlace } from '../../projector/models/expansion-map-queries.ts';
import { listTable, type TableCell, type TableRow, tableTotals } from '../../projector/models/tables-queries.ts';
import type { FactKindName as TableName } from '../../schemas/facts.ts';
import { type ExpansionMap, Quarter } from '../../schemas/moves-by-kind.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { INDIA_PICTURE } from '../layout.ts';
import { miniMap } from '../map.ts';
import { type Column, dayTag, excerpt, listPart, part, table } from '../parts.ts';
import type { Site } from '../site.ts';

/** Rows of each list; its table has all. */
const LISTED = 6;
const MAP_CITIES = 100;
/** Rows from which the quarters are made: several metrics a quarter. */
const RESULT_ROWS = 60;
const QUARTERS = 5;
const METRICS = 3;
const YEAR = 365 * 86_400_000;

const text = (value: TableCell | undefined, maximum = 60): string =>
  value === null || value === undefined ? '' : excerpt([value].flat().join(', '), maximum);

/** The rows of a brand. */
export interface BrandRecord {
  readonly openings: readonly TableRow[];
  readonly stores: Readonly<Record<string, number>>;
  /** Cities with openings within a year, most openings first. */
  readonly cities: ExpansionMap['by_city'];
  readonly results: readonly TableRow[];
  readonly people: readonly TableRow[];
  readonly deals: readonly TableRow[];
}

/** Loads what the record has of a brand. @param slugs all that the brand has had */
export async function loadBrandRecord(
  { database, gazetteer, now }: Pick<Site, 'database' | 'gazetteer' | 'now'>,
  slug: BrandSlug,
  slugs: readonly BrandSlug[],
): Promise<BrandRecord> {
  // A company that has one brand alone reports under its own name.
  const reporting = gazetteer.company(slug)?.reporting ?? slugs;
  const rows = (table: TableName, brand: readonly BrandSlug[], limit = LISTED): Promise<TableRow[]> =>
    listTable(
      database,
      table,
      { only: { brand }, without: {} },
      { order: { by: 'date', descending: true }, limit, after: null },
    );
  const [openings, totals, places, results, people, deals] = await Promise.all([
    rows('openings', slugs),
    tableTotals(database, 'openings', { only: { brand: slugs }, without: {} }),
    countByPlace(
      database,
      { since: new Date(now().getTime() - YEAR), until: now(), brands: slugs },
      'city',
      MAP_CITIES,
    ),
    rows('results', reporting, RESULT_ROWS),
    rows('people', slugs),
    rows('deals', slugs),
  ]);
  const cities = places.map(({ place, openings: count, opened, planned }) => {
    const { state = null, latitude = null, longitude = null } = gazetteer.city(place) ?? {};
    const stores = { stores: opened, stores_opened: opened, stores_planned: planned };
    return { city: place, state, latitude, longitude, openings: count, ...stores };
  });
  return { openings, stores: totals.sums, cities, results, people, deals };
}

const reported = ({ slug, headline, reported_at }: TableRow): Markup =>
  html`<small><a href="/signal/${slug}" title="${text(headline, 160)}">${dayTag(reported_at.toISOString())}</a></small>`;

const allRows = (brand: BrandSlug, table: TableName): Markup =>
  html`<p class="note"><a href="${addressWith(`/tables/${table}`, { brand })}">All ${table}</a></p>`;

const rowList = (rows: readonly TableRow[], describe: (row: TableRow) => Markup): Markup =>
  html`<ul class="plain-list facts-list">${rows.map((one) => html`<li>${describe(one)}${reported(one)}</li>`)}</ul>`;

const opening = ({ cells }: TableRow): Markup => {
  const where = [cells.mall, cells.locality, cells.city].map((one) => text(one, 40)).filter(Boolean);
  const stores = typeof cells.stores === 'number' ? `${formatCount(cells.stores, 'store')}, ` : '';
  return html`<b>${where.join(', ') || 'No place stated'}</b> ${stores}${text(cells.status)}${typeof cells.date === 'string' ? html` on ${dayTag(cells.date)}` : null}`;
};

/** The openings: a map of their cities within a year, what they add up to, and the latest; null without any. */
export const openingsPart = (brand: BrandSlug, { openings, stores, cities }: BrandRecord): Markup | null =>
  listPart('Openings', openings, () => {
    const count = (sum: string): string => formatNumber(stores[sum] ?? 0);
    return html`
    <p class="note">On record at least ${formatCount(stores.opened ?? 0, 'store')} opened, ${count('planned')} announced or planned, ${count('closed')} closed.</p>
    <div class="with-map">${cities.length === 0 ? null : miniMap(cities, INDIA_PICTURE, (city) => addressWith('/tables/openings', { brand, city }))}
    ${rowList(openings, opening)}</div>
    ${allRows(brand, 'openings')}`;
  });

const percent = (growth: number): string => `${growth > 0 ? '+' : ''}${String(growth).replace('-', '−')}%`;

/** One figure: its value, its growth, and the story that reports it. */
const figure = (row: TableRow | undefined): Markup => {
  if (!row) return html`<td class="figure nothing">–</td>`;
  const { value, growth_pct } = row.cells;
  const growth = typeof growth_pct === 'number' ? percent(growth_pct) : '';
  return html`<td class="figure"><a href="/signal/${row.slug}" title="${text(row.headline, 160)}">${text(value, 24) || growth || 'reported'}</a>${value && growth ? html`<small>${growth}</small>` : null}</td>`;
};

/** Quarters from the newest on, a column for each of the metrics that are reported most; null without results. */
function resultsPart(brand: BrandSlug, { results }: BrandRecord): Markup | null {
  const rows = results.filter(({ cells }) => Quarter.safeParse(cells.period).success);
  if (rows.length === 0) return null;
  const quarters = [...new Set(rows.map(({ cells }) => String(cells.period)))]
    .toSorted((one, other) => quarterOrder(other) - quarterOrder(one))
    .slice(0, QUARTERS);
  const metrics = [...Map.groupBy(rows, ({ cells }) => String(cells.metric))]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, METRICS)
    .map(([metric]) => metric);
  // Newest first: the first row of a quarter and metric is its newest report.
  const newest = (quarter: string, metric: string) =>
    rows.find(({ cells }) => cells.period === quarter && cells.metric === metric);
  const columns: Column[] = ['Quarter', ...metrics.map((metric) => ({ figure: labelToWords(text(metric, 24)) }))];
  const lines = quarters.map(
    (quarter) =>
      html`<tr><th scope="row">${quarter}</th>${metrics.map((metric) => figure(newest(quarter, metric)))}</tr>`,
  );
  return part(
    'Results by quarter',
    html`${table('Results by quarter', columns, lines)}
    <p class="note">As reported, with the growth against the same quarter of the year before.</p>${allRows(brand, 'results')}`,
  );
}

const appointment = ({ cells }: TableRow): Markup =>
  html`<b>${text(cells.person)}</b> ${text(cells.direction)}, ${text(cells.role, 90)}`;

/** A deal in which the brand is the company, a buyer or an investor. */
const deal = ({ cells }: TableRow): Markup =>
  html`<b>${text(cells.amount, 30) || 'Amount not stated'}</b> ${labelToWords(text(cells.type))}${cells.target ? html` of ${text(cells.target)}` : null}${text(cells.buyers) ? html` by ${text(cells.buyers, 90)}` : null}${cells.status ? html`, ${text(cells.status)}` : null}`;

/** Results, people and deals; null without any. */
export function recordParts(brand: BrandSlug, record: BrandRecord): Markup | null {
  const parts = [
    resultsPart(brand, record),
    listPart('People', record.people, (rows) => [rowList(rows, appointment), allRows(brand, 'people')]),
    listPart('Deals', record.deals, (rows) => [rowList(rows, deal), allRows(brand, 'deals')]),
  ].filter((one) => one !== null);
  return parts.length === 0 ? null : html`<div class="charts records">${parts}</div>`;
}
