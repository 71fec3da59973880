/** The brands and themes that are known by name, whether or not the record tells anything of them yet. */
import type { Catalogue } from './catalogue.ts';

/** A name and what stands in its address. */
export interface Entry {
  readonly slug: string;
  readonly name: string;
}

export interface Directory {
  /** The slug that a brand has now; a slug that was never retired is answered as it is. */
  currentSlug(slug: string): string;
  /** Every slug under which stories of a brand may stand: its own first, then those that were retired. */
  slugsOf(slug: string): readonly string[];
  /** A brand by its present slug; null for one that the catalogue lacks, which may still have stories. */
  brand(slug: string): Entry | null;
  /** Null for a theme that the catalogue lacks. */
  theme(slug: string): Entry | null;
}

/** @param catalogue may be empty: then brands and themes are known by their stories alone */
export function directoryOf(catalogue: Pick<Catalogue, 'brands' | 'themes'>): Directory {
  const brands = new Map(catalogue.brands.map((brand) => [brand.slug, brand]));
  const themes = new Map(catalogue.themes.map(({ slug, name }) => [slug, { slug, name }]));
  const current = new Map(
    catalogue.brands.flatMap((brand) => (brand.retired_slugs ?? []).map((retired) => [retired, brand.slug])),
  );
  return {
    currentSlug: (slug) => current.get(slug) ?? slug,
    slugsOf: (slug) => [slug, ...(brands.get(slug)?.retired_slugs ?? [])],
    brand(slug) {
      const found = brands.get(slug);
      return found ? { slug, name: found.name } : null;
    },
    theme: (slug) => themes.get(slug) ?? null,
  };
}
