/**
 * The expansion map: openings of a place, counted and listed, where one event counts once, and the brands worth a
 * pitch.
 */

import { z } from 'zod';
import { formatDay, istDay } from '../../language/days.ts';
import { formatCount, joinNames } from '../../language/prose.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Category } from '../../schemas/catalogue.ts';
import type { Region } from '../../schemas/directory.ts';
import {
  type ExpansionMap,
  type ExpansionPlace,
  OpeningStatus,
  type Pitch,
  type ReportedOpening,
} from '../../schemas/moves-by-kind.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import {
  CITED_COLUMNS,
  Cited,
  citationOf,
  cutPage,
  JOIN_SIGNALS,
  NEWEST_FIRST,
  newestRows,
  PLACED_COLUMNS,
  Placed,
  pageOf,
  type QueryContext,
  windowOf,
} from './query-parts.ts';

/** Which openings are asked for. */
interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** Cities, as the catalogue writes them; several are one region. Unset for all. */
  readonly cities?: readonly string[] | undefined;
  readonly mall?: string | undefined;
  /** Slugs of the brands that count; unset for all. */
  readonly brands?: readonly BrandSlug[] | undefined;
}

/** @returns the condition, and the parameters that it names from $1 on */
function conditionOf({ since, until, cities, mall, brands }: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [since, until];
  const where = ['reported_at >= $1', 'reported_at < $2'];
  const also = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) where.push(condition(`$${parameters.push(value)}`));
  };
  // One city is compared as one, since only then the index gives the order of the list too.
  if (cities?.length === 1) also((parameter) => `city = ${parameter}`, cities[0]);
  else also((parameter) => `city = ANY(${parameter})`, cities);
  also((parameter) => `mall = ${parameter}`, mall);
  also((parameter) => `brand_slug = ANY(${parameter})`, brands);
  return { where: where.join(' AND '), parameters };
}

/** Minimum of stores of a row: an opening without a number counts as one. */
const STORES = 'greatest(coalesce(stores, 1), 1)';
const IS_PLANNED = `status IN ('announced', 'planned')`;

/** Counts of some openings. Opened stores, and those that are announced or planned, by `status`. */
const COUNTS = `(count(*) FILTER (WHERE status <> 'closed'))::int AS openings,
       coalesce(sum(${STORES}) FILTER (WHERE status = 'opened'), 0)::float8 AS opened,
       coalesce(sum(${STORES}) FILTER (WHERE ${IS_PLANNED}), 0)::float8 AS planned`;
const Counts = z.object({ openings: z.int(), opened: z.number(), planned: z.number() });
type Counts = z.infer<typeof Counts>;

const BrandCount = Counts.extend({ brand_slug: StoredBrandSlug.nullable(), closures: z.int() });
const PlaceCount = Counts.extend({ place: z.string() });
const OpeningRow = Cited.extend({
  ...Placed.shape,
  brand: z.string(),
  brand_slug: StoredBrandSlug.nullable(),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.number().nullable(),
  status: OpeningStatus,
  date: z.string().nullable(),
});
type OpeningRow = z.infer<typeof OpeningRow>;
const OWN_COLUMNS = `row.brand, row.brand_slug, row.city, row.mall, row.locality, row.stores::float8 AS stores, row.status, row.date`;

/** Openings, their stores and closures by brand; null for brands that have no slug. */
function countByBrand(database: Queryable, scope: Scope): Promise<z.infer<typeof BrandCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT brand_slug, ${COUNTS}, (count(*) FILTER (WHERE status = 'closed'))::int AS closures
     FROM read.openings WHERE ${where} GROUP BY brand_slug`,
    parameters,
    BrandCount,
  );
}

/**
 * Openings and their stores by city or by mall, most openings first.
 * @param limit maximum of places
 */
export function countByPlace(
  database: Queryable,
  scope: Scope,
  place: 'city' | 'mall',
  limit: number,
): Promise<z.infer<typeof PlaceCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT ${place} AS place, ${COUNTS} FROM read.openings
     WHERE ${where} AND ${place} IS NOT NULL AND status <> 'closed'
     GROUP BY ${place} ORDER BY openings DESC, opened DESC, planned DESC, place LIMIT $${parameters.push(limit)}`,
    parameters,
    PlaceCount,
  );
}

const OPENINGS = { table: 'openings', columns: OWN_COLUMNS, row: OpeningRow };

const ROWS_OF_BRAND = 200;

/**
 * All openings of the brands with most stores announced or planned. They are many, so they are not joined with their
 * signals: `withReports` completes those that are listed.
 * @param brands maximum of brands
 */
function rowsOfExpanding(database: Queryable, scope: Scope, brands: number): Promise<OpeningRow[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `WITH expanding AS MATERIALIZED (
       SELECT brand_slug AS slug FROM read.openings WHERE ${where} AND ${IS_PLANNED} AND brand_slug IS NOT NULL
       GROUP BY brand_slug ORDER BY sum(${STORES}) DESC, max(reported_at) DESC, slug LIMIT $${parameters.push(brands)})
     SELECT row.key, row.slug, row.headline, row.published_at, row.reported_at, row.outlet, row.source_url, ${PLACED_COLUMNS}, ${OWN_COLUMNS}
     FROM expanding, LATERAL (
       SELECT * FROM read.openings WHERE brand_slug = expanding.slug AND ${where}
       ${NEWEST_FIRST} LIMIT ${ROWS_OF_BRAND}) AS row`,
    parameters,
    OpeningRow,
  );
}

const Named = Cited.pick({ key: true, outlet: true, source_url: true });

/** Rows as `CITED_COLUMNS` gives them: one whose own report was not stored cites that of its signal. */
async function withReports(database: Queryable, rows: readonly OpeningRow[]): Promise<OpeningRow[]> {
  const keys = rows.filter(({ outlet }) => outlet === null).map(({ key }) => key);
  if (keys.length === 0) return [...rows];
  const named = await query(
    database,
    `SELECT ${CITED_COLUMNS} FROM read.openings AS row ${JOIN_SIGNALS} WHERE row.key = ANY($1) AND row.outlet IS NULL`,
    [keys],
    Named,
  );
  return rows.map((row) => ({ ...row, ...(row.outlet === null && named.find(({ key }) => key === row.key)) }));
}

/** A row of openings, as deciding needs it. */
export interface Planned {
  readonly key: string;
  readonly brand: string;
  readonly city: string | null;
  readonly mall: string | null;
  readonly stores: number | null;
  readonly status: string;
  readonly date: string | null;
  readonly reported_at: Date;
}

interface Judged<Row extends Planned> {
  readonly brand: string;
  readonly planned: number;
  readonly opened: number;
  readonly why: string;
  /** The newest row with planned stores. */
  readonly newest: Row;
}

/** Minimum of stores of an opening: one without a number counts as one. */
const atLeast = ({ stores }: Pick<Planned, 'stores'>): number => Math.max(stores ?? 1, 1);

const sum = (rows: readonly Planned[]): number => rows.reduce((total, row) => total + atLeast(row), 0);

/** Whether a later opening is the one that was planned: in the same mall, or one store in the same city. */
const isFulfilled = (plan: Planned, opened: readonly Planned[]): boolean =>
  opened.some(
    ({ mall, city, reported_at }) =>
      reported_at > plan.reported_at &&
      (plan.mall === null ? plan.city !== null && plan.city === city && atLeast(plan) === 1 : plan.mall === mall),
  );

/** Plans whose day has not passed and that no later opening fulfils. */
export function openPlans<Row extends Planned>(rows: readonly Row[], today: string): Row[] {
  const opened = rows.filter(({ status }) => status === 'opened');
  return rows.filter(
    (row) =>
      (row.status === 'announced' || row.status === 'planned') &&
      (row.date === null || row.date >= today) &&
      !isFulfilled(row, opened),
  );
}

/**
 * Judges one brand by its rows of the window.
 * @param today in IST, YYYY-MM-DD
 * @param days length of the window
 * @returns null where no store is planned
 */
export function judge<Row extends Planned>(rows: readonly Row[], today: string, days: number): Judged<Row> | null {
  const coming = openPlans(rows, today).toSorted(
    (one, other) => other.reported_at.getTime() - one.reported_at.getTime(),
  );
  const [newest] = coming;
  if (!newest) return null;
  const [planned, opened] = [sum(coming), sum(rows.filter(({ status }) => status === 'opened'))];
  const reports = new Set(coming.map(({ key }) => key)).size;
  const places = [...new Set(coming.flatMap(({ city }) => city ?? []))];
  const plans = `${formatCount(planned, 'store')} announced or planned${places.length > 0 ? ` in ${joinNames(places, 3)}` : ''}`;
  const when =
    reports === 1
      ? `reported on ${formatDay(newest.reported_at)}`
      : `reported in ${reports} stories, last on ${formatDay(newest.reported_at)}`;
  const done =
    opened > 0
      ? `${formatCount(opened, 'store')} opened in the last ${days} days`
      : `none opened in the last ${days} days`;
  return { brand: newest.brand, planned, opened, why: `${plans}, ${when}; ${done}.`, newest };
}

/** By planned stores, then by their newest report. */
export const byPlannedStores = <Row extends Planned>(one: Judged<Row>, other: Judged<Row>): number =>
  other.planned - one.planned ||
  other.newest.reported_at.getTime() - one.newest.reported_at.getTime() ||
  (one.brand < other.brand ? -1 : 1);

interface ExpansionQuestion {
  /** Name of a city of the catalogue. */
  readonly city?: string | undefined;
  /** A region of several cities, in place of a city. */
  readonly region?: Region | undefined;
  /** Name of a mall of the catalogue. */
  readonly mall?: string | undefined;
  readonly category?: Category | undefined;
  /** Brands, in place of those of a category. */
  readonly brands?: readonly BrandSlug[] | undefined;
  readonly days: number;
  /** Maximum of listed openings. */
  readonly limit: number;
  /** The next_cursor of the page before; it contains the window. */
  readonly cursor?: string | undefined;
  /** Maximum of listed cities and of listed malls; default 20. A map of the country needs all. */
  readonly places?: number | undefined;
}

const PITCHES = 20;
/** Brands that are read for each one that is listed: those whose plans have passed or are fulfilled are left out. */
const SPARE = 3;

/**
 * Openings of all India, a city, a region or a mall, over the last days. Brands of a city are worth a pitch to all its
 * malls.
 * @throws CursorError
 */
export async function expansionMap(
  database: Queryable,
  question: ExpansionQuestion,
  context: QueryContext,
): Promise<ExpansionMap> {
  const { city, region, mall, category, days, limit, cursor, places = 20 } = question;
  const { gazetteer } = context;
  const page = pageOf(cursor, context.now);
  const cities = region?.cities ?? (city === undefined ? undefined : [city]);
  const scope: Scope = {
    ...windowOf(page.until, days),
    cities,
    mall,
    brands: question.brands ?? (category && gazetteer.brandsOf(category)),
  };
  const place = placeOf(question, context);
  const around: Scope = mall ? { ...scope, mall: undefined, cities: place.city ? [place.city] : undefined } : scope;
  const [brands, byCity, byMall, rows, who_to_pitch] = await Promise.all([
    countByBrand(database, scope),
    countByPlace(database, scope, 'city', places),
    countByPlace(database, scope, 'mall', places),
    newestRows(database, OPENINGS, conditionOf(scope), { limit: limit + 1, after: page.after }),
    brandsToPitch(database, around, { days, limit: PITCHES }, context),
  ]);
  const total = (count: (brand: (typeof brands)[number]) => number): number =>
    brands.reduce((all, brand) => all + count(brand), 0);
  const { openings: openings_total, ...stores } = countsOf({
    openings: total((brand) => brand.openings),
    opened: total((brand) => brand.opened),
    planned: total((brand) => brand.planned),
  });
  const closures_total = total((brand) => brand.closures);
  const { listed, next_cursor } = cutPage(rows, limit, scope.until);
  return {
    place,
    category: category ?? null,
    since: scope.since.toISOString(),
    until: scope.until.toISOString(),
    openings_total,
    stores_total: stores.stores,
    stores_opened: stores.stores_opened,
    stores_planned: stores.stores_planned,
    closures_total,
    rows_total: openings_total + closures_total,
    next_cursor,
    by_category: byCategory(brands, context),
    by_city: byCity.map(({ place: name, ...counts }) => {
      const { state = null, latitude = null, longitude = null } = gazetteer.city(name) ?? {};
      return { city: name, state, latitude, longitude, ...countsOf(counts) };
    }),
    by_mall: byMall.map(({ place: name, ...counts }) => ({
      mall: name,
      city: gazetteer.mall(name)?.city ?? null,
      ...countsOf(counts),
    })),
    who_to_pitch,
    openings: listed.map((row) => openingDocument(row, context)),
  };
}

/** Counts as an answer has them: stores that opened apart from those announced or planned. */
const countsOf = ({ openings, opened, planned }: Counts) => ({
  openings,
  stores: opened,
  stores_opened: opened,
  stores_planned: planned,
});

function placeOf({ city, region, mall }: ExpansionQuestion, { gazetteer }: QueryContext): ExpansionPlace {
  if (region && !mall) {
    const [only = null, ...others] = new Set(region.cities.map((name) => gazetteer.city(name)?.state ?? null));
    return { type: 'region', name: region.name, city: null, state: others.length === 0 ? only : null };
  }
  const at = mall ? (gazetteer.mall(mall)?.city ?? city ?? null) : (city ?? null);
  const state = at ? (gazetteer.city(at)?.state ?? null) : null;
  if (mall) return { type: 'mall', name: mall, city: at, state };
  return city ? { type: 'city', name: city, city, state } : { type: 'india', name: 'India', city: null, state: null };
}

type BrandCounts = Awaited<ReturnType<typeof countByBrand>>;

function byCategory(brands: BrandCounts, { gazetteer }: QueryContext): ExpansionMap['by_category'] {
  const counts = new Map<Category | null, Counts>();
  for (const { brand_slug, openings, opened, planned } of brands) {
    if (openings === 0) continue;
    const category = brand_slug ? gazetteer.categoryOf(brand_slug) : null;
    const sums = counts.get(category) ?? { openings: 0, opened: 0, planned: 0 };
    counts.set(category, {
      openings: sums.openings + openings,
      opened: sums.opened + opened,
      planned: sums.planned + planned,
    });
  }
  return [...counts]
    .map(([category, count]) => ({ category, ...countsOf(count) }))
    .sort(
      (one, other) =>
        other.openings - one.openings ||
        other.stores_opened - one.stores_opened ||
        other.stores_planned - one.stores_planned ||
        (String(one.category) < String(other.category) ? -1 : 1),
    );
}

/** The brand of a row under the name and slug that it has now. */
function brandOf({ brand, brand_slug }: OpeningRow, { gazetteer }: QueryContext) {
  const company = brand_slug ? gazetteer.company(brand_slug) : null;
  return {
    brand: company?.name ?? brand,
    brand_slug: company?.slug ?? brand_slug,
    category: brand_slug ? gazetteer.categoryOf(brand_slug) : null,
  };
}

/** Brands with planned stores, by how many and how recently they were reported. @param limit maximum of brands */
export async function brandsToPitch(
  database: Queryable,
  scope: Scope,
  { days, limit }: { readonly days: number; readonly limit: number },
  context: QueryContext,
): Promise<Pitch[]> {
  const today = istDay(context.now.getTime());
  const rows = await rowsOfExpanding(database, scope, limit * SPARE);
  const judged = [...Map.groupBy(rows, (row) => brandOf(row, context).brand_slug).values()]
    .flatMap((of) => judge(of, today, days) ?? [])
    .sort(byPlannedStores)
    .slice(0, limit);
  const cited = await withReports(
    database,
    judged.map(({ newest }) => newest),
  );
  return judged.map(({ planned, opened, why, newest }, index) => ({
    ...brandOf(newest, context),
    planned,
    opened,
    why,
    ...citationOf(cited[index] ?? newest, context.baseUrl),
  }));
}

function openingDocument(row: OpeningRow, context: QueryContext): ReportedOpening {
  const { city, mall, locality, stores, status, date } = row;
  return {
    ...brandOf(row, context),
    city,
    mall,
    locality,
    stores,
    status,
    date,
    ...citationOf(row, context.baseUrl),
  };
}
