/** What readers ask about one brand. Every count is of public signals; one event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import type { Brand } from '../../../schemas/brand.ts';
import { countsByMove, MoveCount } from '../move-counts.ts';
import { listSignals } from '../signals/queries.ts';

const DAY = 86_400_000;
const LISTED = 10;
const LATEST = 10;
/** Related brands, themes and outlets are counted over a brand's newest stories; more would say no more. */
const SAMPLE = 2_000;

const Summary = z.object({
  name: z.string().nullable(),
  stories: z.int(),
  stories_about: z.int(),
  first_seen_at: z.date().nullable(),
  last_seen_at: z.date().nullable(),
});
const Counted = z.object({ slug: z.string(), name: z.string(), stories: z.int() });

/** A brand as the brand endpoint tells it, and its latest moves. */
export interface FoundBrand {
  readonly brand: Brand;
  /** SignalItem documents as JSON text: the 10 latest moves of the brand, newest first. */
  readonly latest: string[];
}

export interface BrandQuestion {
  readonly now: Date;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  /** Slugs that the brand had before: stories stand under the slug of their day. No story has two of them. */
  readonly retiredSlugs?: readonly string[];
}

/** @returns null for a brand that no public signal names */
export async function findBrand(
  database: Queryable,
  slug: string,
  { now, baseUrl, retiredSlugs = [] }: BrandQuestion,
): Promise<FoundBrand | null> {
  const slugs = [slug, ...retiredSlugs];
  const [summary] = await query(
    database,
    `SELECT (SELECT newest.name FROM unnest($1::text[]) AS asked(brand), LATERAL (
         SELECT name, published_at FROM read.brand_stories s WHERE s.brand = asked.brand
         ORDER BY published_at DESC, key DESC LIMIT 1) AS newest
         ORDER BY newest.published_at DESC LIMIT 1) AS name,
       count(*)::int AS stories, (count(*) FILTER (WHERE is_primary))::int AS stories_about,
       min(published_at) AS first_seen_at, max(published_at) AS last_seen_at
     FROM read.brand_stories WHERE brand = ANY($1)`,
    [slugs],
    Summary,
  );
  if (!summary?.name) return null;
  const since = new Date(now.getTime() - 30 * DAY);
  const [moves, themes, related, outlets, latest] = await Promise.all([
    countMoves(database, slugs, since, now),
    topOf(database, slugs, THEMES),
    topOf(database, slugs, RELATED),
    topOf(database, slugs, OUTLETS),
    listSignals(database, { brand: slugs, limit: LATEST }),
  ]);
  const by_move = countsByMove(moves);
  const total = moves.reduce((sum, { stories }) => sum + stories, 0);
  return {
    brand: {
      name: summary.name,
      slug,
      url: `${baseUrl}/brand/${slug}`,
      stories: summary.stories,
      stories_about: summary.stories_about,
      first_seen_at: summary.first_seen_at?.toISOString() ?? null,
      last_seen_at: summary.last_seen_at?.toISOString() ?? null,
      last_30_days: { since: since.toISOString(), until: now.toISOString(), total, by_move },
      themes: themes.map((theme) => ({ ...theme, url: `${baseUrl}/theme/${theme.slug}` })),
      related_brands: related.map((brand) => ({ ...brand, url: `${baseUrl}/brand/${brand.slug}` })),
      top_outlets: outlets.map(({ name, stories }) => ({ outlet: name, stories })),
    },
    latest: latest.documents,
  };
}

/** Slug by slug, because only within one slug the index gives the order. */
const RECENT = `WITH recent AS (
  SELECT newest.* FROM unnest($1::text[]) AS asked(brand), LATERAL (
    SELECT key, theme, theme_name, outlets FROM read.brand_stories s WHERE s.brand = asked.brand
    ORDER BY published_at DESC, key DESC LIMIT ${SAMPLE}) AS newest)`;
const MOST_FIRST = `ORDER BY stories DESC, slug LIMIT ${LISTED}`;
const THEMES = `${RECENT} SELECT theme AS slug, max(theme_name) AS name, count(*)::int AS stories
  FROM recent WHERE theme IS NOT NULL GROUP BY theme ${MOST_FIRST}`;
const RELATED = `${RECENT} SELECT o.brand AS slug, max(o.name) AS name, count(*)::int AS stories
  FROM recent JOIN read.brand_stories o ON o.key = recent.key AND o.brand <> ALL($1) GROUP BY o.brand ${MOST_FIRST}`;
const OUTLETS = `${RECENT} SELECT outlet AS slug, outlet AS name, count(*)::int AS stories
  FROM recent, unnest(outlets) AS outlet GROUP BY outlet ${MOST_FIRST}`;

const topOf = (database: Queryable, slugs: readonly string[], text: string): Promise<z.infer<typeof Counted>[]> =>
  query(database, text, [slugs], Counted);

const BrandMoveCount = MoveCount.extend({ brand: z.string() });

/** Stories about each brand by kind of move, from `since` (in) to `until` (out); kinds without a story are left out. */
export const countMoves = (
  database: Queryable,
  brands: readonly string[],
  since: Date,
  until: Date,
): Promise<z.infer<typeof BrandMoveCount>[]> =>
  query(
    database,
    `SELECT brand, move, count(*)::int AS stories FROM read.brand_stories
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2 AND published_at < $3 GROUP BY brand, move`,
    [brands, since, until],
    BrandMoveCount,
  );
