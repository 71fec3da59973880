/** Queries of sessions of questions, and of research briefings. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryOne } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import { Investigation, type SharedTurn, Turn } from '../../schemas/ask.ts';

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
  const shared = await queryOne(
    database,
    `SELECT t.turn, s.turns FROM read.sessions s JOIN read.session_turns t ON t.key = s.key
     WHERE s.slug = $1 AND t.ordinal = $2 AND (s.is_public OR s.account = $3)`,
    [slug, ordinal, account],
    Row,
  );
  return shared ? { session_slug: slug, turns: shared.turns, turn: Turn.parse(JSON.parse(shared.turn)) } : null;
}

/** Ids of the sessions of an account. */
export const sessionsOf = (database: Queryable, account: AccountId): Promise<string[]> =>
  queryColumn(database, 'SELECT key FROM read.sessions WHERE account = $1 ORDER BY key', [account], z.string());

const Own = z.object({ id: z.string(), is_public: z.boolean(), turns: z.int() });
type OwnSession = z.infer<typeof Own>;

/** The session of a slug, where it is the account's; null for any other. */
export const ownSession = (database: Queryable, slug: string, account: AccountId): Promise<OwnSession | null> =>
  queryOne(
    database,
    'SELECT key AS id, is_public, turns FROM read.sessions WHERE slug = $1 AND account = $2',
    [slug, account],
    Own,
  );

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

const InvestigationRow = z.object({ account: StoredAccountId, row: z.string() });

interface FoundInvestigation {
  readonly account: AccountId;
  readonly investigation: Investigation;
}

/** Ids of briefings that were requested before a moment and neither completed nor failed. */
export function queuedInvestigations(database: Queryable, before: Date): Promise<string[]> {
  const text = `SELECT key FROM read.investigations WHERE status = 'queued' AND created_at < $1 ORDER BY created_at`;
  return queryColumn(database, text, [before], z.string());
}

/** @returns null for an id that nothing has */
export async function findInvestigation(
  database: Queryable,
  id: string,
  baseUrl: string,
): Promise<FoundInvestigation | null> {
  const stored = await queryOne(
    database,
    'SELECT account, row FROM read.investigations WHERE key = $1',
    [id],
    InvestigationRow,
  );
  if (!stored) return null;
  const kept = JSON.parse(stored.row) as Investigation;
  const report_url = kept.status === 'completed' ? `${baseUrl}/research/${id}` : null;
  const investigation = { ...kept, id, report_url, citation_count: kept.citations.length };
  return { account: stored.account, investigation: Investigation.parse(investigation) };
}

/** Ids of the briefings that an account asked for. */
export const investigationsOf = (database: Queryable, account: AccountId): Promise<string[]> =>
  queryColumn(database, 'SELECT key FROM read.investigations WHERE account = $1 ORDER BY key', [account], z.string());

const RecentInvestigation = z.object({ id: z.string(), topic: z.string(), status: z.string(), created_at: z.date() });
type RecentInvestigation = z.infer<typeof RecentInvestigation>;

/** The briefings of an account, the newest first. */
export const recentInvestigations = (
  database: Queryable,
  account: AccountId,
  limit: number,
): Promise<RecentInvestigation[]> =>
  query(
    database,
    `SELECT key AS id, row::json ->> 'topic' AS topic, status, created_at FROM read.investigations
     WHERE account = $1 ORDER BY read.investigations.created_at DESC, key LIMIT $2`,
    [account, limit],
    RecentInvestigation,
  );
