/** The places, companies and groups of the catalogue, found by whatever name a person gives them. */
import type { CatalogueCity, CatalogueGroup, CatalogueMall, Category } from './catalogue.ts';

/** What a name means; on a miss the names that are nearest to it, the nearest first, at most 5. */
export type Finding<Found> =
  | { readonly found: Found; readonly nearest?: never }
  | { readonly found: null; readonly nearest: readonly string[] };

/** A company, or a brand as one. */
export interface KnownCompany {
  readonly slug: string;
  readonly name: string;
  /** Slugs under which stories about it stand: its own, those it had before, and those of the brands that it owns. */
  readonly slugs: readonly string[];
}

/** A category, or a group of businesses, as the brands that belong to it. */
export interface Sector {
  readonly name: string;
  readonly slugs: readonly string[];
}

/** Every finder takes names, aliases and slugs in any case, with or without accents, and forgives a slip of spelling. */
export interface Gazetteer {
  findCity(name: string): Finding<CatalogueCity>;
  /** @param city name of a catalogue city, where two malls share a name */
  findMall(name: string, city?: string): Finding<CatalogueMall>;
  findGroup(name: string): Finding<CatalogueGroup>;
  findCompany(name: string): Finding<KnownCompany>;
  findCategory(name: string): Finding<Category>;
  /** A category or a group. */
  findSector(name: string): Finding<Sector>;
  /** Null for a brand that the catalogue lacks. Retired slugs are known. */
  categoryOf(slug: string): Category | null;
  /** Slugs of all brands of a category, retired ones included. */
  brandsOf(category: Category): readonly string[];
  /** A city by its exact name. */
  city(name: string): CatalogueCity | null;
  /** A company by its present slug. */
  company(slug: string): KnownCompany | null;
}
