/** The places, companies and groups of the catalogue, found by whatever name a person gives them. */
import {
  CATEGORIES,
  type Catalogue,
  type CatalogueBrand,
  type CatalogueCity,
  type CatalogueGroup,
  type CatalogueMall,
  type Category,
} from './catalogue.ts';
import { type Finding, foldName, type Named, nameIndex } from './name-search.ts';

export type { Finding } from './name-search.ts';

/** A company, or a brand as one. */
export interface KnownCompany {
  readonly slug: string;
  readonly name: string;
  /** Slugs of stories about it: its own, former ones, and those of the brands that it owns. */
  readonly slugs: readonly string[];
  /** Those of them under which it reports: its own, and those of its brand where it has one alone (DMart). */
  readonly reporting: readonly string[];
}

/** A category, or a group of businesses, as the brands that belong to it. */
export interface Sector {
  readonly name: string;
  readonly slugs: readonly string[];
}

/** Cities that are named together. */
export interface Region {
  readonly name: string;
  /** Names of catalogue cities. */
  readonly cities: readonly string[];
}

/** Regions that people ask for as they do for a city; names of cities that the catalogue lacks do no harm. */
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
  /** A region by one of its exact names, in any case. */
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
  categoryOf(slug: string): Category | null;
  /** Slugs of all brands of a category, retired ones included. */
  brandsOf(category: Category): readonly string[];
  /** Slugs of a group's companies, of the brands that these own, and of all others that are counted in it. */
  brandsOfGroup(group: CatalogueGroup): readonly string[];
  /** A city by its exact name. */
  city(name: string): CatalogueCity | null;
  mall(name: string): CatalogueMall | null;
  /** A company by its slug, present or retired. */
  company(slug: string): KnownCompany | null;
}

/** `quick_service_restaurants` as people write it. */
export const categoryName = (category: Category): string => category.replaceAll('_', ' ');

const regionNamed = (name: string): Region | null =>
  REGIONS.find(({ names }) => names.some((one) => foldName(one) === foldName(name)))?.thing ?? null;

/** Indexes a catalogue by name. */
export function gazetteerOf(catalogue: Pick<Catalogue, 'brands' | 'groups' | 'cities' | 'malls'>): Gazetteer {
  const { brands, groups, cities, malls } = catalogue;
  const bySlug = new Map(brands.flatMap((brand) => slugsOf(brand).map((slug) => [slug, brand] as const)));
  const owned = Map.groupBy(brands, ({ parent }) => parent);
  const family = (brand: CatalogueBrand): string[] => [
    ...new Set([...slugsOf(brand), ...(owned.get(brand.slug) ?? []).flatMap(family)]),
  ];
  const companyOf = (brand: CatalogueBrand): KnownCompany => ({
    slug: brand.slug,
    name: brand.name,
    slugs: family(brand),
    reporting: [...slugsOf(brand), ...onlyOf(owned.get(brand.slug) ?? [])],
  });
  const brandsOf = (category: Category): string[] =>
    brands.filter((brand) => brand.category === category).flatMap(slugsOf);
  const brandsOfGroup = ({ slug, members }: CatalogueGroup): string[] => [
    ...new Set([
      ...members.flatMap((member) => bySlug.get(member) ?? []).flatMap(family),
      ...brands.filter((brand) => brand.group === slug).flatMap(slugsOf),
    ]),
  ];
  const byName = {
    city: nameIndex(cities.map((city) => ({ thing: city, names: [city.name, ...city.aliases] }))),
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
  const findCategory = (name: string): Finding<Category> => byName.category.find(name);
  const findGroup = (name: string): Finding<CatalogueGroup> => byName.group.find(name);
  return {
    findCity: (name) => byName.city.find(name),
    region: regionNamed,
    findMall: (name, city) => byName.mall.find(name, city === undefined ? undefined : (mall) => mall.city === city),
    findGroup,
    findCompany(name) {
      const { found, nearest } = byName.brand.find(name);
      return found ? { found: companyOf(found) } : { found: null, nearest };
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
    exactly(name) {
      const category = byName.category.exact(name);
      return {
        company: byName.brand.exact(name)?.name ?? null,
        city: byName.city.exact(name)?.name ?? null,
        region: regionNamed(name)?.name ?? null,
        mall: byName.mall.exact(name)?.name ?? null,
        group: byName.group.exact(name)?.name ?? null,
        category: category && categoryName(category),
      };
    },
    groups,
    malls,
    categoryOf: (slug) => bySlug.get(slug)?.category ?? null,
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

const slugsOf = ({ slug, retired_slugs = [] }: CatalogueBrand): string[] => [slug, ...retired_slugs];

const onlyOf = ([only, other]: readonly CatalogueBrand[]): string[] => (only && !other ? slugsOf(only) : []);

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
  names: [group.name, group.slug, ...group.aliases],
});

/** A category goes by the names of a group that has it alone: `QSR`, `jewellers`. */
const namesOfCategory = (category: Category, groups: readonly CatalogueGroup[]): string[] => [
  categoryName(category),
  ...groups
    .filter(({ categories: [only, other] }) => only === category && other === undefined)
    .flatMap((group) => namedGroup(group).names),
];
