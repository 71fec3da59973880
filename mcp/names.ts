/** Brands and themes by whatever name a model gives them: the name, an alias, a slug of any time, a slip of spelling. */
import { namesOfBrands } from '../projector/models/competitor-watch-queries.ts';
import { findNames } from '../projector/models/names-queries.ts';
import { findTheme } from '../projector/models/themes-queries.ts';
import type { Directory, Entry } from '../schemas/directory.ts';
import { quoted } from '../schemas/input-errors.ts';
import type { Finding } from '../schemas/name-search.ts';
import { slugify } from '../schemas/scalar.ts';
import type { Known, ToolContext } from './context.ts';
import { plainLine } from './text/quote.ts';
import { ToolRefusal } from './tool.ts';
import { runsOf } from './word-runs.ts';

/** A name that is spelled so alike is taken for the one that was meant. */
const SURE = 0.75;
const OFFERED = 5;

/** What a name can be asked for as. */
export type NameKind = 'brand' | 'theme' | 'city' | 'mall' | 'group' | 'category' | 'sector';

/** Where a name that is something else than what was asked for can be used: `Zudio is a brand: …`. */
function pointers({ gazetteer, themes }: Known, what: NameKind, name: string): string[] {
  const { company, city, region, mall, group, category } = gazetteer.exactly(name);
  const theme = themes.exact(name)?.name ?? null;
  const place = city ?? region;
  const uses: readonly (readonly [NameKind, string | null, string])[] = [
    ['brand', company, 'pass it as the argument brand (brand_profile, latest_moves) or company (get_leadership_moves)'],
    ['city', place, 'get_expansion_map takes it as the argument city, and search finds moves there'],
    ['mall', mall, 'get_expansion_map takes it as the argument mall'],
    ['group', group, 'get_group takes it'],
    ['category', group ? null : category, 'get_expansion_map takes it as category, get_leadership_moves as sector'],
    ['theme', theme, 'latest_moves takes it as the argument theme'],
  ];
  return uses.flatMap(([kind, own, use]) =>
    own !== null && kind !== what ? [`${plainLine(own, 80)} is a ${kind}: ${use}.`] : [],
  );
}

/**
 * The refusal of a name that nothing has.
 * @param nearest names, the nearest first
 */
export function unknownName(known: Known, what: NameKind, name: string, nearest: readonly string[]): ToolRefusal {
  const offered = [...new Set(nearest)].slice(0, OFFERED).map((one) => plainLine(one, 80));
  const offer = offered.length > 0 ? ` The nearest: ${offered.join(', ')}.` : '';
  const other = pointers(known, what, name);
  const help =
    other.length > 0
      ? other.join(' ')
      : what === 'brand' || what === 'theme'
        ? 'The tool "search" finds brands, themes and moves by words.'
        : 'Leave the argument out to ask for all, or try the tool "search".';
  return new ToolRefusal(`No ${what} is called ${quoted(name)}.${offer} ${help}`);
}

/**
 * What a name means. The exact name of a brand is never taken for a slip of something else.
 * @param all names to offer where none is near
 * @throws ToolRefusal offering the nearest names
 */
export function foundOf<Found>(
  known: Known,
  what: Exclude<NameKind, 'brand'>,
  name: string,
  { found, nearest = [] }: Finding<Found>,
  all: readonly string[] = [],
): Found {
  if (found !== null && !isBrandAlone(known, name)) return found;
  throw unknownName(known, what, name, found === null && nearest.length === 0 ? all : nearest);
}

/** Whether a text is the exact name of a brand, and of nothing else that has names. */
function isBrandAlone({ gazetteer, themes }: Known, name: string): boolean {
  const { company, ...others } = gazetteer.exactly(name);
  return company !== null && Object.values(others).every((one) => one === null) && themes.exact(name) === null;
}

/** The one brand that is named among other words: `Tanishq jewelers`, `the Zudio chain`. */
function brandWithin(directory: Directory, text: string): Entry | null {
  const named = runsOf(text).flatMap((run) => directory.brandNamed(run) ?? []);
  const [longest] = named;
  return longest && named.every(({ slug, name }) => slug === longest.slug || longest.name.includes(name))
    ? longest
    : null;
}

/**
 * A brand of the catalogue, or one that only stories know.
 * @throws ToolRefusal offering the nearest names
 */
export async function brandNamed(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, gazetteer } = context;
  const text = name.trim();
  const listed = directory.brand(directory.currentSlug(text.toLowerCase())) ?? directory.brandNamed(text);
  if (listed) return listed;
  const slug = slugify(text);
  const [told] = slug === '' ? [] : await namesOfBrands(database, [slug]);
  if (told && !directory.brand(directory.currentSlug(slug))) return told;
  const { found, nearest = [] } = gazetteer.findCompany(text);
  if (found) return { slug: found.slug, name: found.name };
  const within = brandWithin(directory, text);
  if (within) return within;
  const alike = (await findNames(database, text, { limit: OFFERED })).filter(({ type }) => type === 'brand');
  const [best] = alike;
  if (best && best.score >= SURE) return { slug: best.slug, name: best.name };
  throw unknownName(context, 'brand', name, [...alike.map((one) => one.name), ...nearest]);
}

/** Several, each once, in the order in which they were named. @throws ToolRefusal for the first that no brand has */
export async function brandsNamed(context: ToolContext, names: readonly string[]): Promise<Entry[]> {
  const found = await Promise.all(names.map((name) => brandNamed(context, name)));
  return found.filter(({ slug }, index) => found.findIndex((one) => one.slug === slug) === index);
}

/** @throws ToolRefusal offering the nearest names */
export async function themeNamed(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, themes, baseUrl, now } = context;
  const slug = slugify(name);
  const listed = directory.theme(slug);
  if (listed) return listed;
  const finding = themes.find(name);
  if (finding.found && !isBrandAlone(context, name)) return finding.found;
  const told = slug === '' ? null : await findTheme(database, slug, { now: now(), baseUrl });
  if (told) return { slug: told.slug, name: told.name };
  return foundOf(context, 'theme', name, finding);
}

/** @throws ToolRefusal for the first that no theme has */
export const themesNamed = (context: ToolContext, names: readonly string[]): Promise<Entry[]> =>
  Promise.all(names.map((name) => themeNamed(context, name)));
