/** Competitor Watch. Every count is of public signals about a brand; one event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type Watch, type WatchedBrand, WatchMove } from '../../schemas/brand.ts';
import { type BrandSlug, MOVES, Move, StoredBrandSlug } from '../../schemas/scalar.ts';
import { countsByMove } from './query-parts.ts';

const DAY = 86_400_000;
const LATEST = 3;

export interface WatchQuestion {
  /** In the order in which they are answered; `slugs` holds the slugs that the brand had before too. */
  readonly brands: readonly { readonly slug: BrandSlug; readonly name: string; readonly slugs: readonly BrandSlug[] }[];
  readonly days: Watch['window_days'];
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
}

const MoveCount = z.object({ brand: StoredBrandSlug, move: Move, in_window: z.boolean(), stories: z.int() });
const CityCount = z.object({ brand: StoredBrandSlug, city: z.string(), stories: z.int() });
const Latest = z.object({ brand: StoredBrandSlug, key: z.string(), published_at: z.date(), item_document: z.string() });

/**
 * A count for each brand, kind and window, each read off a stretch of the index `brand_stories_moves`: four times as fast
 * as grouping the stories. A window holds its beginning and leaves out its end.
 */
const MOVES_OF_WINDOWS = `SELECT asked.brand, kinds.move, windows.in_window,
    (SELECT count(*)::int FROM read.brand_stories s
     WHERE s.brand = asked.brand AND s.move = kinds.move AND s.is_primary
       AND s.published_at >= windows.since AND s.published_at < windows.until) AS stories
  FROM unnest($1::text[]) AS asked(brand), unnest($2::text[]) AS kinds(move),
    (VALUES (true, $4::timestamptz, $5::timestamptz), (false, $3::timestamptz, $4::timestamptz))
      AS windows(in_window, since, until)`;
const CITIES = `SELECT asked.brand, counted.city, counted.stories
  FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT city, count(*)::int AS stories FROM (
      SELECT unnest(cities) AS city FROM read.brand_stories s
      WHERE s.brand = asked.brand AND s.is_primary AND s.cities <> '{}'
        AND s.published_at >= $2 AND s.published_at < $3) AS stories
    GROUP BY city) AS counted`;
const NEWEST = `SELECT wanted.brand, found.key, found.published_at, s.item_document
  FROM unnest($1::text[]) AS wanted(brand)
  CROSS JOIN LATERAL (
    SELECT key, published_at FROM read.brand_stories b
    WHERE b.brand = wanted.brand AND is_primary AND published_at >= $2 AND published_at < $3
    ORDER BY published_at DESC, key DESC LIMIT ${LATEST}) AS found
  JOIN read.signals s ON s.key = found.key AND s.status = 'public'`;

/** Several brands side by side, over the last `days` days and the equal window before. */
export async function competitorWatch(database: Queryable, question: WatchQuestion): Promise<Watch> {
  const { brands, days, now, baseUrl } = question;
  const since = new Date(now.getTime() - days * DAY);
  const before = new Date(since.getTime() - days * DAY);
  const all = brands.flatMap(({ slugs }) => slugs);
  const [moves, cities, latest] = await Promise.all([
    query(database, MOVES_OF_WINDOWS, [all, MOVES, before, since, now], MoveCount),
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

const newestOf = (found: readonly z.infer<typeof Latest>[]): z.infer<typeof WatchMove>[] =>
  found
    .toSorted(
      (one, other) => other.published_at.getTime() - one.published_at.getTime() || (one.key < other.key ? 1 : -1),
    )
    .slice(0, LATEST)
    .map(({ item_document }) => WatchMove.parse(JSON.parse(item_document)));

const Named = z.object({ slug: StoredBrandSlug, name: z.string() });

/** Names of brands as their newest stories write them; brands without a story are left out. */
export const namesOfBrands = (database: Queryable, slugs: readonly BrandSlug[]): Promise<z.infer<typeof Named>[]> =>
  query(
    database,
    `SELECT wanted.slug, found.name FROM unnest($1::text[]) AS wanted(slug)
     CROSS JOIN LATERAL (
       SELECT name FROM read.brand_stories b WHERE b.brand = wanted.slug
       ORDER BY published_at DESC, key DESC LIMIT 1) AS found`,
    [slugs],
    Named,
  );

const Start = z.object({ since: z.date().nullable() });

/** When the oldest public signal was published; null while there is none. Before it no window can be counted. */
export async function recordStart(database: Queryable): Promise<Date | null> {
  const [found] = await query(
    database,
    `SELECT min(published_at) AS since FROM read.signals WHERE status = 'public'`,
    [],
    Start,
  );
  return found?.since ?? null;
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
    `SELECT brand AS slug, count(*)::int AS stories FROM read.brand_stories
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2
     GROUP BY brand ORDER BY stories DESC, brand LIMIT $3`,
    [brands, since, limit],
    Busy,
  );
