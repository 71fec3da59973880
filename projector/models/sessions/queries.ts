/** Turns of sessions, as their owners and, when shared, others may read them. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import { type SharedTurn, Turn } from '../../../schemas/ask.ts';

const Row = z.object({ turn: z.string(), turns: z.int() });

/**
 * A turn of a session that is shared, or that is the reader's own.
 * @param account of the reader; null for somebody who did not sign in
 * @returns null where there is none that this reader may see
 */
export async function findTurn(
  database: Queryable,
  slug: string,
  ordinal: number,
  account: string | null = null,
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
export const sessionsOf = async (database: Queryable, account: string): Promise<string[]> =>
  (
    await query(
      database,
      'SELECT key FROM read.sessions WHERE account = $1 ORDER BY key',
      [account],
      z.object({ key: z.string() }),
    )
  ).map(({ key }) => key);
