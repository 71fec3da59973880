/** The expansion map: openings of a place, counted and listed, and the brands worth a pitch. */
import type { Queryable } from '../../log/postgres/database.ts';
import type { Category } from '../../schemas/catalogue.ts';
import type { Region } from '../../schemas/directory.ts';
import type { ExpansionMap, ExpansionPlace, Pitch, ReportedOpening } from '../../schemas/expansion.ts';
import {
  type Counts,
  countByBrand,
  countByPlace,
  newestOpenings,
  type OpeningRow,
  rowsOfExpanding,
  type Scope,
  withReports,
} from './openings-queries.ts';
import { citationOf, type QueryContext, readRowCursor, rowCursor, windowOf } from './query-parts.ts';
import { counted, dayName, istDay, listed } from './wording.ts';

/** A row of openings, as deciding needs it. */
export interface Planned {
  readonly key: string;
  readonly brand: string;
  readonly city: string | null;
  readonly mall: string | null;
  readonly stores: number | null;
  readonly status: string;
  readonly date: string | null;
  readonly published_at: Date;
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
    ({ mall, city, published_at }) =>
      published_at > plan.published_at &&
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
    (one, other) => other.published_at.getTime() - one.published_at.getTime(),
  );
  const [newest] = coming;
  if (!newest) return null;
  const [planned, opened] = [sum(coming), sum(rows.filter(({ status }) => status === 'opened'))];
  const reports = new Set(coming.map(({ key }) => key)).size;
  const places = [...new Set(coming.flatMap(({ city }) => city ?? []))];
  const plans = `${counted(planned, 'store')} announced or planned${places.length > 0 ? ` in ${listed(places, 3)}` : ''}`;
  const when =
    reports === 1
      ? `reported on ${dayName(newest.published_at)}`
      : `reported in ${reports} stories, last on ${dayName(newest.published_at)}`;
  const done =
    opened > 0 ? `${counted(opened, 'store')} opened in the last ${days} days` : `none opened in the last ${days} days`;
  return { brand: newest.brand, planned, opened, why: `${plans}, ${when}; ${done}.`, newest };
}

/** By planned stores, then by their newest report. */
export const byPlannedStores = <Row extends Planned>(one: Judged<Row>, other: Judged<Row>): number =>
  other.planned - one.planned ||
  other.newest.published_at.getTime() - one.newest.published_at.getTime() ||
  (one.brand < other.brand ? -1 : 1);

interface ExpansionQuestion {
  /** Name of a city of the catalogue. */
  readonly city?: string | undefined;
  /** A region of several cities, in place of a city. */
  readonly region?: Region | undefined;
  /** Name of a mall of the catalogue. */
  readonly mall?: string | undefined;
  readonly category?: Category | undefined;
  readonly days: number;
  /** Maximum of listed openings. */
  readonly limit: number;
  /** The next_cursor of the page before; it contains the window. */
  readonly cursor?: string | undefined;
  /** Maximum of listed cities and of listed malls; default 20. A map of the country needs all. */
  readonly places?: number | undefined;
}

/** Maximum of brands to pitch. */
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
  const page = cursor === undefined ? { until: context.now, after: undefined } : readRowCursor(cursor);
  const cities = region?.cities ?? (city === undefined ? undefined : [city]);
  const scope: Scope = {
    ...windowOf(page.until, days),
    ...{ cities, mall },
    brands: category && gazetteer.brandsOf(category),
  };
  const place = placeOf(question, context);
  const around: Scope = mall ? { ...scope, mall: undefined, cities: place.city ? [place.city] : undefined } : scope;
  const [brands, byCity, byMall, found, who_to_pitch] = await Promise.all([
    countByBrand(database, scope),
    countByPlace(database, scope, 'city', places),
    countByPlace(database, scope, 'mall', places),
    newestOpenings(database, scope, { limit: limit + 1, after: page.after }),
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
  const openings = found.slice(0, limit);
  const last = openings.at(-1);
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
    next_cursor: found.length > limit && last ? rowCursor(scope.until, last) : null,
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
    openings: openings.map((row) => openingDocument(row, context)),
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
  if (region && !mall) return { type: 'region', name: region.name, city: null, state: null };
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
    const known = counts.get(category) ?? { openings: 0, opened: 0, planned: 0 };
    counts.set(category, {
      openings: known.openings + openings,
      opened: known.opened + opened,
      planned: known.planned + planned,
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
  const known = brand_slug ? gazetteer.company(brand_slug) : null;
  return {
    brand: known?.name ?? brand,
    brand_slug: known?.slug ?? brand_slug,
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
    ...{ planned, opened, why },
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
