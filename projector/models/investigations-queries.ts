/** Queries of research briefings. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import { Investigation } from '../../schemas/ask.ts';

const Row = z.object({ account: StoredAccountId, row: z.string() });

interface FoundInvestigation {
  readonly account: AccountId;
  readonly investigation: Investigation;
}

/** Ids of briefings that were requested before a moment and neither completed nor failed. */
export async function queuedInvestigations(database: Queryable, before: Date): Promise<string[]> {
  const text = `SELECT key FROM read.investigations WHERE status = 'queued' AND created_at < $1 ORDER BY created_at`;
  return (await query(database, text, [before], z.object({ key: z.string() }))).map(({ key }) => key);
}

/** @returns null for an id that nothing has */
export async function findInvestigation(
  database: Queryable,
  id: string,
  baseUrl: string,
): Promise<FoundInvestigation | null> {
  const [found] = await query(database, 'SELECT account, row FROM read.investigations WHERE key = $1', [id], Row);
  if (!found) return null;
  const kept = JSON.parse(found.row) as Investigation;
  const report_url = kept.status === 'completed' ? `${baseUrl}/research/${id}` : null;
  const investigation = { ...kept, id, report_url, citation_count: kept.citations.length };
  return { account: found.account, investigation: Investigation.parse(investigation) };
}

/** Ids of the briefings that an account asked for. */
export const investigationsOf = async (database: Queryable, account: AccountId): Promise<string[]> =>
  (
    await query(
      database,
      'SELECT key FROM read.investigations WHERE account = $1 ORDER BY key',
      [account],
      z.object({ key: z.string() }),
    )
  ).map(({ key }) => key);

const Recent = z.object({ id: z.string(), topic: z.string(), status: z.string(), created_at: z.date() });
type RecentInvestigation = z.infer<typeof Recent>;

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
    Recent,
  );
