/** Requests that are to be carried out once: the answer to an `Idempotency-Key` is kept for 24 hours, encrypted. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Queryable, queryOne, queryValue } from '../log/postgres/database.ts';
import type { AccountId } from '../schemas/access.ts';

/** Seconds for which an answer is kept. */
const KEPT = 86_400;
/** Seconds after which a request that never finished, since its process died, may be carried out again. */
const CLAIMED = 300;

/** An answer as it is given again. */
export const KeptAnswer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type KeptAnswer = z.infer<typeof KeptAnswer>;

/** A request with an `Idempotency-Key`, of which only hashes are stored. */
export interface OnceOnly {
  /** SHA-256 of the caller, the route and the key. */
  readonly scope: string;
  /** Encrypts the answer; made of the credential and the key. */
  readonly secret: Buffer;
  readonly account: AccountId | null;
}

const sha256 = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * @param subject whose key it is: an account, or the address of an anonymous caller
 * @param route method and pattern of the route
 * @param credential the API key or token that was sent; empty for none
 */
export function onceOnly(request: {
  readonly subject: string;
  readonly account: AccountId | null;
  readonly route: string;
  readonly key: string;
  readonly credential: string;
}): OnceOnly {
  const { subject, account, route, key, credential } = request;
  const scope = sha256(subject, route, key);
  return { scope, account, secret: Buffer.from(hkdfSync('sha256', `${credential}\u0000${key}`, scope, 'answer', 32)) };
}

/** SHA-256 of what was asked: the address with its parameters, the form of answer that was wanted, and the body. */
export const requestHash = (url: string, accept: string, body: unknown): string =>
  sha256(url, accept, JSON.stringify(body ?? null));

/** `at work`: the first is not done. `other request`: the key was used for another one. */
export type Outcome =
  | { readonly is: 'at work' | 'other request' | 'other credential' }
  | { readonly is: 'answered'; readonly answer: KeptAnswer };

const Row = z.object({ request_hash: z.string(), answer: z.instanceof(Buffer).nullable() });

/** Placeholder for the hash of a request until its body has arrived. */
const NOT_READ = '';
const CLAIM = `INSERT INTO access.idempotent_request AS kept (scope, account, request_hash, claim, expires_at)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
  ON CONFLICT (scope) DO UPDATE SET account = EXCLUDED.account, request_hash = EXCLUDED.request_hash,
    claim = EXCLUDED.claim, answer = NULL, expires_at = EXCLUDED.expires_at
  WHERE kept.expires_at <= now()
  RETURNING claim`;
const FIND = 'SELECT request_hash, answer FROM access.idempotent_request WHERE scope = $1 AND expires_at > now()';

/** Claims a key before its request is charged and read. @returns null when an earlier request has the key */
export function claimRequest(database: Queryable, once: OnceOnly): Promise<string | null> {
  const values = [once.scope, once.account, NOT_READ, randomUUID(), CLAIMED];
  return queryValue(database, CLAIM, values, z.string());
}

/** Says what the claimed request is, now that it was read. @returns false when the claim expired meanwhile */
export async function beginRequest(
  database: Queryable,
  { scope }: OnceOnly,
  claim: string,
  hash: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE access.idempotent_request SET request_hash = $3 WHERE scope = $1 AND claim = $2',
    [scope, claim, hash],
  );
  return rowCount === 1;
}

/** What the first request with a key came to. */
export async function firstOutcome(database: Queryable, once: OnceOnly, hash: string): Promise<Outcome> {
  const kept = await queryOne(database, FIND, [once.scope], Row);
  // It failed meanwhile, or is still being read: the next attempt finds the key free, or what it is.
  if (!kept || kept.request_hash === NOT_READ) return { is: 'at work' };
  if (kept.request_hash !== hash) return { is: 'other request' };
  if (kept.answer === null) return { is: 'at work' };
  const answer = opened(kept.answer, once);
  return answer ? { is: 'answered', answer } : { is: 'other credential' };
}

/** Keeps an answer. One whose claim expired meanwhile is not kept. */
export async function keepAnswer(
  database: Queryable,
  once: OnceOnly,
  claim: string,
  answer: KeptAnswer,
): Promise<void> {
  await database.query(
    `UPDATE access.idempotent_request SET answer = $3, expires_at = now() + make_interval(secs => $4)
      WHERE scope = $1 AND claim = $2`,
    [once.scope, claim, sealed(answer, once), KEPT],
  );
}

/**
 * Gives up a request that failed with an internal error or was refused by a limit: the same key may be used again at
 * once.
 */
export async function releaseRequest(database: Queryable, { scope }: OnceOnly, claim: string): Promise<void> {
  await database.query('DELETE FROM access.idempotent_request WHERE scope = $1 AND claim = $2', [scope, claim]);
}

function sealed(answer: KeptAnswer, { secret, scope }: OnceOnly): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(scope));
  const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function opened(bytes: Buffer, { secret, scope }: OnceOnly): KeptAnswer | null {
  const cipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(Buffer.from(scope));
  try {
    cipher.setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
    return KeptAnswer.parse(JSON.parse(text));
  } catch {
    // An answer that cannot be decrypted or has an older form counts as not stored.
    return null;
  }
}
