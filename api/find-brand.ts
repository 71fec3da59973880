/** One brand by the slug in an address, present or retired. */
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundBrand, findBrand } from '../projector/models/brands-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/refusal.ts';
import { Slug } from '../schemas/scalar.ts';

export interface BrandContext {
  readonly database: Queryable;
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/**
 * @returns the brand, or the slug that the address should have. A brand of the catalogue of which nothing is told yet is
 *   a brand without stories.
 * @throws Refusal `not_found`
 */
export async function findPublicBrand(
  { database, directory, baseUrl, now }: BrandContext,
  slug: string,
): Promise<FoundBrand | { readonly redirect: string }> {
  const current = directory.currentSlug(slug);
  if (current !== slug) return { redirect: current };
  const known = directory.brand(slug);
  const retiredSlugs = directory.slugsOf(slug).slice(1);
  // What is no slug cannot be found, and must not reach the database, which refuses some characters.
  const found = Slug.safeParse(slug).success
    ? await findBrand(database, slug, { now: now(), baseUrl, retiredSlugs })
    : null;
  if (found) return known ? { ...found, brand: { ...found.brand, name: known.name } } : found;
  if (!known) throw new Refusal('not_found', `No brand has the slug ${quoted(slug)}.`);
  return { brand: { ...withoutStories, ...known, url: `${baseUrl}/brand/${slug}` }, latest: [] };
}

const withoutStories: Omit<FoundBrand['brand'], 'name' | 'slug' | 'url'> = {
  stories: 0,
  stories_about: 0,
  first_seen_at: null,
  last_seen_at: null,
  last_30_days: null,
  themes: [],
  related_brands: [],
  top_outlets: [],
};
