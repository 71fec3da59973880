/** Queries of results: the figures of companies that public signals report. One event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { SignalText } from '../../schemas/resources.ts';
import { Quarter, quarterOrder } from '../../schemas/results-season.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import { isExpected } from '../../schemas/story.ts';
import { CITED_COLUMNS, Cited, DetailColumns, JOIN_SIGNALS, signalTextOf } from './query-parts.ts';

const ResultRow = Cited.extend({
  company_slug: StoredBrandSlug,
  metric: z.string(),
  value: z.string().nullable(),
  growth_pct: z.number().nullable(),
});
export type ResultRow = z.infer<typeof ResultRow>;

/**
 * The latest quarter of which one of these companies reported.
 * @param last the last quarter that has ended: later ones are forecasts
 * @returns null when none has
 */
export async function latestQuarter(
  database: Queryable,
  companies: readonly BrandSlug[],
  last: Quarter,
): Promise<Quarter | null> {
  const found = await query(
    database,
    `SELECT DISTINCT period, metric FROM read.results WHERE company_slug = ANY($1) AND period LIKE 'Q_ FY__'`,
    [companies],
    z.object({ period: z.string(), metric: z.string() }),
  );
  const quarters = found
    .filter(({ metric }) => !isExpected(metric))
    .flatMap(({ period }) => Quarter.safeParse(period).data ?? [])
    .filter((quarter) => quarterOrder(quarter) <= quarterOrder(last));
  return quarters.toSorted((one, other) => quarterOrder(other) - quarterOrder(one))[0] ?? null;
}

/**
 * For each company and metric of a period the newest report of its value and the newest report of its growth, which may
 * be one; a metric that no report gives a figure of has its newest report. Newest first.
 */
export const figuresOf = (database: Queryable, companies: readonly BrandSlug[], period: string): Promise<ResultRow[]> =>
  query(
    database,
    `WITH ranked AS (
       SELECT *,
         row_number() OVER (metric_of ORDER BY value IS NULL, value IS NULL AND growth_pct IS NULL,
           published_at DESC, key DESC, number) AS by_value,
         row_number() OVER (metric_of ORDER BY growth_pct IS NULL, published_at DESC, key DESC, number) AS by_growth
       FROM read.results WHERE company_slug = ANY($1) AND period = $2
       WINDOW metric_of AS (PARTITION BY company_slug, metric))
     SELECT ${CITED_COLUMNS}, row.company_slug, row.metric, row.value, row.growth_pct
     FROM ranked AS row ${JOIN_SIGNALS} WHERE row.by_value = 1 OR row.by_growth = 1
     ORDER BY row.published_at DESC, row.key DESC, row.number`,
    [companies, period],
    ResultRow,
  );

/** Moves about any of these brands that were published since a moment; one about several counts once. */
export async function countMovesAbout(database: Queryable, brands: readonly BrandSlug[], since: Date): Promise<number> {
  const [found] = await query(
    database,
    `SELECT count(DISTINCT key)::int AS moves FROM read.signal_brands
     WHERE brand = ANY($1) AND is_primary AND published_at >= $2`,
    [brands, since],
    z.object({ moves: z.int() }),
  );
  return found?.moves ?? 0;
}

/** SignalText of the newest moves about any of these brands, newest first. */
export async function newestMoves(
  database: Queryable,
  brands: readonly BrandSlug[],
  limit: number,
): Promise<SignalText[]> {
  // Brand by brand, because only within one the index gives the order.
  const found = await query(
    database,
    `WITH newest AS (
       SELECT DISTINCT latest.key, latest.published_at FROM unnest($1::text[]) AS asked(brand), LATERAL (
         SELECT key, published_at FROM read.signal_brands b WHERE b.brand = asked.brand AND b.is_primary
         ORDER BY published_at DESC, key DESC LIMIT $2) AS latest
       ORDER BY latest.published_at DESC, latest.key DESC LIMIT $2)
     SELECT s.item_document, s.row
     FROM newest JOIN read.signals s ON s.key = newest.key AND s.status = 'public'
     ORDER BY newest.published_at DESC, newest.key DESC`,
    [brands, limit],
    DetailColumns,
  );
  return found.map((row) => SignalText.parse(signalTextOf(row)));
}
