/** Brands as people type them: several names in one field, resolved to brands, and what no brand is called. */
import { html } from 'hono/html';
import type { Markup } from '../presentation/markup.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import { namesOfBrands } from '../projector/models/brands-queries.ts';
import { type BrandSlug, brandSlugOf } from '../schemas/scalar.ts';
import { excerpt } from './parts.ts';
import type { Site } from './site.ts';

/** Longest text of such a field. */
export const LONGEST_NAMES = 500;

/** The names in a field, which are separated by commas. */
export const splitNames = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;\n]/)
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

type Names = Pick<Site, 'directory' | 'gazetteer'>;

/** The slug of a brand as people write it, whatever its case, accents and spaces: `big basket` is that of BigBasket. */
export function slugOfName({ directory, gazetteer }: Names, name: string): BrandSlug {
  const company = directory.brandNamed(name) ? null : gazetteer.exactly(name).company;
  return directory.brandNamed(company ?? name)?.slug ?? brandSlugOf(name);
}

/** A brand with a page; `slugs` has those of its stories. */
export interface NamedBrand {
  readonly slug: BrandSlug;
  readonly name: string;
  readonly slugs: readonly BrandSlug[];
}

/** Splits slugs into brands with their names, and slugs that neither the catalogue nor a story has. */
export async function namedBrands(
  { database, directory }: Pick<Site, 'database' | 'directory'>,
  slugs: readonly BrandSlug[],
): Promise<{ readonly brands: readonly NamedBrand[]; readonly unknown: readonly BrandSlug[] }> {
  const unlisted = slugs.filter((slug) => !directory.brand(slug));
  const [named, provisional] = await Promise.all([
    namesOfBrands(database, unlisted),
    provisionalBrands({ database, directory }, unlisted),
  ]);
  const names = new Map(named.filter(({ slug }) => !provisional.has(slug)).map(({ slug, name }) => [slug, name]));
  const brands = slugs.flatMap((slug): NamedBrand[] => {
    const name = directory.brand(slug)?.name ?? names.get(slug);
    return name === undefined ? [] : [{ slug, name, slugs: directory.slugsOf(slug) }];
  });
  return { brands, unknown: slugs.filter((slug) => !brands.some((brand) => brand.slug === slug)) };
}

/** Names like those that no brand has. */
const similarNames = ({ gazetteer }: Names, unknown: readonly string[]): string[] => [
  ...new Set(
    unknown.flatMap((name) => {
      const { found: company, nearest = [] } = gazetteer.findCompany(name.replaceAll('-', ' '));
      return company ? [company.name] : nearest.slice(0, 3);
    }),
  ),
];

/** Says which names no brand has, and which names are like them; null where all are brands. */
export function unknownNames(site: Names, unknown: readonly string[]): Markup | null {
  if (unknown.length === 0) return null;
  const similar = similarNames(site, unknown);
  return html`<p class="wrong" role="alert">No brand has the name ${unknown.map((name) => excerpt(name)).join(', ')}.${similar.length > 0 ? ` Similar names: ${similar.join(', ')}.` : ''} <a href="/index">The index</a> lists the names.</p>`;
}
