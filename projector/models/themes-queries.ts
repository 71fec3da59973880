/** Queries about themes. Every count is of public signals. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { countsByMove, MoveCount } from './query-parts.ts';

const DAY = 86_400_000;

const Summary = z.object({
  name: z.string().nullable(),
  stories: z.int(),
  first_seen_at: z.date().nullable(),
  last_seen_at: z.date().nullable(),
});

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
  { now, baseUrl }: { now: Date; baseUrl: string },
): Promise<FoundTheme | null> {
  const [summary] = await query(
    database,
    `SELECT (array_agg(name ORDER BY published_at DESC, key DESC))[1] AS name, count(*)::int AS stories,
       min(published_at) AS first_seen_at, max(published_at) AS last_seen_at
     FROM read.theme_stories WHERE theme = $1`,
    [slug],
    Summary,
  );
  if (!summary?.name) return null;
  const since = new Date(now.getTime() - 30 * DAY);
  const moves = await query(
    database,
    `SELECT move, count(*)::int AS stories FROM read.theme_stories
     WHERE theme = $1 AND published_at >= $2 AND published_at < $3 GROUP BY move`,
    [slug, since, now],
    MoveCount,
  );
  return {
    slug,
    name: summary.name,
    url: `${baseUrl}/theme/${slug}`,
    stories: summary.stories,
    first_seen_at: summary.first_seen_at?.toISOString() ?? null,
    last_seen_at: summary.last_seen_at?.toISOString() ?? null,
    last_30_days: {
      since: since.toISOString(),
      until: now.toISOString(),
      total: moves.reduce((sum, { stories }) => sum + stories, 0),
      by_move: countsByMove(moves),
    },
  };
}

const Listed = z.object({ slug: z.string(), name: z.string(), stories: z.int() });

/** All themes with their stories since a moment, the highest count first. */
export const listThemes = (database: Queryable, since: Date): Promise<z.infer<typeof Listed>[]> =>
  query(
    database,
    `SELECT theme AS slug, max(name) AS name, count(*)::int AS stories FROM read.theme_stories
     WHERE published_at >= $1 GROUP BY theme ORDER BY stories DESC, theme`,
    [since],
    Listed,
  );
