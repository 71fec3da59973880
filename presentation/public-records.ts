/** Finds the brand, signal or page that an address or argument names; unknown slugs are refused with near ones. */
import type { AnswerContext } from '../answer/answer-question.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundBrand, findBrand, namesOfBrands, type WatchQuestion } from '../projector/models/brands-queries.ts';
import { brandsWithoutPage, findNames } from '../projector/models/names-queries.ts';
import { type SignalSearch, searchBox } from '../projector/models/search-queries.ts';
import {
  CursorError,
  type FoundSignal,
  findDocuments,
  findSignal,
  type ListFilter,
  type SignalPageText,
  slugsInUse,
} from '../projector/models/signals-queries.ts';
import type { Directory, Entry } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';
import { SignalDetail } from '../schemas/resources.ts';
import { BrandSlug, SignalId, Slug } from '../schemas/scalar.ts';
import { boundFilter, type SignalQuery, type Sort } from '../schemas/signal-filter.ts';

/** What finding a brand needs. */
export interface BrandContext {
  readonly database: Queryable;
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/**
 * The brands among these that are plain text to readers: names from headlines that are provisional still, and that the
 * catalogue does not have by now.
 */
export const provisionalBrands = (
  { database, directory }: Pick<BrandContext, 'database' | 'directory'>,
  slugs: readonly BrandSlug[],
): Promise<ReadonlySet<string>> =>
  brandsWithoutPage(
    database,
    slugs.filter((slug) => !directory.brand(directory.currentSlug(slug)) && !namedAlike(directory, slug)),
  );

/**
 * Stored documents of signals with addresses that answer: a brand without a page leads to the page of the signal, until
 * it has one of its own. What is stored cannot say so, since a second story or an operator changes it.
 * @param documents JSON text that contains SignalItem documents
 */
export async function linkBrands(
  context: Pick<BrandContext, 'database' | 'directory' | 'baseUrl'>,
  documents: readonly string[],
): Promise<string[]> {
  // Found in the text, since lists of documents are answered without being parsed. In a text of an outlet the quotation
  // marks would be escaped.
  const slugs = documents.flatMap((document) =>
    [...document.matchAll(BRAND_URL)].flatMap(([, , slug]) => BrandSlug.safeParse(slug).data ?? []),
  );
  const provisional = await provisionalBrands(context, [...new Set(slugs)]);
  if (provisional.size === 0) return [...documents];
  return documents.map((document) => {
    const [, page] = SIGNAL_URL.exec(document) ?? [];
    return document.replace(BRAND_URL, (whole, base: string, slug: string) =>
      base === context.baseUrl && page !== undefined && provisional.has(slug) ? `"url":"${page}"` : whole,
    );
  });
}

const BRAND_URL = /"url":"([^"]+)\/brand\/([^"/]+)"/g;
/** The first address of a document is its own. */
const SIGNAL_URL = /"url":"([^"]+\/signal\/[^"]+)"/;

/** Endings that make no other name: `zudio-india` is the catalogue's `zudio`. */
const LEGAL_ENDING = /(?:-(?:india|ltd|limited|pvt|private|inc|llp))+$/;
const namedAlike = (directory: Directory, slug: BrandSlug) => directory.brandNamed(slug.replace(LEGAL_ENDING, ''));

/**
 * Finds one brand by the slug in an address, current or retired.
 * @returns the brand, or the slug that the address should have. A brand of the catalogue that no report
 *   mentions yet is a brand without stories; a provisional one is unknown.
 * @throws Refusal `not_found`
 */
export async function findPublicBrand(
  { database, directory, baseUrl, now }: BrandContext,
  given: string,
): Promise<FoundBrand | { readonly redirect: BrandSlug }> {
  // The database refuses some characters: a value that is not a slug must not reach it.
  const { data: slug } = BrandSlug.safeParse(given);
  if (slug === undefined) throw unknownBrand(given, []);
  const current = directory.currentSlug(slug);
  if (current !== slug) return { redirect: current };
  const listed = directory.brand(slug);
  const alike = listed ? null : namedAlike(directory, slug);
  if (alike) return { redirect: alike.slug };
  const retiredSlugs = directory.slugsOf(slug).slice(1);
  if (!listed && (await brandsWithoutPage(database, [slug])).has(slug)) throw await unknown(database, directory, slug);
  const stored = await findBrand(database, slug, { now: now(), baseUrl, retiredSlugs });
  const profile = stored && { ...stored, latest: await linkBrands({ database, directory, baseUrl }, stored.latest) };
  if (profile) return listed ? { ...profile, brand: { ...profile.brand, name: listed.name } } : profile;
  if (!listed) throw await unknown(database, directory, slug);
  return { brand: { ...withoutStories, slug, name: listed.name, url: `${baseUrl}/brand/${slug}` }, latest: [] };
}

const NEAREST = 5;

async function unknown(database: Queryable, directory: Directory, slug: BrandSlug): Promise<Refusal> {
  const alike = await findNames(database, slug.replaceAll('-', ' '), { limit: NEAREST, directory });
  return unknownBrand(
    slug,
    alike.flatMap(({ type, slug: near }) => (type === 'brand' ? [near] : [])),
  );
}

const unknownBrand = (given: string, nearest: readonly string[]): Refusal =>
  new Refusal(
    'not_found',
    `No brand has the slug ${quoted(given)}.${nearest.length > 0 ? ` Nearest: ${nearest.join(', ')}.` : ''}`,
  );

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

/**
 * Finds one signal by its slug, a retired slug, or its cite id.
 * @returns the signal, or the slug that the address should have
 * @throws Refusal `not_found`
 */
export async function findPublicSignal(
  database: Queryable,
  slugOrId: string,
): Promise<FoundSignal | { readonly redirect: string }> {
  const isId = SignalId.safeParse(slugOrId).success;
  // The database refuses some characters: a value that is neither must not reach it.
  const signal = isId || Slug.safeParse(slugOrId).success ? await findSignal(database, slugOrId) : null;
  if (!signal)
    throw new Refusal(
      'not_found',
      `No public signal has the slug ${quoted(slugOrId)}. GET /api/v1/signals lists them.`,
    );
  if (isId && 'document' in signal)
    return { redirect: SignalDetail.pick({ slug: true }).parse(JSON.parse(signal.document)).slug };
  return signal;
}

/** The refusal of a cursor that no page returned. */
export const cursorRefusal = (cursor: string | undefined): Refusal =>
  new Refusal(
    'invalid_request',
    `cursor: ${quoted(cursor)} cannot be used. Allowed: the next_cursor of the page before, unchanged.`,
  );

/** Decodes a cursor. @throws Refusal `invalid_request` for a cursor that no page returned */
export function readCursor<Place>(cursor: string, decode: (cursor: string) => Place): Place {
  try {
    return decode(cursor);
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    throw cursorRefusal(cursor);
  }
}

/** Most signals of a search that are ranked; a list by relevance ends there. */
const MOST_RELEVANT = 200;

/**
 * A page of what a filter finds, in its order. By relevance there is one page: signals that have all the words, then,
 * where these are few, those that have some or say the same in other words.
 * @param sort the order where the query has none
 * @throws Refusal `invalid_request` for a cursor that no page returned
 */
export async function listFiltered(
  {
    database,
    search,
    directory,
    now,
    answers,
  }: Pick<BrandContext, 'database' | 'directory' | 'now'> & {
    readonly search: SignalSearch;
    readonly answers?: Pick<AnswerContext, 'meaningOf'>;
  },
  query: SignalQuery,
  {
    limit,
    detail = false,
    sort = 'time',
    since,
    until,
    dated,
  }: Pick<ListFilter, 'limit' | 'detail' | 'since' | 'until' | 'dated'> & { readonly sort?: Sort },
): Promise<SignalPageText> {
  const bound = boundFilter(query, { now: now(), directory });
  const filter = { ...bound, dated, ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const order = query.sort ?? sort;
  if (order !== 'relevance')
    return listSignalPage(search, { ...filter, sort: order, detail, limit, cursor: query.cursor });
  const matches = await searchBox(
    { database, search },
    { text: filter.words, fits: filter, limit: Math.min(limit, MOST_RELEVANT) },
    answers?.meaningOf,
  );
  if (!detail) return { documents: matches.map(({ signal }) => JSON.stringify(signal)), next_cursor: null };
  const details = await findDocuments(
    database,
    matches.map(({ signal: { slug } }) => slug),
  );
  return { documents: details.flatMap((one) => one ?? []), next_cursor: null };
}

/** A page of the feed. @throws Refusal `invalid_request` for a cursor that no page returned */
export async function listSignalPage(search: SignalSearch, filter: ListFilter): Promise<SignalPageText> {
  try {
    return await search.list(filter);
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    throw cursorRefusal(filter.cursor);
  }
}

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
  const names = indexes.get(directory.brands) ?? { brands: of(directory.brands), themes: of(directory.themes) };
  indexes.set(directory.brands, names);
  return names;
}

/** `b: no brand has the slug "zudoi". Nearest: zudio, zivame.` */
function unknownSlugs(field: string, kind: 'brand' | 'theme', slugs: readonly string[], directory: Directory): string {
  const index = indexesOf(directory)[`${kind}s`];
  const near = slugs.flatMap((slug) => {
    const { found: brand, nearest } = index.find(slug);
    return brand === null ? nearest : [brand];
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
    const slugsByField: Readonly<Record<string, readonly string[]>> = named[kind] ?? {};
    const without: readonly string[] = unlisted[kind];
    return Object.entries(slugsByField).flatMap(([field, slugs]) => {
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
  brandSlugs: readonly BrandSlug[],
): Promise<WatchQuestion['brands']> {
  const slugs = [...new Set(brandSlugs.map((slug) => directory.currentSlug(slug)))];
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
