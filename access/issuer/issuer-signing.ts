/** What the embedded issuer signs with, kept in PostgreSQL so that a restart ends no session. */
import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { prefixedId } from '../../schemas/scalar.ts';
import { keptKeys } from '../sign-in-tokens.ts';

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
  const [row] = await query(database, 'SELECT key, cookie_secret FROM access.signing', [], Row);
  return row ? { key: row.key as JWK, cookieSecret: row.cookie_secret } : null;
};

/** Loads it, and makes it where there is none. Of several processes that do so at once, all end up with the same. */
export async function loadSigning(database: Queryable): Promise<Signing> {
  const found = await load(database);
  if (found) return found;
  const { privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, alg: ALGORITHM, use: 'sig', kid: prefixedId('sig', jwk.n ?? '') };
  const values = [JSON.stringify(key), randomBytes(32).toString('base64url')];
  await database.query(
    'INSERT INTO access.signing (key, cookie_secret) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values,
  );
  const made = await load(database);
  if (!made) throw new Error('the signing key was not kept');
  return made;
}

/** What may be shown of a key. */
export const publicKey = ({ kty, kid, alg, use, n = '', e = '' }: JWK): JWK =>
  Object.fromEntries(Object.entries({ kty, kid, alg, use, n, e }).filter(([, value]) => value !== undefined)) as JWK;

/** The public keys of the embedded issuer, for every process that checks its tokens; loaded at first use. */
export const embeddedKeys = (database: Queryable): JWTVerifyGetKey =>
  keptKeys(async () => createLocalJWKSet({ keys: [publicKey((await loadSigning(database)).key)] }));
