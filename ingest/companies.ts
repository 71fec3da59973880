/** What the catalogue says of the companies that moves are about: their names, category, owners and rivals. */
import type { CatalogueBrand, Category } from '../schemas/catalogue.ts';
import type { BrandSlug } from '../schemas/scalar.ts';

export interface Company {
  readonly slug: BrandSlug;
  /** Its own slug and retired ones. */
  readonly slugs: readonly BrandSlug[];
  readonly name: string;
  /** Its names in headlines. */
  readonly names: readonly string[];
  readonly category: Category;
  readonly isD2c: boolean;
  readonly isListed: boolean;
}

/** The companies of a catalogue. */
export interface Companies {
  /** By its present slug or a retired one; null for one that the catalogue lacks. */
  of(slug: BrandSlug): Company | null;
  /** Whether it has a category whose companies compete with each other. */
  hasRivals(company: Company): boolean;
  /** Whether both are of one category and belong to different owners. */
  areRivals(one: Company, other: Company): boolean;
  /** Slugs of those that the moves of a company are compared with: of its category, and D2C brands among each other. */
  peersOf(slugs: readonly BrandSlug[]): BrandSlug[];
}

/** Categories of companies that have too little in common to be compared. */
const MIXED: ReadonlySet<Category> = new Set(['other', 'conglomerate']);

/** Indexes the brands of a catalogue. */
export function companiesIn(brands: readonly CatalogueBrand[]): Companies {
  const entries = brands.map((brand) => {
    const { slug, retired_slugs = [], name, aliases, legal_names, category, kind, nse } = brand;
    const company: Company = {
      ...{ slug, name, category },
      slugs: [slug, ...retired_slugs],
      names: [name, ...aliases, ...legal_names],
      isD2c: kind === 'd2c',
      isListed: nse !== undefined,
    };
    return { brand, company };
  });
  const bySlug = new Map(entries.flatMap((entry) => entry.company.slugs.map((slug) => [slug, entry] as const)));
  /** A company and all that own or run it. */
  const owners = (slug: BrandSlug, found = new Set<BrandSlug>()): Set<BrandSlug> => {
    const brand = bySlug.get(slug)?.brand;
    if (!brand || found.has(brand.slug)) return found;
    found.add(brand.slug);
    for (const owner of [...(brand.parent ? [brand.parent] : []), ...(brand.operators ?? [])]) owners(owner, found);
    return found;
  };
  const slugsWhere = (fits: (company: Company) => boolean): BrandSlug[] =>
    entries.filter(({ company }) => fits(company)).flatMap(({ company }) => company.slugs);
  const of = (slug: BrandSlug): Company | null => bySlug.get(slug)?.company ?? null;
  const hasRivals = ({ category }: Company): boolean => !MIXED.has(category);
  return {
    of,
    hasRivals,
    areRivals: (one, other) =>
      hasRivals(one) && one.category === other.category && owners(one.slug).isDisjointFrom(owners(other.slug)),
    peersOf(slugs) {
      const own = slugs.flatMap((slug) => of(slug) ?? []);
      const categories = new Set(own.filter(hasRivals).map(({ category }) => category));
      const isD2c = own.some((company) => company.isD2c);
      return slugsWhere((company) => categories.has(company.category) || (isD2c && company.isD2c));
    },
  };
}
