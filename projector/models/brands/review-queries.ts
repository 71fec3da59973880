/** What operators ask of brands. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';

const Unlisted = z.object({
  slug: z.string(),
  name: z.string(),
  stories: z.int(),
  last_seen_at: z.date(),
  /** The newest signal about it. */
  signal_id: z.string(),
});
export type Unlisted = z.infer<typeof Unlisted>;

/** Brands that stories are about but the catalogue lacks, the most told first. @param known slugs of the catalogue */
export const unlistedBrands = (
  database: Queryable,
  { known, since, limit }: { readonly known: readonly string[]; readonly since: Date; readonly limit: number },
): Promise<Unlisted[]> =>
  query(
    database,
    `SELECT brand AS slug, min(name) AS name, count(*)::int AS stories, max(published_at) AS last_seen_at,
       (array_agg(key ORDER BY published_at DESC))[1] AS signal_id
     FROM read.brand_stories
     WHERE is_primary AND published_at >= $2 AND NOT (brand = ANY($1)) GROUP BY brand
     ORDER BY stories DESC, last_seen_at DESC, brand LIMIT $3`,
    [known, since, limit],
    Unlisted,
  );
