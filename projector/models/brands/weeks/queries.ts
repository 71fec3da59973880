/** The stories about a brand week by week: what its timeline is drawn from. Public stories alone. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';
import { Move } from '../../../../schemas/scalar.ts';

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
  slugs: readonly string[],
  { since, weeks }: { readonly since: Date; readonly weeks: number },
): Promise<WeekCount[]> =>
  query(
    database,
    `SELECT move, floor(extract(epoch FROM published_at - $2::timestamptz) / 604800)::int AS week,
       count(*)::int AS stories
     FROM read.brand_stories
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2
       AND published_at < $2::timestamptz + $3::int * interval '7 days'
     GROUP BY 1, 2 ORDER BY 2, 1`,
    [slugs, since, weeks],
    WeekCount,
  );
