/** Sign-in tokens: JWTs of the issuer, the person they name, revocations, and the keys of the embedded issuer. */
import { randomBytes } from 'node:crypto';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { type Queryable, queryNumber, queryOne } from '../log/postgres/database.ts';
import { type AccountId, KEY_SCOPES, type KeyScope } from '../schemas/access.ts';
import { prefixedId } from '../schemas/scalar.ts';
import type { AccountName } from './account.ts';

/** Finds the keys once and keeps them; when they cannot be found, the call fails and the next one tries again. */
function keptKeys(find: () => Promise<JWTVerifyGetKey>): JWTVerifyGetKey {
  let keySet: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    keySet ??= find();
    const keys = await keySet.catch((error) => {
      keySet = undefined;
      throw error;
    });
    return keys(header, token);
  };
}

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const TIMEOUT = 5_000;
const MAX_CHARACTERS = 1_048_576;

/**
 * The issuer is unreachable or its response is invalid. The operator must repair this, so callers only get
 * `server_error`.
 */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable';
}

/** What an issuer says about itself (OpenID Connect Discovery 1.0, section 4). @throws IssuerUnavailable */
async function discover(issuer: string, fetcher: typeof fetch): Promise<z.infer<typeof Metadata>> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const answer = await fetcher(address, { signal: AbortSignal.timeout(TIMEOUT), redirect: 'error' });
    if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    const text = await answer.text();
    if (text.length > MAX_CHARACTERS) throw new Error('its answer is too large');
    const metadata = Metadata.parse(JSON.parse(text));
    if (metadata.issuer !== issuer) throw new Error(`it calls itself ${JSON.stringify(metadata.issuer)}`);
    return metadata;
  } catch (error) {
    throw new IssuerUnavailable(`OIDC_ISSUER ${address} cannot be used`, { cause: error });
  }
}

/**
 * The public keys of an issuer, found at first use and kept; a key id that is not among them is looked for again, at
 * most every 30 seconds.
 */
export function issuerKeys(issuer: string, fetcher: typeof fetch = fetch): JWTVerifyGetKey {
  return keptKeys(async () => {
    const { jwks_uri } = await discover(issuer, fetcher);
    return createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: TIMEOUT, cooldownDuration: 30_000 });
  });
}

/**
 * Absent and null say nothing. It is a JSON boolean (OpenID Connect Core 1.0, section 5.1): any other value was meant to
 * say something, and does not say that the address is verified.
 */
const Verified = z.boolean().nullish().catch(false);

/** Words of `scope` (RFC 9068), or of `scp` as other issuers name it: a text with blanks, or a list. */
const ScopeWords = z
  .union([z.string().transform((text) => text.split(' ')), z.array(z.string())])
  .optional()
  .catch([]);

export const PersonClaims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(320).optional().catch(undefined),
  email_verified: Verified,
  scope: ScopeWords,
  scp: ScopeWords,
  jti: z.string().max(255).optional().catch(undefined),
  iat: z.number().optional().catch(undefined),
  grant_id: z.string().max(255).optional().catch(undefined),
});
export type PersonClaims = z.output<typeof PersonClaims>;

/** Who a token speaks for. */
export interface Person {
  readonly sub: string;
  /** The e-mail address in lower case, where the issuer says that it is verified, or names people by it; else null. */
  readonly email: string | null;
}

/**
 * The person of claims that were checked.
 * @returns null where the issuer names people by e-mail address and says that this one is not verified: its account may
 *   belong to another person
 */
export function personOf({ sub, email, email_verified }: Pick<PersonClaims, 'sub' | 'email' | 'email_verified'>) {
  const namedByAddress = sub.includes('@');
  if (namedByAddress && email_verified === false) return null;
  const address = email !== undefined && email_verified ? email : namedByAddress ? sub : null;
  return { sub, email: address?.toLowerCase() ?? null } satisfies Person;
}

/** The scopes of ours that a token names; null for a token that names no scopes at all. */
function scopesOf({ scope, scp }: Pick<PersonClaims, 'scope' | 'scp'>): readonly KeyScope[] | null {
  if (scope === undefined && scp === undefined) return null;
  const words = new Set([...(scope ?? []), ...(scp ?? [])]);
  return KEY_SCOPES.filter((one) => words.has(one));
}

/**
 * Signatures by a private key alone. Never `none`, never a shared secret: for both, the public key would do to forge.
 */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;
const MAX_TOKEN_CHARACTERS = 8_192;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

interface VerifiedToken extends Person {
  /** The scopes that it names; null for one that names none at all. */
  readonly scopes: readonly KeyScope[] | null;
  readonly jti: string | undefined;
  /** What the person allowed the program, at the embedded issuer. */
  readonly grantId: string | undefined;
  /** When it was issued, in seconds since 1970. */
  readonly iat: number | undefined;
}

export interface TokenRules {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  /** True for an issuer of whose tokens one without scopes may do nothing; of others it may do what its account may. */
  readonly scopesRequired?: boolean;
}

/** Failures of the issuer, not of the token. */
const isOurs = (error: unknown): boolean =>
  error instanceof IssuerUnavailable ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  !(error instanceof errors.JOSEError) ||
  // A key set that cannot be fetched raises the bare class.
  error.code === 'ERR_JOSE_GENERIC';

/**
 * Checks a token: signature by a key of the issuer, `iss`, `aud`, `exp` and `sub` are required, `nbf` is checked where
 * present; 30 seconds of clock skew are allowed.
 * @param audience the surface that it must be meant for, such as `https://clarity.example/api/v1`
 * @returns whom it speaks for and what for; null for a token that is not valid, or names an address that is not verified
 * @throws IssuerUnavailable, or jose's error, when the issuer cannot be asked
 */
export async function verifyToken(
  token: string,
  audience: string,
  { issuer, keys, scopesRequired = false }: TokenRules,
  now: Date,
): Promise<VerifiedToken | null> {
  if (token.length > MAX_TOKEN_CHARACTERS || !FORM.test(token)) return null;
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['iss', 'aud', 'exp', 'sub'],
      clockTolerance: SKEW_SECONDS,
      currentDate: now,
    });
    const claims = PersonClaims.safeParse(payload).data;
    const person = claims ? personOf(claims) : null;
    if (!claims || !person) return null;
    const { jti, iat, grant_id: grantId } = claims;
    return { ...person, scopes: scopesOf(claims) ?? (scopesRequired ? [] : null), jti, grantId, iat };
  } catch (error) {
    if (isOurs(error)) throw error;
    return null;
  }
}

/** What a token is looked up by; a claim that it lacks is undefined. */
interface RevocableToken {
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
  const text = `WITH ended AS (DELETE FROM access.sign_in WHERE payload ->> 'accountId' = $1 RETURNING kind)
    SELECT count(*)::int FROM ended WHERE kind = 'Grant'`;
  return queryNumber(database, text, [name]);
}

/** RS256, because every client of OpenID Connect has to know it. */
const ALGORITHM = 'RS256';

const Row = z.object({
  key: z.looseObject({ kty: z.literal('RSA'), kid: z.string(), n: z.string(), e: z.string(), d: z.string() }),
  cookie_secret: z.string().min(32),
});

export interface Signing {
  /** Private. */
  readonly key: JWK;
  readonly cookieSecret: string;
}

const load = async (database: Queryable): Promise<Signing | null> => {
  const row = await queryOne(database, 'SELECT key, cookie_secret FROM access.signing', [], Row);
  return row ? { key: row.key as JWK, cookieSecret: row.cookie_secret } : null;
};

/** Loads it, and makes it where there is none. Of several processes that do so at once, all end up with the same. */
export async function loadSigning(database: Queryable): Promise<Signing> {
  const signing = await load(database);
  if (signing) return signing;
  const { privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, alg: ALGORITHM, use: 'sig', kid: prefixedId('sig', jwk.n ?? '') };
  const values = [JSON.stringify(key), randomBytes(32).toString('base64url')];
  await database.query(
    'INSERT INTO access.signing (key, cookie_secret) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values,
  );
  const stored = await load(database);
  if (!stored) throw new Error('the signing key was not kept');
  return stored;
}

/** What may be shown of a key. */
export const publicKey = ({ kty, kid, alg, use, n = '', e = '' }: JWK): JWK =>
  Object.fromEntries(Object.entries({ kty, kid, alg, use, n, e }).filter(([, value]) => value !== undefined)) as JWK;

/** The public keys of the embedded issuer, for every process that checks its tokens; loaded at first use. */
export const embeddedKeys = (database: Queryable): JWTVerifyGetKey =>
  keptKeys(async () => createLocalJWKSet({ keys: [publicKey((await loadSigning(database)).key)] }));
