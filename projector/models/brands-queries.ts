/**
 * Queries about brands and themes, and of brands side by side (Competitor Watch). Every count is of public signals;
 * one event counts once.
 */

import { z } from 'zod';
import { DAY } from '../../language/days.ts';
import { type Queryable, query, queryOne, queryValue } from '../../log/postgres/database.ts';
import { type Brand, type Watch, type WatchedBrand, WatchMove } from '../../schemas/resources.ts';
import { type BrandSlug, MOVES, Move, StoredBrandSlug } from '../../schemas/scalar.ts';
import { brandsWithoutPage } from './names-queries.ts';
import { countsByMove, MoveCount } from './query-parts.ts';
import { listSignals } from './signals-queries.ts';

const LISTED = 10;
const LATEST = 10;
/** Related brands, themes and outlets are counted over a brand's newest stories; more stories would not change the order. */
const SAMPLE = 2_000;

const ThemeSummary = z.object({
  name: z.string().nullable(),
  stories: z.int(),
  first_seen_at: z.date().nullable(),
  last_seen_at: z.date().nullable(),
});
const Summary = ThemeSummary.extend({ stories_about: z.int() });
const Counted = z.object({ slug: z.string(), name: z.string(), stories: z.int() });
const CountedBrand = Counted.extend({ slug: StoredBrandSlug });

/** A brand as the brand endpoint serves it, and its latest moves. */
export interface FoundBrand {
  readonly brand: Brand;
  /** SignalItem documents as JSON text: the 10 latest moves of the brand, newest first. */
  readonly latest: string[];
}

interface BrandQuestion {
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  /** Earlier slugs of the brand: a story is stored under the slug of its day. No story has two of them. */
  readonly retiredSlugs?: readonly BrandSlug[];
}

/** The counts of the days before a moment. */
const windowOfMoves = (since: Date, until: Date, moves: readonly z.infer<typeof MoveCount>[]) => ({
  since: since.toISOString(),
  until: until.toISOString(),
  total: sum(moves),
  by_move: countsByMove(moves),
});

/** When the first and the last story were published. */
const seenAt = ({ first_seen_at, last_seen_at }: z.infer<typeof ThemeSummary>) => ({
  first_seen_at: first_seen_at?.toISOString() ?? null,
  last_seen_at: last_seen_at?.toISOString() ?? null,
});

/** @returns null for a brand that no public signal names */
export async function findBrand(
  database: Queryable,
  slug: BrandSlug,
  { now, baseUrl, retiredSlugs = [] }: BrandQuestion,
): Promise<FoundBrand | null> {
  const slugs = [slug, ...retiredSlugs];
  const summary = await queryOne(
    database,
    `SELECT (SELECT newest.name FROM unnest($1::text[]) AS asked(brand), LATERAL (
         SELECT name, published_at FROM read.signal_brands s WHERE s.brand = asked.brand
         ORDER BY published_at DESC, key DESC LIMIT 1) AS newest
         ORDER BY newest.published_at DESC LIMIT 1) AS name,
       count(*)::int AS stories, (count(*) FILTER (WHERE is_primary))::int AS stories_about,
       min(published_at) AS first_seen_at, max(published_at) AS last_seen_at
     FROM read.signal_brands WHERE brand = ANY($1)`,
    [slugs],
    Summary,
  );
  if (!summary?.name) return null;
  const since = new Date(now.getTime() - 30 * DAY);
  const [moves, themes, related, outlets, latest] = await Promise.all([
    countMoves(database, slugs, since, now),
    query(database, THEMES, [slugs], Counted),
    query(database, RELATED, [slugs], CountedBrand),
    query(database, OUTLETS, [slugs], Counted),
    listSignals(database, { only: { brand: slugs }, about: true, limit: LATEST }),
  ]);
  const unnamed = await brandsWithoutPage(
    database,
    related.map((one) => one.slug),
  );
  return {
    brand: {
      name: summary.name,
      slug,
      url: `${baseUrl}/brand/${slug}`,
      stories: summary.stories,
      stories_about: summary.stories_about,
      ...seenAt(summary),
      last_30_days: windowOfMoves(since, now, moves),
      themes: themes.map((theme) => ({ ...theme, url: `${baseUrl}/theme/${theme.slug}` })),
      related_brands: related
        .filter((one) => !unnamed.has(one.slug))
        .slice(0, LISTED)
        .map((one) => ({ ...one, url: `${baseUrl}/brand/${one.slug}` })),
      top_outlets: outlets.map(({ name, stories }) => ({ outlet: name, stories })),
    },
    latest: latest.documents,
  };
}

/** Slug by slug, because only within one slug the index gives the order. */
const RECENT = `WITH recent AS (
  SELECT newest.* FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT key, theme, theme_name, outlets FROM read.signal_brands s WHERE s.brand = asked.brand
    ORDER BY published_at DESC, key DESC LIMIT ${SAMPLE}) AS newest)`;
const HIGHEST_FIRST = `ORDER BY stories DESC, slug LIMIT ${LISTED}`;
const THEMES = `${RECENT} SELECT theme AS slug, max(theme_name) AS name, count(*)::int AS stories
  FROM recent WHERE theme IS NOT NULL GROUP BY theme ${HIGHEST_FIRST}`;
const RELATED = `${RECENT} SELECT o.brand AS slug, max(o.name) AS name, count(*)::int AS stories
  FROM recent JOIN read.signal_brands o ON o.key = recent.key AND o.brand <> ALL($1) GROUP BY o.brand
  ORDER BY stories DESC, slug LIMIT ${2 * LISTED}`;
const OUTLETS = `${RECENT} SELECT outlet AS slug, outlet AS name, count(*)::int AS stories
  FROM recent, unnest(outlets) AS outlet GROUP BY outlet ${HIGHEST_FIRST}`;

const BrandMoveCount = MoveCount.extend({ brand: StoredBrandSlug });

/** Stories about each brand by kind of move, from `since` (in) to `until` (out); kinds without a story are left out. */
export const countMoves = (
  database: Queryable,
  brands: readonly BrandSlug[],
  since: Date,
  until: Date,
): Promise<z.infer<typeof BrandMoveCount>[]> =>
  query(
    database,
    `SELECT brand, move, count(*)::int AS stories FROM read.signal_brands
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2 AND published_at < $3 GROUP BY brand, move`,
    [brands, since, until],
    BrandMoveCount,
  );

const WeekCount = z.object({
  move: Move,
  /** Counted from `since`: 0 is the first week. */
  week: z.int().nonnegative(),
  stories: z.int().positive(),
});
export type WeekCount = z.infer<typeof WeekCount>;

/**
 * Counts by kind of move and week, those without a story left out.
 * @param slugs those that the brand has had
 * @param weeks how many, of seven days from `since` on
 */
export const storiesByWeek = (
  database: Queryable,
  slugs: readonly BrandSlug[],
  { since, weeks }: { readonly since: Date; readonly weeks: number },
): Promise<WeekCount[]> =>
  query(
    database,
    `SELECT move, floor(extract(epoch FROM published_at - $2::timestamptz) / 604800)::int AS week,
       count(*)::int AS stories
     FROM read.signal_brands
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2
       AND published_at < $2::timestamptz + $3::int * interval '7 days'
     GROUP BY 1, 2 ORDER BY 2, 1`,
    [slugs, since, weeks],
    WeekCount,
  );

export interface FoundTheme {
  readonly slug: string;
  readonly name: string;
  readonly url: string;
  readonly stories: number;
  readonly first_seen_at: string | null;
  readonly last_seen_at: string | null;
  readonly last_30_days: { since: string; until: string; total: number; by_move: Record<string, number> };
}

/** @returns null for a theme that no public signal has */
export async function findTheme(
  database: Queryable,
  slug: string,
  { now, baseUrl, retiredSlugs = [] }: { now: Date; baseUrl: string; retiredSlugs?: readonly string[] },
): Promise<FoundTheme | null> {
  const slugs = [slug, ...retiredSlugs];
  const summary = await queryOne(
    database,
    `SELECT (SELECT item_document::json #>> '{theme,name}' FROM read.signals WHERE key = (
         SELECT key FROM read.signals WHERE status = 'public' AND theme = ANY($1)
         ORDER BY published_at DESC, key DESC LIMIT 1)) AS name,
       count(*)::int AS stories, min(published_at) AS first_seen_at, max(published_at) AS last_seen_at
     FROM read.signals WHERE status = 'public' AND theme = ANY($1)`,
    [slugs],
    ThemeSummary,
  );
  if (!summary?.name) return null;
  const since = new Date(now.getTime() - 30 * DAY);
  const moves = await query(
    database,
    `SELECT move, count(*)::int AS stories FROM read.signals
     WHERE status = 'public' AND theme = ANY($1) AND published_at >= $2 AND published_at < $3 GROUP BY move`,
    [slugs, since, now],
    MoveCount,
  );
  return {
    slug,
    name: summary.name,
    url: `${baseUrl}/theme/${slug}`,
    stories: summary.stories,
    ...seenAt(summary),
    last_30_days: windowOfMoves(since, now, moves),
  };
}

const LATEST_OF_EACH = 3;

export interface WatchQuestion {
  /** In the order in which they are answered; `slugs` holds the slugs that the brand had before too. */
  readonly brands: readonly { readonly slug: BrandSlug; readonly name: string; readonly slugs: readonly BrandSlug[] }[];
  readonly days: Watch['window_days'];
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
}

const CountOfWindow = z.object({ brand: StoredBrandSlug, move: Move, in_window: z.boolean(), stories: z.int() });
const CityCount = z.object({ brand: StoredBrandSlug, city: z.string(), stories: z.int() });
const Latest = z.object({ brand: StoredBrandSlug, key: z.string(), reported_at: z.date(), item_document: z.string() });

/**
 * A count for each brand, kind and window, each read off a stretch of the index `signal_brands_moves`: four times as fast
 * as grouping the stories. A window holds its beginning and leaves out its end.
 */
const MOVES_OF_WINDOWS = `SELECT asked.brand, kinds.move, windows.in_window,
    (SELECT count(*)::int FROM read.signal_brands s
     WHERE s.brand = asked.brand AND s.move = kinds.move AND s.is_primary
       AND s.published_at >= windows.since AND s.published_at < windows.until) AS stories
  FROM unnest($1::text[]) AS asked(brand), unnest($2::text[]) AS kinds(move),
    (VALUES (true, $4::timestamptz, $5::timestamptz), (false, $3::timestamptz, $4::timestamptz))
      AS windows(in_window, since, until)`;
const CITIES = `SELECT asked.brand, counted.city, counted.stories
  FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT city, count(*)::int AS stories FROM (
      SELECT unnest(cities) AS city FROM read.signal_brands s
      WHERE s.brand = asked.brand AND s.is_primary AND s.cities <> '{}'
        AND s.published_at >= $2 AND s.published_at < $3) AS stories
    GROUP BY city) AS counted`;
const NEWEST = `SELECT wanted.brand, found.key, found.reported_at, s.item_document
  FROM unnest($1::text[]) AS wanted(brand)
  CROSS JOIN LATERAL (
    SELECT key, reported_at FROM read.signal_brands b
    WHERE b.brand = wanted.brand AND is_primary AND published_at >= $2 AND published_at < $3
    ORDER BY reported_at DESC, key DESC LIMIT ${LATEST_OF_EACH}) AS found
  JOIN read.signals s ON s.key = found.key AND s.status = 'public'`;

/** Several brands side by side, over the last `days` days and the equal window before. */
export async function competitorWatch(database: Queryable, question: WatchQuestion): Promise<Watch> {
  const { brands, days, now, baseUrl } = question;
  const since = new Date(now.getTime() - days * DAY);
  const before = new Date(since.getTime() - days * DAY);
  const all = brands.flatMap(({ slugs }) => slugs);
  const [moves, cities, latest] = await Promise.all([
    query(database, MOVES_OF_WINDOWS, [all, MOVES, before, since, now], CountOfWindow),
    query(database, CITIES, [all, since, now], CityCount),
    query(database, NEWEST, [all, since, now], Latest),
  ]);
  const watched = brands.map(({ slug, name, slugs }): WatchedBrand => {
    const counts = moves.filter(({ brand }) => slugs.includes(brand));
    const [present, prior] = [counts.filter((one) => one.in_window), counts.filter((one) => !one.in_window)];
    return {
      name,
      slug,
      url: `${baseUrl}/brand/${slug}`,
      total: sum(present),
      prior_total: sum(prior),
      by_move: countsByMove(present),
      prior_by_move: countsByMove(prior),
      cities: highestFirst(cities.filter(({ brand }) => slugs.includes(brand))),
      latest: newestOf(latest.filter(({ brand }) => slugs.includes(brand))),
    };
  });
  return {
    window_days: days,
    since: since.toISOString(),
    until: now.toISOString(),
    brands: watched,
    quiet: watched.filter(({ total, prior_total }) => total + prior_total === 0).map(({ slug }) => slug),
  };
}

const sum = (counts: readonly { readonly stories: number }[]): number =>
  counts.reduce((total, { stories }) => total + stories, 0);

function highestFirst(counts: readonly z.infer<typeof CityCount>[]): string[] {
  const stories = new Map<string, number>();
  for (const { city, stories: more } of counts) stories.set(city, (stories.get(city) ?? 0) + more);
  const order = ([one, many]: [string, number], [other, few]: [string, number]): number =>
    few - many || (one < other ? -1 : 1);
  return [...stories].sort(order).map(([city]) => city);
}

const newestOf = (rows: readonly z.infer<typeof Latest>[]): z.infer<typeof WatchMove>[] =>
  rows
    .toSorted((one, other) => other.reported_at.getTime() - one.reported_at.getTime() || (one.key < other.key ? 1 : -1))
    .slice(0, LATEST_OF_EACH)
    .map(({ item_document }) => WatchMove.parse(JSON.parse(item_document)));

const Named = z.object({ slug: StoredBrandSlug, name: z.string() });

/** Names of brands as their newest stories write them; brands without a story are left out. */
export const namesOfBrands = (database: Queryable, slugs: readonly BrandSlug[]): Promise<z.infer<typeof Named>[]> =>
  query(
    database,
    `SELECT wanted.slug, found.name FROM unnest($1::text[]) AS wanted(slug)
     CROSS JOIN LATERAL (
       SELECT name FROM read.signal_brands b WHERE b.brand = wanted.slug
       ORDER BY published_at DESC, key DESC LIMIT 1) AS found`,
    [slugs],
    Named,
  );

/** When the oldest public signal was published; null while there is none. Before it no window can be counted. */
export function recordStart(database: Queryable): Promise<Date | null> {
  const text = `SELECT min(published_at) FROM read.signals WHERE status = 'public'`;
  return queryValue(database, text, [], z.date().nullable());
}

const Busy = z.object({ slug: StoredBrandSlug, stories: z.int() });

/** The brands of a list that most stories since a moment are about, most first. */
export const busiestBrands = (
  database: Queryable,
  brands: readonly BrandSlug[],
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<z.infer<typeof Busy>[]> =>
  query(
    database,
    `SELECT brand AS slug, count(*)::int AS stories FROM read.signal_brands
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2
     GROUP BY brand ORDER BY stories DESC, brand LIMIT $3`,
    [brands, since, limit],
    Busy,
  );
