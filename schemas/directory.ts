/** What the catalogue knows by name: brands, themes, cities, malls and groups, with or without signals. */
import {
  CATEGORIES,
  type Catalogue,
  type CatalogueBrand,
  type CatalogueCity,
  type CatalogueGroup,
  type CatalogueMall,
  type Category,
} from './catalogue.ts';
import { type Finding, type Named, nameIndex } from './name-search.ts';
import { type BrandSlug, slugify } from './scalar.ts';

/** A name and its slug. */
export interface Entry {
  readonly slug: string;
  readonly name: string;
}

export interface BrandEntry extends Entry {
  readonly slug: BrandSlug;
  /** RFC 3339; from then on no new story is put under it. */
  readonly retired_at?: string;
}

/** A theme or a group. */
export interface KnownEntry extends Entry {
  readonly retired_at?: string;
}

export interface CityEntry extends Entry {
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface Directory {
  /** The slug that a brand has now; a slug that was never retired is answered as it is. */
  currentSlug(slug: BrandSlug): BrandSlug;
  /** All slugs of a brand that stories can have: its own first, then retired ones. */
  slugsOf(slug: BrandSlug): readonly BrandSlug[];
  /** A brand by its present slug; null for one that the catalogue lacks, which may still have stories. */
  brand(slug: BrandSlug): BrandEntry | null;
  /** A brand as people write it: its name, another name or its slug, in any case. */
  brandNamed(text: string): BrandEntry | null;
  /** A theme by its slug, present or retired; null for one that the catalogue lacks. */
  theme(slug: string): KnownEntry | null;
  /** All slugs of a theme that stories can have: its own first, then retired ones. */
  themeSlugsOf(slug: string): readonly string[];
  /** A city by its slug, or as people write it. */
  city(text: string): CityEntry | null;
  /** A group by its slug, present or retired. */
  group(slug: string): KnownEntry | null;
  readonly brands: readonly BrandEntry[];
  readonly themes: readonly Entry[];
  readonly cities: readonly CityEntry[];
  readonly groups: readonly Entry[];
}

type Known = Pick<Catalogue, 'brands' | 'themes'> & Partial<Pick<Catalogue, 'cities' | 'groups'>>;

/** By every name, as a slug; the first of two wins. */
function named<Named extends Entry>(entries: readonly (readonly [Named, readonly string[]])[]): Map<string, Named> {
  const bySlug = new Map<string, Named>();
  const own = entries.map(([entry]) => [entry.slug, entry] as const);
  const other = entries.flatMap(([entry, names]) => names.map((name) => [slugify(name), entry] as const));
  for (const [slug, entry] of [...own, ...other]) if (!bySlug.has(slug)) bySlug.set(slug, entry);
  return bySlug;
}

/** Entries by every slug that they have or had; a present one comes first. */
function bySlugs(
  entries: readonly KnownEntry[],
  full: readonly { readonly slug: string; readonly retired_slugs?: readonly string[] | undefined }[],
): Map<string, KnownEntry> {
  const own = new Map(entries.map((entry) => [entry.slug, entry]));
  const retired = full.flatMap(({ slug, retired_slugs = [] }) => {
    const entry = own.get(slug);
    return entry ? retired_slugs.map((old) => [old, entry] as const) : [];
  });
  return new Map([...retired, ...own]);
}

/** @param catalogue may be empty: then brands and themes are known by their stories alone */
export function directoryOf(catalogue: Known): Directory {
  const full = new Map(catalogue.brands.map((brand) => [brand.slug, brand]));
  const entryOf = <Slug extends string>({
    slug,
    name,
    retired_at,
  }: {
    readonly slug: Slug;
    readonly name: string;
    readonly retired_at?: string | undefined;
  }) => ({ slug, name, ...(retired_at !== undefined && { retired_at }) });
  const brands: readonly BrandEntry[] = catalogue.brands.map((brand) => entryOf(brand));
  const themes: readonly KnownEntry[] = catalogue.themes.map((theme) => entryOf(theme));
  const groups: readonly KnownEntry[] = (catalogue.groups ?? []).map((group) => entryOf(group));
  const cities = (catalogue.cities ?? []).map(
    ({ name, state, latitude, longitude }): CityEntry => ({ slug: slugify(name), name, state, latitude, longitude }),
  );
  const current = new Map(
    catalogue.brands.flatMap((brand) => (brand.retired_slugs ?? []).map((retired) => [retired, brand.slug])),
  );
  const brandOf = new Map(brands.map((brand) => [brand.slug, brand]));
  const themeOf = bySlugs(themes, catalogue.themes);
  const groupOf = bySlugs(groups, catalogue.groups ?? []);
  const themeSlugs = new Map(
    catalogue.themes.map(({ slug, retired_slugs = [] }) => [slug as string, [slug, ...retired_slugs]]),
  );
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
    themeSlugsOf: (slug) => themeSlugs.get(slug) ?? [slug],
    city: (text) => cityNames.get(slugify(text)) ?? null,
    group: (slug) => groupOf.get(slug) ?? null,
    brands,
    themes,
    cities,
    groups,
  };
}

export type { Finding } from './name-search.ts';

/** A company, or a brand as one. */
export interface KnownCompany {
  readonly slug: BrandSlug;
  readonly name: string;
  /** Slugs of stories about it: its own, former ones, and those of the brands that it owns. */
  readonly slugs: readonly BrandSlug[];
  /** Those of them under which it reports: its own, and those of its brand where it has one alone (DMart). */
  readonly reporting: readonly BrandSlug[];
}

/** What the catalogue has of a brand. */
export interface BrandProfile {
  readonly brand: CatalogueBrand;
  /** The company that owns it; null where the catalogue has none. */
  readonly owner: CatalogueBrand | null;
  readonly owned: readonly CatalogueBrand[];
}

/** A category, or a group of businesses, as the brands that belong to it. */
export interface Sector {
  readonly name: string;
  readonly slugs: readonly BrandSlug[];
}

/** Cities that are named together: an urban region, or a state. */
export interface Region {
  readonly name: string;
  /** Names of catalogue cities. */
  readonly cities: readonly string[];
}

/** Regions that people ask for as they do for a city; names of cities that the catalogue lacks are ignored. */
const REGIONS: readonly Named<Region>[] = [
  {
    thing: { name: 'Delhi NCR', cities: ['Delhi', 'Gurugram', 'Noida', 'Greater Noida', 'Ghaziabad', 'Faridabad'] },
    names: ['Delhi NCR', 'NCR', 'National Capital Region', 'Delhi National Capital Region', 'NCR Delhi'],
  },
  {
    thing: { name: 'Mumbai Metropolitan Region', cities: ['Mumbai', 'Navi Mumbai', 'Thane', 'Kalyan', 'Mira Road'] },
    names: ['Mumbai Metropolitan Region', 'MMR', 'Greater Mumbai', 'Mumbai region'],
  },
];

/** The own names of what goes by exactly one name; null where nothing does. */
export interface ExactNames {
  readonly company: string | null;
  readonly city: string | null;
  readonly region: string | null;
  readonly mall: string | null;
  readonly group: string | null;
  readonly category: string | null;
}

/** Every finder takes names, aliases and slugs in any case, with or without accents, and forgives a slip of spelling. */
export interface Gazetteer {
  findCity(name: string): Finding<CatalogueCity>;
  /** A region or a state; null where a city has the name. A slip of spelling is forgiven where it is none of a city. */
  region(name: string): Region | null;
  /** @param city name of a catalogue city, where several malls are called alike */
  findMall(name: string, city?: string): Finding<CatalogueMall>;
  findGroup(name: string): Finding<CatalogueGroup>;
  findCompany(name: string): Finding<KnownCompany>;
  findCategory(name: string): Finding<Category>;
  /** A category or a group. */
  findSector(name: string): Finding<Sector>;
  /** What goes by exactly this name: a text that is the name of one thing is no slip of spelling of another. */
  exactly(name: string): ExactNames;
  readonly groups: readonly CatalogueGroup[];
  readonly malls: readonly CatalogueMall[];
  /** Null for a brand that the catalogue lacks. Retired slugs are known. */
  categoryOf(slug: BrandSlug): Category | null;
  /** The entry of a brand, and the brands that it owns; null for a brand that the catalogue lacks. */
  profileOf(slug: BrandSlug): BrandProfile | null;
  /** Slugs of all brands of a category, retired ones included. */
  brandsOf(category: Category): readonly BrandSlug[];
  /** Slugs of a group's companies, of the brands that these own, and of all others that are counted in it. */
  brandsOfGroup(group: CatalogueGroup): readonly BrandSlug[];
  /** A city by its exact name. */
  city(name: string): CatalogueCity | null;
  mall(name: string): CatalogueMall | null;
  /** A company by its slug, present or retired. */
  company(slug: BrandSlug): KnownCompany | null;
}

/** Categories that are no plain words. */
const CATEGORY_NAMES: Partial<Record<Category, string>> = { fmcg: 'FMCG', ecommerce: 'e-commerce' };

/** `quick_service_restaurants` as people write it. */
export const categoryName = (category: Category): string => CATEGORY_NAMES[category] ?? category.replaceAll('_', ' ');

/** The states, each as its cities. */
export const statesOf = (cities: readonly Pick<CatalogueCity, 'name' | 'state'>[]): Region[] =>
  [...Map.groupBy(cities, ({ state }) => state)].map(([name, own]) => ({ name, cities: own.map((city) => city.name) }));

type NamedCatalogue = Pick<Catalogue, 'brands' | 'groups' | 'cities' | 'malls'>;

/** The indexes of names, by kind of thing. */
function indexesOf({ brands, groups, cities, malls }: NamedCatalogue) {
  // Delhi is the city.
  const states = statesOf(cities).filter(({ name }) => !cities.some((city) => city.name === name));
  return {
    city: nameIndex(cities.map((city) => ({ thing: city, names: [city.name, ...city.aliases] }))),
    region: nameIndex([...REGIONS, ...states.map((state) => ({ thing: state, names: [state.name] }))]),
    mall: nameIndex(
      malls.map((mall) => ({ thing: mall, names: [mall.name, ...mall.aliases, `${mall.name} ${mall.city}`] })),
    ),
    group: nameIndex(groups.map(namedGroup)),
    brand: nameIndex(
      brands.map((brand) => ({
        thing: brand,
        names: namesOfBrand(brand),
      })),
    ),
    category: nameIndex(CATEGORIES.map((category) => ({ thing: category, names: namesOfCategory(category, groups) }))),
  };
}

/** What has exactly this name, of each kind. */
function exactNames(byName: ReturnType<typeof indexesOf>, name: string): ReturnType<Gazetteer['exactly']> {
  const category = byName.category.exact(name);
  return {
    company: byName.brand.exact(name)?.name ?? null,
    city: byName.city.exact(name)?.name ?? null,
    region: byName.region.exact(name)?.name ?? null,
    mall: byName.mall.exact(name)?.name ?? null,
    group: byName.group.exact(name)?.name ?? null,
    category: category && categoryName(category),
  };
}

/** The brands of a catalogue, and what belongs together among them. */
function companiesOf(brands: readonly CatalogueBrand[]) {
  const bySlug = new Map(brands.flatMap((brand) => slugsOf(brand).map((slug) => [slug, brand] as const)));
  const owned = Map.groupBy(brands, ({ parent }) => parent);
  const family = (brand: CatalogueBrand): BrandSlug[] => [
    ...new Set([...slugsOf(brand), ...(owned.get(brand.slug) ?? []).flatMap(family)]),
  ];
  const companyOf = (brand: CatalogueBrand): KnownCompany => ({
    slug: brand.slug,
    name: brand.name,
    slugs: family(brand),
    reporting: [...slugsOf(brand), ...onlyOf(owned.get(brand.slug) ?? [])],
  });
  const brandsOf = (category: Category): BrandSlug[] =>
    brands.filter((brand) => brand.category === category).flatMap(slugsOf);
  const brandsOfGroup = ({ slug, members }: CatalogueGroup): BrandSlug[] => [
    ...new Set([
      ...members.flatMap((member) => bySlug.get(member) ?? []).flatMap(family),
      ...brands.filter((brand) => brand.group === slug).flatMap(slugsOf),
    ]),
  ];
  return { bySlug, owned, companyOf, brandsOf, brandsOfGroup };
}

/** Indexes a catalogue by name. */
export function gazetteerOf(catalogue: NamedCatalogue): Gazetteer {
  const { brands, groups, cities, malls } = catalogue;
  const { bySlug, owned, companyOf, brandsOf, brandsOfGroup } = companiesOf(brands);
  const byName = indexesOf(catalogue);
  const findCategory = (name: string): Finding<Category> => byName.category.find(name);
  const findGroup = (name: string): Finding<CatalogueGroup> => byName.group.find(name);
  return {
    findCity: (name) => byName.city.find(name),
    region: (name) =>
      byName.region.exact(name) ?? (byName.city.find(name).found ? null : byName.region.find(name).found),
    findMall: (name, city) => byName.mall.find(name, city === undefined ? undefined : (mall) => mall.city === city),
    findGroup,
    findCompany(name) {
      const { found: brand, nearest } = byName.brand.find(name);
      return brand ? { found: companyOf(brand) } : { found: null, nearest };
    },
    findCategory,
    findSector(name) {
      const [group, category] = [findGroup(name), findCategory(name)];
      if (!group.found && !category.found)
        return { found: null, nearest: [...new Set([...category.nearest, ...group.nearest])].slice(0, 5) };
      const slugs = [
        ...(group.found ? brandsOfGroup(group.found) : []),
        ...(category.found ? brandsOf(category.found) : []),
      ];
      return {
        found: { name: group.found?.name ?? categoryName(category.found ?? 'other'), slugs: [...new Set(slugs)] },
      };
    },
    exactly: (name) => exactNames(byName, name),
    groups,
    malls,
    categoryOf: (slug) => bySlug.get(slug)?.category ?? null,
    profileOf(slug) {
      const brand = bySlug.get(slug);
      const owner = brand?.parent && bySlug.get(brand.parent);
      return brand ? { brand, owner: owner ?? null, owned: owned.get(brand.slug) ?? [] } : null;
    },
    brandsOf,
    brandsOfGroup,
    city: (name) => cities.find((city) => city.name === name) ?? null,
    mall: (name) => malls.find((mall) => mall.name === name) ?? null,
    company(slug) {
      const brand = bySlug.get(slug);
      return brand ? companyOf(brand) : null;
    },
  };
}

const slugsOf = ({ slug, retired_slugs = [] }: CatalogueBrand): BrandSlug[] => [slug, ...retired_slugs];

const onlyOf = ([only, other]: readonly CatalogueBrand[]): BrandSlug[] => (only && !other ? slugsOf(only) : []);

/** People leave out the last word of `Tata Group`. */
const namesOfBrand = (brand: CatalogueBrand): string[] => [
  brand.name,
  ...slugsOf(brand),
  ...brand.aliases,
  ...brand.legal_names,
  ...(brand.category === 'conglomerate' ? [brand.name.replace(/ Group$/, '')] : []),
];

const namedGroup = (group: CatalogueGroup): Named<CatalogueGroup> => ({
  thing: group,
  names: [group.name, group.slug, ...(group.retired_slugs ?? []), ...group.aliases],
});

/** A category goes by the names of a group that has it alone: `QSR`, `jewellers`. */
const namesOfCategory = (category: Category, groups: readonly CatalogueGroup[]): string[] => [
  categoryName(category),
  ...groups
    .filter(({ categories: [only, other] }) => only === category && other === undefined)
    .flatMap((group) => namedGroup(group).names),
];
