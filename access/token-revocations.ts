/** Access tokens that no longer hold although their time is not over: revoked one by one, by grant, or by account. */
import type { Queryable } from '../log/postgres/database.ts';
import type { AccountId } from '../schemas/access.ts';
import type { AccountName } from './account.ts';

/** What a token is looked up by; a claim that it lacks is undefined. */
export interface RevocableToken {
  /** `acc_…` */
  readonly account: AccountId;
  readonly jti?: string | undefined;
  readonly grantId?: string | undefined;
  /** When it was issued, in seconds since 1970. */
  readonly iat?: number | undefined;
}

// A token that does not say when it was issued counts as issued before any revocation. `iat` has whole seconds: a token
// of the second of the revocation counts as revoked.
const FIND = `SELECT 1 FROM access.token_revocation
  WHERE (kind = 'token' AND id = $1) OR (kind = 'grant' AND id = $2)
     OR (kind = 'account' AND id = $3 AND revoked_at >= to_timestamp($4))`;

/** Whether a token was revoked. Asked on every call, so that a revocation holds at once on every process. */
export async function isRevoked(database: Queryable, { account, jti, grantId, iat }: RevocableToken): Promise<boolean> {
  const { rows } = await database.query(FIND, [jti ?? null, grantId ?? null, account, iat ?? 0]);
  return rows.length > 0;
}

const ADD = `INSERT INTO access.token_revocation (kind, id, expires_at) VALUES ($1, $2, to_timestamp($3))
  ON CONFLICT (kind, id) DO UPDATE SET revoked_at = now(), expires_at = EXCLUDED.expires_at`;

/**
 * Revokes one token.
 * @param expiresAt its `exp`, in seconds since 1970: then it ends by itself
 */
export const revokeToken = async (database: Queryable, jti: string, expiresAt: number): Promise<void> =>
  void (await database.query(ADD, ['token', jti, expiresAt]));

/** Revokes all tokens of a grant: what one person allowed one program. Kept for a day; tokens live for an hour. */
export const revokeGrantTokens = async (database: Queryable, grantId: string): Promise<void> =>
  void (await database.query(ADD, ['grant', grantId, Date.now() / 1_000 + 86_400]));

/**
 * Revokes every access token of an account that was issued until now, by any issuer, and ends the grants of programs
 * at the embedded issuer. Keys and the sessions of browsers stay valid.
 * @returns how many grants of the embedded issuer were ended
 */
export async function revokeAccountTokens(database: Queryable, { id, name }: AccountName): Promise<number> {
  await database.query(ADD, ['account', id, null]);
  const { rows } = await database.query<{ grants: number }>(
    `WITH ended AS (DELETE FROM access.sign_in WHERE payload ->> 'accountId' = $1 RETURNING kind)
     SELECT count(*)::int AS grants FROM ended WHERE kind = 'Grant'`,
    [name],
  );
  return rows[0]?.grants ?? 0;
}

/**
 * Deletes revocations of tokens that have expired.
 * @param limit maximum number of rows
 * @returns how many were deleted
 */
export async function sweepRevocations(database: Queryable, limit: number): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.token_revocation WHERE (kind, id) IN (
       SELECT kind, id FROM access.token_revocation WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}
