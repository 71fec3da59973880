/**
 * Resolves what a model names to a brand, a theme or a signal: a name, an alias, a current or former slug, or a
 * misspelling.
 */
import type { Queryable } from '../log/postgres/database.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import { findTheme, namesOfBrands } from '../projector/models/brands-queries.ts';
import { findNames } from '../projector/models/names-queries.ts';
import { type FoundSignal, findSignal } from '../projector/models/signals-queries.ts';
import type { BrandEntry, Directory, Entry } from '../schemas/directory.ts';
import { quoted } from '../schemas/input-errors.ts';
import type { Finding } from '../schemas/name-search.ts';
import { BrandSlug, brandSlugOf, SignalId, Slug, StoredBrandSlug, slugify } from '../schemas/scalar.ts';
import { type NameLookup, type ToolContext, ToolRefusal } from './tool.ts';
import { plainLine } from './tool-text.ts';

const MAX_WORDS = 12;
const MAX_NAME_WORDS = 4;

/** All runs of up to four words of a text, the longest first: a query rarely contains a name alone. */
export function wordRuns(text: string): string[] {
  const words = text
    .split(/[^\p{L}\p{N}\p{M}&'’.-]+/u)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  return Array.from({ length: MAX_NAME_WORDS }, (_, index) => MAX_NAME_WORDS - index).flatMap((length) =>
    words.flatMap((_, at) => (at + length <= words.length ? [words.slice(at, at + length).join(' ')] : [])),
  );
}

/** Similarity from which the nearest name is taken for the one that was meant. */
const MIN_SIMILARITY = 0.75;
const MAX_SUGGESTIONS = 5;

/** What a name can mean. */
type NameKind = 'brand' | 'theme' | 'city' | 'mall' | 'group' | 'category' | 'sector';

/** Sentences that say where a name of another kind can be used: `Zudio is a brand: …`. */
function otherUses({ gazetteer, themes }: NameLookup, what: NameKind, name: string): string[] {
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
 * The refusal of an unknown name.
 * @param nearest names, the nearest first
 */
export function unknownNameRefusal(
  known: NameLookup,
  what: NameKind,
  name: string,
  nearest: readonly string[],
): ToolRefusal {
  const offered = [...new Set(nearest)].slice(0, MAX_SUGGESTIONS).map((one) => plainLine(one, 80));
  const offer = offered.length > 0 ? ` The nearest: ${offered.join(', ')}.` : '';
  const other = otherUses(known, what, name);
  const help =
    other.length > 0
      ? other.join(' ')
      : what === 'brand' || what === 'theme'
        ? 'The tool "search" finds brands, themes and moves by words.'
        : 'Omit the argument for all, or use the tool "search".';
  return new ToolRefusal(`No ${what} is called ${quoted(name)}.${offer} ${help}`);
}

/**
 * Resolves a name. The exact name of a brand is never taken for a misspelling of something else.
 * @param all names to offer where none is near
 * @throws ToolRefusal offering the nearest names
 */
export function resolveFinding<Found>(
  known: NameLookup,
  what: Exclude<NameKind, 'brand'>,
  name: string,
  { found, nearest = [] }: Finding<Found>,
  all: readonly string[] = [],
): Found {
  if (found !== null && !isOnlyBrand(known, name)) return found;
  throw unknownNameRefusal(known, what, name, found === null && nearest.length === 0 ? all : nearest);
}

/** Whether a text is the exact name of a brand and of nothing else. */
function isOnlyBrand({ gazetteer, themes }: NameLookup, name: string): boolean {
  const { company, ...others } = gazetteer.exactly(name);
  return company !== null && Object.values(others).every((one) => one === null) && themes.exact(name) === null;
}

/** The one brand that is named among other words: `Tanishq jewelers`, `the Zudio chain`. */
function findBrandWithin(directory: Directory, text: string): BrandEntry | null {
  const named = wordRuns(text).flatMap((run) => directory.brandNamed(run) ?? []);
  const [longest] = named;
  return longest && named.every(({ slug, name }) => slug === longest.slug || longest.name.includes(name))
    ? longest
    : null;
}

/**
 * Resolves a brand of the catalogue, or one that only occurs in stories.
 * @throws ToolRefusal offering the nearest names
 */
export async function resolveBrand(context: ToolContext, name: string): Promise<BrandEntry> {
  const { database, directory, gazetteer } = context;
  const text = name.trim();
  const given = BrandSlug.safeParse(text.toLowerCase());
  const bySlug = given.success ? directory.brand(directory.currentSlug(given.data)) : null;
  const listed = bySlug ?? directory.brandNamed(text);
  if (listed) return { slug: listed.slug, name: listed.name };
  const slug = brandSlugOf(text);
  const [[fromStories], provisional] = await Promise.all([
    namesOfBrands(database, [slug]),
    provisionalBrands(context, [slug]),
  ]);
  if (fromStories && !provisional.has(slug) && !directory.brand(directory.currentSlug(slug))) return fromStories;
  const { found, nearest = [] } = gazetteer.findCompany(text);
  if (found) return { slug: found.slug, name: found.name };
  const within = findBrandWithin(directory, text);
  if (within) return within;
  const alike = (await findNames(database, text, { limit: MAX_SUGGESTIONS })).filter(({ type }) => type === 'brand');
  const [best] = alike;
  if (best && best.score >= MIN_SIMILARITY) return { slug: StoredBrandSlug.parse(best.slug), name: best.name };
  throw unknownNameRefusal(context, 'brand', name, [...alike.map((one) => one.name), ...nearest]);
}

/** Resolves several brands, each once, in the given order. @throws ToolRefusal for the first unknown one */
export async function resolveBrands(context: ToolContext, names: readonly string[]): Promise<BrandEntry[]> {
  const found = await Promise.all(names.map((name) => resolveBrand(context, name)));
  return found.filter(({ slug }, index) => found.findIndex((one) => one.slug === slug) === index);
}

/**
 * Resolves a theme of the catalogue, or one that only occurs in stories.
 * @throws ToolRefusal offering the nearest names
 */
export async function resolveTheme(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, themes, baseUrl, now } = context;
  const slug = slugify(name);
  const listed = directory.theme(slug);
  if (listed) return listed;
  const finding = themes.find(name);
  if (finding.found && !isOnlyBrand(context, name)) return finding.found;
  const fromStories = slug === '' ? null : await findTheme(database, slug, { now: now(), baseUrl });
  if (fromStories) return { slug: fromStories.slug, name: fromStories.name };
  return resolveFinding(context, 'theme', name, finding);
}

/** Resolves several themes, in the given order. @throws ToolRefusal for the first unknown one */
export const resolveThemes = (context: ToolContext, names: readonly string[]): Promise<Entry[]> =>
  Promise.all(names.map((name) => resolveTheme(context, name)));

/** Reduces `[sig_…]` and `https://…/signal/slug` to the id or slug. */
const bareIdentifier = (text: string): string =>
  text
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .toLowerCase();

/**
 * Reports without resurfaced ones, oldest first: by the time that the outlet states, else by when it was first seen.
 */
function sortByTime(reports: FoundSignal['reports']): FoundSignal['reports'] {
  const timeOf = ({ published_at, first_seen_at }: FoundSignal['reports'][number]): number =>
    Date.parse(published_at ?? first_seen_at);
  return reports.filter(({ resurfaced }) => !resurfaced).toSorted((one, other) => timeOf(one) - timeOf(other));
}

/**
 * Resolves a public signal by its cite id, a current or former slug, or its address.
 * @throws ToolRefusal when there is none
 */
export async function resolveSignal(database: Queryable, text: string): Promise<FoundSignal> {
  const name = bareIdentifier(text);
  // Anything else cannot be found, and must not reach the database, which rejects some characters.
  const may = SignalId.safeParse(name).success || Slug.safeParse(name).success;
  const found = may ? await findSignal(database, name) : null;
  const signal = found && 'redirect' in found ? await findSignal(database, found.redirect) : found;
  if (signal && 'document' in signal) return { ...signal, reports: sortByTime(signal.reports) };
  throw new ToolRefusal(
    `No public signal has the id or slug ${quoted(text)}. Ids look like sig_0123456789abcdef; latest_moves and search return them.`,
  );
}
