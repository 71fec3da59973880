/** What an asker's own pages need of sessions. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';

const Own = z.object({ id: z.string(), is_public: z.boolean(), turns: z.int() });
export type OwnSession = z.infer<typeof Own>;

/** The session of a slug, where it is the account's; null for any other. */
export const ownSession = async (database: Queryable, slug: string, account: string): Promise<OwnSession | null> =>
  (
    await query(
      database,
      'SELECT key AS id, is_public, turns FROM read.sessions WHERE slug = $1 AND account = $2',
      [slug, account],
      Own,
    )
  )[0] ?? null;

const Recent = z.object({ slug: z.string(), turns: z.int(), question: z.string(), asked_at: z.string() });
export type RecentSession = z.infer<typeof Recent>;

/** The sessions of an account with their first questions, the newest first. */
export const recentSessions = (database: Queryable, account: string, limit: number): Promise<RecentSession[]> =>
  query(
    database,
    `SELECT s.slug, s.turns, t.turn::json ->> 'question' AS question, t.turn::json ->> 'asked_at' AS asked_at
     FROM read.sessions s JOIN read.session_turns t ON t.key = s.key AND t.ordinal = 1
     WHERE s.account = $1 ORDER BY asked_at DESC, s.slug LIMIT $2`,
    [account, limit],
    Recent,
  );
