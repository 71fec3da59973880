/** The expansion map: openings of a place, counted and listed. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { Category } from '../../../schemas/catalogue.ts';
import type { ExpansionMap, ExpansionPlace, Pitch, ToldOpening } from '../../../schemas/expansion.ts';
import { istDay } from '../../ist-day.ts';
import { type About, referenceOf, windowOf } from '../about.ts';
import { byPromise, judge } from './pitch.ts';
import { countByBrand, countByPlace, newestOpenings, type OpeningRow, rowsOfExpanding, type Scope } from './queries.ts';

export interface ExpansionQuestion {
  /** Name of a city of the catalogue. */
  readonly city?: string | undefined;
  /** Name of a mall of the catalogue. */
  readonly mall?: string | undefined;
  readonly category?: Category | undefined;
  readonly days: number;
  /** Openings that are listed at most. */
  readonly limit: number;
  /** Cities and malls that are listed at most, 20 when unset; a map of the country wants all. */
  readonly most?: number | undefined;
}

/** Brands to pitch that are named at most. */
const PITCHES = 20;
/** So many brands are looked at for each one that is named: plans that have passed or are done fall away. */
const SPARE = 3;

/** Openings of all India, a city or a mall, over the last days. Brands of a city are worth a pitch to all its malls. */
export async function expansionMap(
  database: Queryable,
  question: ExpansionQuestion,
  about: About,
): Promise<ExpansionMap> {
  const { city, mall, category, days, limit, most = 20 } = question;
  const { gazetteer, now } = about;
  const scope: Scope = {
    ...windowOf(now, days),
    ...{ city, mall },
    brands: category && gazetteer.brandsOf(category),
  };
  const place = placeOf(question, about);
  const around: Scope = mall ? { ...scope, mall: undefined, city: place.city ?? undefined } : scope;
  const [brands, cities, malls, openings, expanding] = await Promise.all([
    countByBrand(database, scope),
    countByPlace(database, scope, 'city', most),
    countByPlace(database, scope, 'mall', most),
    newestOpenings(database, scope, limit),
    rowsOfExpanding(database, around, PITCHES * SPARE),
  ]);
  const total = (count: (brand: (typeof brands)[number]) => number): number =>
    brands.reduce((all, brand) => all + count(brand), 0);
  return {
    place,
    category: category ?? null,
    since: scope.since.toISOString(),
    until: scope.until.toISOString(),
    openings_total: total((brand) => brand.openings),
    stores_total: total((brand) => brand.stores),
    closures_total: total((brand) => brand.closures),
    by_category: byCategory(brands, about),
    by_city: cities.map(({ place: name, ...counts }) => {
      const { state = null, latitude = null, longitude = null } = gazetteer.city(name) ?? {};
      return { city: name, state, latitude, longitude, ...counts };
    }),
    by_mall: malls.map(({ place: name, ...counts }) => ({
      mall: name,
      city: gazetteer.mall(name)?.city ?? null,
      ...counts,
    })),
    who_to_pitch: pitches(expanding, days, about).slice(0, PITCHES),
    openings: openings.map((row) => toldOpening(row, about)),
  };
}

function placeOf({ city, mall }: ExpansionQuestion, { gazetteer }: About): ExpansionPlace {
  const at = mall ? (gazetteer.mall(mall)?.city ?? city ?? null) : (city ?? null);
  const state = at ? (gazetteer.city(at)?.state ?? null) : null;
  if (mall) return { type: 'mall', name: mall, city: at, state };
  return city ? { type: 'city', name: city, city, state } : { type: 'india', name: 'India', city: null, state: null };
}

type BrandCounts = Awaited<ReturnType<typeof countByBrand>>;

function byCategory(brands: BrandCounts, { gazetteer }: About): ExpansionMap['by_category'] {
  const counts = new Map<Category | null, { openings: number; stores: number }>();
  for (const { brand_slug, openings, stores } of brands) {
    if (openings === 0) continue;
    const category = brand_slug ? gazetteer.categoryOf(brand_slug) : null;
    const known = counts.get(category) ?? { openings: 0, stores: 0 };
    counts.set(category, { openings: known.openings + openings, stores: known.stores + stores });
  }
  return [...counts]
    .map(([category, count]) => ({ category, ...count }))
    .sort(
      (one, other) =>
        other.openings - one.openings ||
        other.stores - one.stores ||
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

/** Brands with stores still to come, by how many and how recently told. */
export function pitches(rows: readonly OpeningRow[], days: number, about: About): Pitch[] {
  const today = istDay(about.now.getTime());
  return [...Map.groupBy(rows, (row) => brandOf(row, about).brand_slug).values()]
    .flatMap((of) => judge(of, today, days) ?? [])
    .sort(byPromise)
    .map(({ planned, opened, why, newest }) => ({
      ...brandOf(newest, about),
      ...{ planned, opened, why },
      signal: referenceOf(newest, about.baseUrl),
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
    signal: referenceOf(row, about.baseUrl),
  };
}
