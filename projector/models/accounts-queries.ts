/** Queries of accounts and API keys, and of the audit log. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryKeys, queryOne, queryValue } from '../../log/postgres/database.ts';
import { type AccountId, KeyScope, Plan, StoredAccountId } from '../../schemas/access.ts';
import type { AccountRow } from './accounts-read-model.ts';

export type { AccountRow, ApplicationRow, KeyRow } from './accounts-read-model.ts';

const FoundKey = z.object({
  account: StoredAccountId,
  id: z.string(),
  hash: z.string(),
  plan: Plan,
  scopes: z.array(KeyScope),
  expires_at: z.date().nullable(),
  revoked: z.boolean(),
});
export type FoundKey = z.infer<typeof FoundKey>;

const KEYS_BY_HASH = {
  name: 'projector_keys_by_hash',
  text: `SELECT k.* FROM unnest($1::text[]) AS asked(hash) CROSS JOIN LATERAL (
      SELECT key AS account, id, hash, plan, scopes, expires_at, revoked FROM read.api_keys WHERE hash = asked.hash OFFSET 0) k`,
};

/** Keys by the SHA-256 of them, revoked and expired ones too; null for one that was never issued. */
export async function findKeysByHash(
  database: Queryable,
  hashes: readonly string[],
): Promise<readonly (FoundKey | null)[]> {
  const byHash = new Map((await queryKeys(database, KEYS_BY_HASH, hashes, FoundKey)).map((key) => [key.hash, key]));
  return hashes.map((hash) => byHash.get(hash) ?? null);
}

/** The account that a key belongs to; null for a key that was never issued. */
export const ownerOfKey = (database: Queryable, keyId: string): Promise<AccountId | null> =>
  queryValue(database, 'SELECT key FROM read.api_keys WHERE id = $1', [keyId], StoredAccountId);

/** The account whose newest application this is; null for none. */
export const ownerOfApplication = (database: Queryable, applicationId: string): Promise<AccountId | null> =>
  queryValue(database, 'SELECT key FROM read.accounts WHERE application_id = $1', [applicationId], StoredAccountId);

const Found = z.object({ key: StoredAccountId, row: z.string() });
export interface FoundAccount extends AccountRow {
  readonly id: AccountId;
}
const accountOf = ({ key, row }: z.infer<typeof Found>): FoundAccount => ({
  id: key,
  ...(JSON.parse(row) as AccountRow),
});

/** An account with all its keys; null for one that was never opened. */
export async function findAccount(database: Queryable, id: AccountId): Promise<FoundAccount | null> {
  const account = await queryOne(database, 'SELECT key, row FROM read.accounts WHERE key = $1', [id], Found);
  return account ? accountOf(account) : null;
}

/** The plan of an account; null for one that was never opened. */
export const planOf = (database: Queryable, id: AccountId): Promise<Plan | null> =>
  queryValue(database, 'SELECT plan FROM read.accounts WHERE key = $1', [id], Plan);

/** Accounts in the order of their opening, those with an application in this state when one is named. */
export async function listAccounts(
  database: Queryable,
  { application = null }: { application?: string | null } = {},
): Promise<readonly FoundAccount[]> {
  const text = `SELECT key, row FROM read.accounts WHERE $1::text IS NULL OR application_status = $1
    ORDER BY opened_at, key`;
  return (await query(database, text, [application], Found)).map(accountOf);
}

const Act = z.object({
  id: z.string(),
  at: z.date(),
  by: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.string().nullable(),
  why: z.string().nullable(),
});
export type Act = z.infer<typeof Act>;

export interface AuditFilter {
  /** The name of an operator. */
  readonly by?: string | undefined;
  readonly action?: string | undefined;
  /** A part of the subject or of what was done to it. */
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/**
 * What operators did, the newest first.
 * @param after the id of the last entry of the page before; an unknown one starts from the first page
 */
export const listActs = (
  database: Queryable,
  { by, action, subject, since, until }: AuditFilter,
  limit: number,
  after?: string,
): Promise<Act[]> =>
  query(
    database,
    `SELECT a.key AS id, a.at, coalesce(n.name, a.actor) AS by, a.action, a.subject, a.detail, a.why
     FROM read.audit a LEFT JOIN read.audit_actors n ON n.key = a.actor
     WHERE ($1::text IS NULL OR coalesce(n.name, a.actor) = $1) AND ($2::text IS NULL OR a.action = $2)
       AND ($3::text IS NULL OR strpos(lower(a.subject), lower($3)) > 0 OR strpos(lower(a.detail), lower($3)) > 0)
       AND ($4::timestamptz IS NULL OR a.at >= $4) AND ($5::timestamptz IS NULL OR a.at < $5)
       AND ($6::text IS NULL OR NOT EXISTS (SELECT 1 FROM read.audit l WHERE l.key = $6)
         OR (a.at, a.key) < (SELECT l.at, l.key FROM read.audit l WHERE l.key = $6))
     ORDER BY a.at DESC, a.key DESC LIMIT $7`,
    [by ?? null, action ?? null, subject ?? null, since ?? null, until ?? null, after ?? null, limit],
    Act,
  );

/** The names of all who did anything, in order. */
export const listActors = (database: Queryable): Promise<string[]> =>
  queryColumn(
    database,
    `SELECT DISTINCT coalesce(n.name, a.actor) AS name
     FROM read.audit a LEFT JOIN read.audit_actors n ON n.key = a.actor ORDER BY name`,
    [],
    z.string(),
  );
