/** Every public signal, month by month: what a sitemap lists. Months are those of IST. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';

const Month = z.object({ month: z.string(), signals: z.int(), newest: z.date() });
export type SitemapMonth = z.infer<typeof Month>;

/** Months with signals as `2026-11`, newest first. */
export const sitemapMonths = (database: Queryable): Promise<SitemapMonth[]> =>
  query(
    database,
    `SELECT to_char(published_at AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM') AS month, count(*)::int AS signals,
       max(published_at) AS newest
     FROM read.signals WHERE status = 'public' GROUP BY 1 ORDER BY 1 DESC`,
    [],
    Month,
  );

const Listed = z.object({ slug: z.string(), published_at: z.date() });

/** Signals of a month, oldest first, so that a page that is full never changes. @param month `2026-11` */
export const signalsOfMonth = (
  database: Queryable,
  month: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<z.infer<typeof Listed>[]> =>
  query(
    database,
    `SELECT slug, published_at FROM read.signals
     WHERE status = 'public' AND published_at >= ($1 || '-01')::date::timestamp AT TIME ZONE 'Asia/Kolkata'
       AND published_at < (($1 || '-01')::date + interval '1 month') AT TIME ZONE 'Asia/Kolkata'
     ORDER BY published_at, key OFFSET $2 LIMIT $3`,
    [month, page.offset, page.limit],
    Listed,
  );
