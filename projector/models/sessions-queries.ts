/** Queries of sessions, for their owners and, when shared, for other readers. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { AccountId } from '../../schemas/access.ts';
import { type SharedTurn, Turn } from '../../schemas/ask.ts';

const Row = z.object({ turn: z.string(), turns: z.int() });

/**
 * A turn of a session that is shared, or that is the reader's own.
 * @param account of the reader; null for a reader who is not signed in
 * @returns null where there is none that this reader may see
 */
export async function findTurn(
  database: Queryable,
  slug: string,
  ordinal: number,
  account: AccountId | null = null,
): Promise<SharedTurn | null> {
  const [found] = await query(
    database,
    `SELECT t.turn, s.turns FROM read.sessions s JOIN read.session_turns t ON t.key = s.key
     WHERE s.slug = $1 AND t.ordinal = $2 AND (s.is_public OR s.account = $3)`,
    [slug, ordinal, account],
    Row,
  );
  return found ? { session_slug: slug, turns: found.turns, turn: Turn.parse(JSON.parse(found.turn)) } : null;
}

/** Ids of the sessions of an account. */
export const sessionsOf = async (database: Queryable, account: AccountId): Promise<string[]> =>
  (
    await query(
      database,
      'SELECT key FROM read.sessions WHERE account = $1 ORDER BY key',
      [account],
      z.object({ key: z.string() }),
    )
  ).map(({ key }) => key);

const Own = z.object({ id: z.string(), is_public: z.boolean(), turns: z.int() });
type OwnSession = z.infer<typeof Own>;

/** The session of a slug, where it is the account's; null for any other. */
export const ownSession = async (database: Queryable, slug: string, account: AccountId): Promise<OwnSession | null> =>
  (
    await query(
      database,
      'SELECT key AS id, is_public, turns FROM read.sessions WHERE slug = $1 AND account = $2',
      [slug, account],
      Own,
    )
  )[0] ?? null;

const Recent = z.object({ slug: z.string(), turns: z.int(), question: z.string(), asked_at: z.string() });
type RecentSession = z.infer<typeof Recent>;

/** The sessions of an account with their first questions, the newest first. */
export const recentSessions = (database: Queryable, account: AccountId, limit: number): Promise<RecentSession[]> =>
  query(
    database,
    `SELECT s.slug, s.turns, t.turn::json ->> 'question' AS question, t.turn::json ->> 'asked_at' AS asked_at
     FROM read.sessions s JOIN read.session_turns t ON t.key = s.key AND t.ordinal = 1
     WHERE s.account = $1 ORDER BY asked_at DESC, s.slug LIMIT $2`,
    [account, limit],
    Recent,
  );
