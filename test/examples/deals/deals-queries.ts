/** Queries of deals: the only file with SQL about them. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';

/** One deal, as in the response. */
export const DealItem = z.object({
  slug: z.string(),
  type: z.string(),
  amount: z.string().nullable(),
  target: z.string().nullable(),
});
export type DealItem = z.infer<typeof DealItem>;

/** The newest deals first. */
export const listDeals = (database: Queryable, limit: number): Promise<DealItem[]> =>
  query(
    database,
    'SELECT slug, type, amount, target FROM read.deals ORDER BY published_at DESC, key LIMIT $1',
    [limit],
    DealItem,
  );
