/** Stores of openings by place or brand and by month, over the rows of the table of openings. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { conditionOf, type TableFilter } from './tables-queries.ts';

const Count = z.object({
  name: z.string().nullable(),
  slug: z.string().nullable(),
  /** IST month of publication, YYYY-MM. */
  month: z.string(),
  /** Minimum of stores: a row without a number counts as one. */
  stores: z.number(),
  rows: z.int(),
});
export type OpeningCount = z.infer<typeof Count>;

/** Counts of the rows of a filter. @param by a city has no slug; null for rows without a name */
export function countOpenings(database: Queryable, filter: TableFilter, by: 'city' | 'brand'): Promise<OpeningCount[]> {
  const { where, parameters } = conditionOf('openings', filter);
  const [name, slug] = by === 'city' ? ['t.city', 'NULL::text'] : ['t.brand', 't.brand_slug'];
  return query(
    database,
    `SELECT ${name} AS name, ${slug} AS slug, to_char(t.reported_at AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM') AS month,
       sum(greatest(coalesce(t.stores, 1), 1))::float8 AS stores, count(*)::int AS rows
     FROM read.openings t ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} GROUP BY 1, 2, 3`,
    parameters,
    Count,
  );
}
