/** Names of the record that many pages need, loaded once and cached for a while: brands, themes, cities, malls. */

import { html } from 'hono/html';
import { DAY } from '../language/days.ts';
import { brandPath, type Markup } from '../presentation/markup.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import { recordStart } from '../projector/models/brands-queries.ts';
import { listNames } from '../projector/models/names-queries.ts';
import { recentCounts } from '../projector/models/signals-queries.ts';
import type { CatalogueMall } from '../schemas/catalogue.ts';
import type { Entry, Gazetteer } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { type BrandSlug, Slug, StoredBrandSlug, slugify } from '../schemas/scalar.ts';
import { excerpt } from './parts.ts';
import type { Site } from './site.ts';

/**
 * Caches a value that is the same for every reader.
 * @param seconds how long a value is cached
 * @param load runs once for all concurrent callers; a failure is not cached
 * @param isWorthIt whether a value is cached at all: an empty record fills within seconds
 */
export function cacheFor<Value>(
  seconds: number,
  now: () => Date,
  load: () => Promise<Value>,
  isWorthIt: (value: Value) => boolean = () => true,
): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const at = now().getTime();
    const left = kept ? kept.until - at : 0;
    // More time than `seconds` remains when the clock was set back.
    if (!kept || left <= 0 || left > seconds * 1_000) {
      const value = load();
      const fresh = { value, until: at + seconds * 1_000 };
      kept = fresh;
      const forget = (): void => {
        if (kept === fresh) kept = undefined;
      };
      value.then((loaded) => isWorthIt(loaded) || forget(), forget);
    }
    return kept.value;
  };
}

/** More than the record contains today; a longer list would not help readers. */
const MAXIMUM_NAMES = 20_000;
const NAMES_SECONDS = 300;

/** Every brand, theme and city with a story, each list by name. */
interface RecordNames {
  readonly brands: readonly Entry[];
  readonly themes: readonly Entry[];
  readonly cities: readonly Entry[];
}

/** Makes a cached loader for the index, the sitemap and forms. Names come from the catalogue where it has them. */
export const namesLoader = ({ database, directory, now }: Site): (() => Promise<RecordNames>) => {
  const load = async (): Promise<RecordNames> => {
    const names = await listNames(database, MAXIMUM_NAMES, directory);
    const of = (type: 'brand' | 'theme' | 'city', nameOf: (slug: string) => string | undefined): Entry[] =>
      names
        .filter((name) => name.type === type)
        .map(({ slug, name }) => ({ slug, name: excerpt(nameOf(slug) ?? name) }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    return {
      brands: of('brand', (slug) => directory.brand(StoredBrandSlug.parse(slug))?.name),
      themes: of('theme', (slug) => directory.theme(slug)?.name),
      cities: of('city', () => undefined),
    };
  };
  return cacheFor(NAMES_SECONDS, now, load, ({ brands }) => brands.length > 0);
};

const CITIES_DAYS = 90;
const CITIES_SECONDS = 300;

interface FoundCity {
  readonly name: string;
  /** Null for a city that the catalogue lacks. */
  readonly state: string | null;
  /** The slug of the current address; null when the address is current. */
  readonly redirect: string | null;
}

/** Cities that the catalogue lacks, from the stories of the last days; by slug. */
const citiesLoader = ({ database, now }: Site): (() => Promise<ReadonlyMap<string, string>>) =>
  cacheFor(CITIES_SECONDS, now, async () => {
    const { cities } = await recentCounts(database, new Date(now().getTime() - CITIES_DAYS * DAY), 5_000);
    return new Map(cities.map(({ key }) => [slugify(key), key]));
  });

/** Makes a finder of cities by slug. It throws Refusal `not_found` for a city that neither catalogue nor record knows. */
export function cityFinder(site: Site): (slug: string) => Promise<FoundCity> {
  const loadCities = citiesLoader(site);
  return async (slug) => {
    const isSlug = Slug.safeParse(slug).success;
    const listed = isSlug ? site.directory.city(slug) : null;
    if (listed) {
      const { name, state } = listed;
      return { name, state, redirect: listed.slug === slug ? null : slugify(name) };
    }
    const name = isSlug ? (await loadCities()).get(slug) : undefined;
    if (name === undefined) throw new Refusal('not_found', 'No city of the record has this address.');
    return { name, state: null, redirect: null };
  };
}

interface FoundMall {
  readonly name: string;
  readonly city: string;
  readonly kind: CatalogueMall['kind'];
  /** The slug of the current address; null when the address is current. */
  readonly redirect: string | null;
}

/** The kinds of place as headings. */
export const MALL_KINDS: Readonly<Record<CatalogueMall['kind'], string>> = {
  mall: 'Mall',
  high_street: 'High street',
  airport: 'Airport',
  other: 'Place',
};

/**
 * Finds a mall of the catalogue.
 * @param slug of its name or of an alternative name
 * @throws Refusal `not_found` for a mall that the catalogue lacks, and for an ambiguous name
 */
export function findMall(gazetteer: Gazetteer, slug: string): FoundMall {
  const own = gazetteer.malls.find(({ name }) => slugify(name) === slug);
  if (own) return { name: own.name, city: own.city, kind: own.kind, redirect: null };
  const isSlug = Slug.safeParse(slug).success;
  const { found: mall, nearest = [] } = isSlug ? gazetteer.findMall(slug.replaceAll('-', ' ')) : { found: null };
  if (mall) return { name: mall.name, city: mall.city, kind: mall.kind, redirect: slugify(mall.name) };
  const near = nearest.length > 0 ? ` Similar names: ${nearest.join(', ')}.` : '';
  throw new Refusal('not_found', `No mall of the catalogue has this address.${near}`);
}

/** The refusal of a name in a filter. @param what that has no such name */
export const unknownName = (what: string, nearest: readonly string[]): Refusal =>
  new Refusal(
    'invalid_request',
    `No ${what} has this name. ${nearest.length > 0 ? `Similar names: ${nearest.join(', ')}.` : ''}`,
  );

/** A brand as a link to its page; as text where it has none. */
export const brandName = (name: string | null, slug: string | null): Markup =>
  slug === null ? html`${excerpt(name ?? '')}` : html`<a href="${brandPath(slug)}">${excerpt(name ?? '')}</a>`;

/**
 * Entries whose brand has no page lose its slug, so that pages show its name as text.
 * @param field that has the slug
 */
export async function withPlainNames<
  Field extends 'brand_slug' | 'company_slug',
  One extends Readonly<Record<Field, BrandSlug | null>>,
>(site: Pick<Site, 'database' | 'directory'>, field: Field, entries: readonly One[]): Promise<One[]> {
  const slugs = entries.flatMap((one): BrandSlug[] => (one[field] === null ? [] : [one[field]]));
  const provisional = await provisionalBrands(site, slugs);
  return entries.map((one) => {
    const slug = one[field];
    return slug !== null && provisional.has(slug) ? { ...one, [field]: null } : one;
  });
}

const START_SECONDS = 3_600;

/** Makes a cached loader of when the record begins; null while it is empty. */
export const startLoader = ({ database, now }: Pick<Site, 'database' | 'now'>): (() => Promise<Date | null>) =>
  cacheFor(
    START_SECONDS,
    now,
    () => recordStart(database),
    (start) => start !== null,
  );
