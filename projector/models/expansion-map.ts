/** The expansion map: openings of a place, counted and listed, and the brands worth a pitch. */
import type { Queryable } from '../../log/postgres/database.ts';
import type { Category } from '../../schemas/catalogue.ts';
import type { ExpansionMap, ExpansionPlace, Pitch, ToldOpening } from '../../schemas/expansion.ts';
import type { Region } from '../../schemas/gazetteer.ts';
import { istDay } from '../ist-day.ts';
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
import { readRowCursor, rowCursor } from './page-cursors.ts';
import { type About, citationOf, windowOf } from './query-parts.ts';
import { counted, dayName, listed } from './wording.ts';

// Whom to pitch space to: brands with stores still to come. Pure.

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
  /** The row that told last of stores to come. */
  readonly newest: Row;
}

/** Stores of an opening, at least: one that is told without a number is one. */
const atLeast = ({ stores }: Pick<Planned, 'stores'>): number => Math.max(stores ?? 1, 1);

const sum = (rows: readonly Planned[]): number => rows.reduce((total, row) => total + atLeast(row), 0);

/** Whether a later opening is the one that was planned: in the same mall, or one store in the same city. */
const isDone = (plan: Planned, opened: readonly Planned[]): boolean =>
  opened.some(
    ({ mall, city, published_at }) =>
      published_at > plan.published_at &&
      (plan.mall === null ? plan.city !== null && plan.city === city && atLeast(plan) === 1 : plan.mall === mall),
  );

/** Plans whose day has not passed and which no later opening fulfils. */
export function stillToCome<Row extends Planned>(rows: readonly Row[], today: string): Row[] {
  const opened = rows.filter(({ status }) => status === 'opened');
  return rows.filter(
    (row) =>
      (row.status === 'announced' || row.status === 'planned') &&
      (row.date === null || row.date >= today) &&
      !isDone(row, opened),
  );
}

/**
 * Judges one brand by its rows of the window.
 * @param today in IST, YYYY-MM-DD
 * @param days length of the window
 * @returns null where no store is still to come
 */
export function judge<Row extends Planned>(rows: readonly Row[], today: string, days: number): Judged<Row> | null {
  const coming = stillToCome(rows, today).toSorted(
    (one, other) => other.published_at.getTime() - one.published_at.getTime(),
  );
  const [newest] = coming;
  if (!newest) return null;
  const [planned, opened] = [sum(coming), sum(rows.filter(({ status }) => status === 'opened'))];
  const reports = new Set(coming.map(({ key }) => key)).size;
  const places = [...new Set(coming.flatMap(({ city }) => city ?? []))];
  const told = `${counted(planned, 'store')} announced or planned${places.length > 0 ? ` in ${listed(places, 3)}` : ''}`;
  const when =
    reports === 1
      ? `reported on ${dayName(newest.published_at)}`
      : `reported in ${reports} stories, last on ${dayName(newest.published_at)}`;
  const done =
    opened > 0 ? `${counted(opened, 'store')} opened in the last ${days} days` : `none opened in the last ${days} days`;
  return { brand: newest.brand, planned, opened, why: `${told}, ${when}; ${done}.`, newest };
}

/** By stores to come, then by how recently they were told. */
export const byPromise = <Row extends Planned>(one: Judged<Row>, other: Judged<Row>): number =>
  other.planned - one.planned ||
  other.newest.published_at.getTime() - one.newest.published_at.getTime() ||
  (one.brand < other.brand ? -1 : 1);

// The expansion map: openings of a place, counted and listed.

interface ExpansionQuestion {
  /** Name of a city of the catalogue. */
  readonly city?: string | undefined;
  /** A region of several cities, in place of a city. */
  readonly region?: Region | undefined;
  /** Name of a mall of the catalogue. */
  readonly mall?: string | undefined;
  readonly category?: Category | undefined;
  readonly days: number;
  /** Openings that are listed at most. */
  readonly limit: number;
  /** The next_cursor of the page before; its window is kept. */
  readonly cursor?: string | undefined;
  /** Cities and malls that are listed at most, 20 when unset; a map of the country wants all. */
  readonly most?: number | undefined;
}

/** Brands to pitch that are named at most. */
const PITCHES = 20;
/** So many brands are looked at for each one that is named: plans that have passed or are done fall away. */
const SPARE = 3;

/**
 * Openings of all India, a city, a region or a mall, over the last days. Brands of a city are worth a pitch to all its
 * malls.
 * @throws CursorError
 */
export async function expansionMap(
  database: Queryable,
  question: ExpansionQuestion,
  about: About,
): Promise<ExpansionMap> {
  const { city, region, mall, category, days, limit, cursor, most = 20 } = question;
  const { gazetteer } = about;
  const page = cursor === undefined ? { until: about.now, after: undefined } : readRowCursor(cursor);
  const cities = region?.cities ?? (city === undefined ? undefined : [city]);
  const scope: Scope = {
    ...windowOf(page.until, days),
    ...{ cities, mall },
    brands: category && gazetteer.brandsOf(category),
  };
  const place = placeOf(question, about);
  const around: Scope = mall ? { ...scope, mall: undefined, cities: place.city ? [place.city] : undefined } : scope;
  const [brands, byCity, byMall, found, who_to_pitch] = await Promise.all([
    countByBrand(database, scope),
    countByPlace(database, scope, 'city', most),
    countByPlace(database, scope, 'mall', most),
    newestOpenings(database, scope, { limit: limit + 1, after: page.after }),
    whomToPitch(database, around, { days, most: PITCHES }, about),
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
    by_category: byCategory(brands, about),
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
    openings: openings.map((row) => toldOpening(row, about)),
  };
}

/** Counts as an answer has them: stores that opened apart from those announced or planned. */
const countsOf = ({ openings, opened, planned }: Counts) => ({
  openings,
  stores: opened,
  stores_opened: opened,
  stores_planned: planned,
});

function placeOf({ city, region, mall }: ExpansionQuestion, { gazetteer }: About): ExpansionPlace {
  if (region && !mall) return { type: 'region', name: region.name, city: null, state: null };
  const at = mall ? (gazetteer.mall(mall)?.city ?? city ?? null) : (city ?? null);
  const state = at ? (gazetteer.city(at)?.state ?? null) : null;
  if (mall) return { type: 'mall', name: mall, city: at, state };
  return city ? { type: 'city', name: city, city, state } : { type: 'india', name: 'India', city: null, state: null };
}

type BrandCounts = Awaited<ReturnType<typeof countByBrand>>;

function byCategory(brands: BrandCounts, { gazetteer }: About): ExpansionMap['by_category'] {
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
function brandOf({ brand, brand_slug }: OpeningRow, { gazetteer }: About) {
  const known = brand_slug ? gazetteer.company(brand_slug) : null;
  return {
    brand: known?.name ?? brand,
    brand_slug: known?.slug ?? brand_slug,
    category: brand_slug ? gazetteer.categoryOf(brand_slug) : null,
  };
}

/** Brands with stores still to come, by how many and how recently told. @param most brands that are named at most */
export async function whomToPitch(
  database: Queryable,
  scope: Scope,
  { days, most }: { readonly days: number; readonly most: number },
  about: About,
): Promise<Pitch[]> {
  const today = istDay(about.now.getTime());
  const rows = await rowsOfExpanding(database, scope, most * SPARE);
  const judged = [...Map.groupBy(rows, (row) => brandOf(row, about).brand_slug).values()]
    .flatMap((of) => judge(of, today, days) ?? [])
    .sort(byPromise)
    .slice(0, most);
  const cited = await withReports(
    database,
    judged.map(({ newest }) => newest),
  );
  return judged.map(({ planned, opened, why, newest }, index) => ({
    ...brandOf(newest, about),
    ...{ planned, opened, why },
    ...citationOf(cited[index] ?? newest, about.baseUrl),
  }));
}

function toldOpening(row: OpeningRow, about: About): ToldOpening {
  const { city, mall, locality, stores, status, date } = row;
  return {
    ...brandOf(row, about),
    city,
    mall,
    locality,
    stores,
    status,
    date,
    ...citationOf(row, about.baseUrl),
  };
}
