/** Sessions of the pages and sign-ins under way, in PostgreSQL; their tokens are kept as SHA-256 alone. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Queryable, query } from '../log/postgres/database.ts';
import { StoredAccountId } from '../schemas/access.ts';

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** 43 characters of base64url, for a cookie; never to be kept as it is. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Whether a cookie has the form of a token: nothing else is looked up. */
export const isToken = (text: string): boolean => FORM.test(text);

/** As it is kept: SHA-256 in hex. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What a form of this session carries. It follows from the session's token, so that it need not be kept. */
export const formToken = (token: string): string => createHmac('sha256', token).update('form').digest('base64url');

/** Compared in constant time. */
export function sameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** How long a user stays signed in, in seconds. */
export const SESSION_SECONDS = 14 * 86_400;
/** How long a sign-in may take, in seconds. */
export const SIGN_IN_SECONDS = 15 * 60;

const Session = z.object({ account: StoredAccountId, name: z.string(), email: z.string().nullable() });
export type Session = z.infer<typeof Session>;

/** Opens a session under a new token, and ends the one that the browser had before. @returns the token */
export async function openSession(database: Queryable, session: Session, before: string | null): Promise<string> {
  const token = newToken();
  if (before !== null) await endSession(database, before);
  await database.query(
    `INSERT INTO access.web_session (token_hash, account, name, email, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [hashToken(token), session.account, session.name, session.email, SESSION_SECONDS],
  );
  return token;
}

/** The session of a token; null for one that ended or never was. */
export async function findSession(database: Queryable, token: string): Promise<Session | null> {
  const text = 'SELECT account, name, email FROM access.web_session WHERE token_hash = $1 AND expires_at > now()';
  return (await query(database, text, [hashToken(token)], Session))[0] ?? null;
}

/** Signs the browser out that has this token; one that is signed out already stays so. */
export async function endSession(database: Queryable, token: string): Promise<void> {
  await database.query('DELETE FROM access.web_session WHERE token_hash = $1', [hashToken(token)]);
}

const Beginning = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returns_to: z.string() });
export type Beginning = z.infer<typeof Beginning>;

/** Keeps a sign-in that begins. @returns the token for the browser's cookie */
export async function keepBeginning(database: Queryable, beginning: Beginning): Promise<string> {
  const token = newToken();
  const { state, nonce, verifier, returns_to } = beginning;
  await database.query(
    `INSERT INTO access.web_sign_in (token_hash, state, nonce, verifier, returns_to, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
    [hashToken(token), state, nonce, verifier, returns_to, SIGN_IN_SECONDS],
  );
  return token;
}

/** Takes it out again: of two that bring the same token, one gets nothing. */
export async function takeBeginning(database: Queryable, token: string): Promise<Beginning | null> {
  const text = `DELETE FROM access.web_sign_in WHERE token_hash = $1 AND expires_at > now()
    RETURNING state, nonce, verifier, returns_to`;
  return (await query(database, text, [hashToken(token)], Beginning))[0] ?? null;
}

/**
 * Deletes what expired.
 * @param limit maximum number of rows of each table
 * @returns the largest number that was deleted from one table
 */
export async function sweepSessions(database: Queryable, limit: number): Promise<number> {
  const counts: number[] = [];
  for (const table of ['web_session', 'web_sign_in']) {
    const { rowCount } = await database.query(
      `DELETE FROM access.${table} WHERE token_hash IN (
         SELECT token_hash FROM access.${table} WHERE expires_at < now() ORDER BY expires_at LIMIT $1
         FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    counts.push(rowCount ?? 0);
  }
  return Math.max(...counts);
}
