/** Brands and themes that a request names by slug. An unknown slug is refused with the nearest known ones. */
import type { Queryable } from '../log/postgres/database.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import { namesOfBrands, type WatchQuestion } from '../projector/models/brands-queries.ts';
import { slugsInUse } from '../projector/models/signals-queries.ts';
import type { Directory, Entry } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';
import type { BrandSlug } from '../schemas/scalar.ts';

interface NameContext {
  readonly database: Queryable;
  readonly directory: Directory;
}

/** Slugs by the name of the parameter or field that they came in, such as `{b: ['zudio']}`. */
interface NamedSlugs {
  readonly brands?: Readonly<Record<string, readonly BrandSlug[]>>;
  readonly themes?: Readonly<Record<string, readonly string[]>>;
}

/** By the list of brands: a directory may follow changes of the catalogue. */
const indexes = new WeakMap<object, { brands: NameIndex<string>; themes: NameIndex<string> }>();

/** Slugs and names of a directory, to find what is near to a slug that has no entry. */
function indexesOf(directory: Directory): { brands: NameIndex<string>; themes: NameIndex<string> } {
  const of = (entries: readonly Entry[]): NameIndex<string> =>
    nameIndex(entries.map(({ slug, name }) => ({ thing: slug, names: [slug, name] })));
  const known = indexes.get(directory.brands) ?? { brands: of(directory.brands), themes: of(directory.themes) };
  indexes.set(directory.brands, known);
  return known;
}

/** `b: no brand has the slug "zudoi". Nearest: zudio, zivame.` */
function unknownSlugs(field: string, kind: 'brand' | 'theme', slugs: readonly string[], directory: Directory): string {
  const index = indexesOf(directory)[`${kind}s`];
  const near = slugs.flatMap((slug) => {
    const { found, nearest } = index.find(slug);
    return found === null ? nearest : [found];
  });
  const hint =
    near.length > 0
      ? `Nearest: ${[...new Set(near)].slice(0, 5).join(', ')}.`
      : `Allowed: slugs as the ${kind}s of signals show them.`;
  return `${field}: no ${kind} has the slug ${slugs.slice(0, 5).map(quoted).join(', ')}. ${hint}`;
}

/**
 * Checks that the catalogue or a public signal knows each slug; retired slugs of brands are known, and a name from
 * headlines is unknown until it has a page.
 * @throws Refusal `invalid_request` naming the unknown slugs and the nearest known ones
 */
export async function checkKnown({ database, directory }: NameContext, named: NamedSlugs): Promise<void> {
  const isBrand = (slug: BrandSlug): boolean => directory.brand(directory.currentSlug(slug)) !== null;
  const unlisted = {
    brands: Object.values(named.brands ?? {}).flatMap((slugs) => slugs.filter((slug) => !isBrand(slug))),
    themes: Object.values(named.themes ?? {}).flatMap((slugs) =>
      slugs.filter((slug) => directory.theme(slug) === null),
    ),
  };
  if (unlisted.brands.length + unlisted.themes.length === 0) return;
  // What the catalogue lacks is known by its stories.
  const [used, provisional] = await Promise.all([
    slugsInUse(database, unlisted),
    provisionalBrands({ database, directory }, unlisted.brands),
  ]);
  const missing = (kind: 'brands' | 'themes'): string[] => {
    const asked: Readonly<Record<string, readonly string[]>> = named[kind] ?? {};
    const without: readonly string[] = unlisted[kind];
    return Object.entries(asked).flatMap(([field, slugs]) => {
      const unknown = slugs.filter(
        (slug) => without.includes(slug) && (!used[kind].has(slug) || (kind === 'brands' && provisional.has(slug))),
      );
      const one = kind === 'brands' ? 'brand' : 'theme';
      return unknown.length > 0 ? [unknownSlugs(field, one, unknown, directory)] : [];
    });
  };
  const faults = [...missing('brands'), ...missing('themes')];
  if (faults.length > 0) throw new Refusal('invalid_request', faults.join(' '));
}

/**
 * Resolves retired slugs to the brands that they lead to; two slugs of one brand are one brand.
 * @throws Refusal `invalid_request` naming each slug that no brand has, and the nearest that one has
 */
export async function watchedBrands(
  { database, directory }: { readonly database: Queryable; readonly directory: Directory },
  asked: readonly BrandSlug[],
): Promise<WatchQuestion['brands']> {
  const slugs = [...new Set(asked.map((slug) => directory.currentSlug(slug)))];
  const unlisted = slugs.filter((slug) => !directory.brand(slug));
  // Brands that the catalogue lacks are known by their stories.
  const [reported, provisional] = await Promise.all([
    unlisted.length > 0 ? namesOfBrands(database, unlisted) : [],
    provisionalBrands({ database, directory }, unlisted),
  ]);
  const names = new Map(reported.filter(({ slug }) => !provisional.has(slug)).map(({ slug, name }) => [slug, name]));
  const unknown = unlisted.filter((slug) => !names.has(slug));
  if (unknown.length > 0) throw new Refusal('invalid_request', unknownSlugs('b', 'brand', unknown, directory));
  return slugs.map((slug) => ({
    slug,
    name: directory.brand(slug)?.name ?? names.get(slug) ?? slug,
    slugs: directory.slugsOf(slug),
  }));
}
