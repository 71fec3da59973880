/** What an asker's own pages need of briefings. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';

const Recent = z.object({ id: z.string(), topic: z.string(), status: z.string(), created_at: z.date() });
export type RecentInvestigation = z.infer<typeof Recent>;

/** The briefings of an account, the newest first. */
export const recentInvestigations = (
  database: Queryable,
  account: string,
  limit: number,
): Promise<RecentInvestigation[]> =>
  query(
    database,
    `SELECT key AS id, row::json ->> 'topic' AS topic, status, created_at FROM read.investigations
     WHERE account = $1 ORDER BY read.investigations.created_at DESC, key LIMIT $2`,
    [account, limit],
    Recent,
  );
