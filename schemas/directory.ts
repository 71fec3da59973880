/** What the catalogue knows by name: brands, themes, cities and groups, with or without signals about them. */
import type { Catalogue } from './catalogue.ts';
import { slugify } from './scalar.ts';

/** A name and its slug. */
export interface Entry {
  readonly slug: string;
  readonly name: string;
}

export interface CityEntry extends Entry {
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface Directory {
  /** The slug that a brand has now; a slug that was never retired is answered as it is. */
  currentSlug(slug: string): string;
  /** All slugs of a brand that stories can have: its own first, then retired ones. */
  slugsOf(slug: string): readonly string[];
  /** A brand by its present slug; null for one that the catalogue lacks, which may still have stories. */
  brand(slug: string): Entry | null;
  /** A brand as people write it: its name, another name or its slug, in any case. */
  brandNamed(text: string): Entry | null;
  /** Null for a theme that the catalogue lacks. */
  theme(slug: string): Entry | null;
  /** A city by its slug, or as people write it. */
  city(text: string): CityEntry | null;
  group(slug: string): Entry | null;
  readonly brands: readonly Entry[];
  readonly themes: readonly Entry[];
  readonly cities: readonly CityEntry[];
  readonly groups: readonly Entry[];
}

type Known = Pick<Catalogue, 'brands' | 'themes'> & Partial<Pick<Catalogue, 'cities' | 'groups'>>;

/** By every name, as a slug; the first of two wins. */
function named<Named extends Entry>(entries: readonly (readonly [Named, readonly string[]])[]): Map<string, Named> {
  const found = new Map<string, Named>();
  const own = entries.map(([entry]) => [entry.slug, entry] as const);
  const other = entries.flatMap(([entry, names]) => names.map((name) => [slugify(name), entry] as const));
  for (const [slug, entry] of [...own, ...other]) if (!found.has(slug)) found.set(slug, entry);
  return found;
}

/** @param catalogue may be empty: then brands and themes are known by their stories alone */
export function directoryOf(catalogue: Known): Directory {
  const full = new Map(catalogue.brands.map((brand) => [brand.slug, brand]));
  const brands = catalogue.brands.map(({ slug, name }): Entry => ({ slug, name }));
  const themes = catalogue.themes.map(({ slug, name }): Entry => ({ slug, name }));
  const groups = (catalogue.groups ?? []).map(({ slug, name }): Entry => ({ slug, name }));
  const cities = (catalogue.cities ?? []).map(
    ({ name, state, latitude, longitude }): CityEntry => ({ slug: slugify(name), name, state, latitude, longitude }),
  );
  const current = new Map(
    catalogue.brands.flatMap((brand) => (brand.retired_slugs ?? []).map((retired) => [retired, brand.slug])),
  );
  const brandOf = new Map(brands.map((brand) => [brand.slug, brand]));
  const themeOf = new Map(themes.map((theme) => [theme.slug, theme]));
  const groupOf = new Map(groups.map((group) => [group.slug, group]));
  const brandNames = named(
    catalogue.brands.map(({ slug, name, aliases = [] }) => [{ slug, name }, [name, ...aliases]]),
  );
  const cityNames = named(cities.map((city, place) => [city, catalogue.cities?.[place]?.aliases ?? []]));
  return {
    currentSlug: (slug) => current.get(slug) ?? slug,
    slugsOf: (slug) => [slug, ...(full.get(slug)?.retired_slugs ?? [])],
    brand: (slug) => brandOf.get(slug) ?? null,
    brandNamed: (text) => brandNames.get(slugify(text)) ?? null,
    theme: (slug) => themeOf.get(slug) ?? null,
    city: (text) => cityNames.get(slugify(text)) ?? null,
    group: (slug) => groupOf.get(slug) ?? null,
    brands,
    themes,
    cities,
    groups,
  };
}
