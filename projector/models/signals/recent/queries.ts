/** What was told most since a moment. Every count is of public signals; one event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';
import { MOVES, type Move } from '../../../../schemas/scalar.ts';

const Row = z.object({ of: z.enum(['move', 'theme', 'brand', 'city']), key: z.string(), stories: z.int() });

export interface Told {
  /** Slug of a brand or theme, name of a city. */
  readonly key: string;
  readonly stories: number;
}

export interface RecentCounts {
  readonly stories: number;
  readonly moves: Readonly<Record<Move, number>>;
  /** Most stories first, as are the others. Themes and cities of the stories, and the brands that they are about. */
  readonly themes: readonly Told[];
  readonly brands: readonly Told[];
  readonly cities: readonly Told[];
}

/** @param most names of each sort */
export async function recentCounts(database: Queryable, since: Date, most: number): Promise<RecentCounts> {
  const rows = await query(
    database,
    `WITH recent AS MATERIALIZED (
       SELECT key, move, theme, cities FROM read.signals WHERE status = 'public' AND published_at >= $1
     ), counted AS (
       SELECT 'move' AS of, move AS key, count(*)::int AS stories FROM recent GROUP BY move
       UNION ALL SELECT 'theme', theme, count(*)::int FROM recent WHERE theme IS NOT NULL GROUP BY theme
       UNION ALL SELECT 'city', city, count(*)::int FROM recent, unnest(cities) AS city GROUP BY city
       UNION ALL SELECT 'brand', b.brand, count(*)::int FROM recent r
         JOIN read.signal_brands b ON b.key = r.key AND b.is_primary GROUP BY b.brand
     ), ranked AS (
       SELECT *, row_number() OVER (PARTITION BY of ORDER BY stories DESC, key) AS rank FROM counted
     )
     SELECT of, key, stories FROM ranked WHERE rank <= $2 ORDER BY of, rank`,
    [since, Math.max(most, MOVES.length)],
    Row,
  );
  const told = (of: 'theme' | 'brand' | 'city'): Told[] => rows.filter((row) => row.of === of).slice(0, most);
  const moves = rows.filter(({ of }) => of === 'move');
  const count = (move: Move): number => moves.find(({ key }) => key === move)?.stories ?? 0;
  return {
    stories: moves.reduce((sum, { stories }) => sum + stories, 0),
    moves: Object.fromEntries(MOVES.map((move) => [move, count(move)])) as Record<Move, number>,
    themes: told('theme'),
    brands: told('brand'),
    cities: told('city'),
  };
}
