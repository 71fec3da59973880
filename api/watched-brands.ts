/** The brands of a Competitor Watch by the slugs that were asked for. */
import type { Queryable } from '../log/postgres/database.ts';
import { namesOfBrands, type WatchQuestion } from '../projector/models/competitor-watch-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { unknownSlugs } from './known-names.ts';

/**
 * Resolves retired slugs to the brands that they lead to; two slugs of one brand are one brand.
 * @throws Refusal `invalid_request` naming each slug that no brand has, and the nearest that one has
 */
export async function watchedBrands(
  { database, directory }: { readonly database: Queryable; readonly directory: Directory },
  asked: readonly string[],
): Promise<WatchQuestion['brands']> {
  const slugs = [...new Set(asked.map((slug) => directory.currentSlug(slug)))];
  const unlisted = slugs.filter((slug) => !directory.brand(slug));
  // Brands that the catalogue lacks are known by their stories.
  const told = unlisted.length > 0 ? await namesOfBrands(database, unlisted) : [];
  const names = new Map(told.map(({ slug, name }) => [slug, name]));
  const unknown = unlisted.filter((slug) => !names.has(slug));
  if (unknown.length > 0) throw new Refusal('invalid_request', unknownSlugs('b', 'brand', unknown, directory));
  return slugs.map((slug) => ({
    slug,
    name: directory.brand(slug)?.name ?? names.get(slug) ?? slug,
    slugs: directory.slugsOf(slug),
  }));
}
