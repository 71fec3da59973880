/** Sign-in tokens: JWTs of the issuer, for one of our surfaces. */
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { KeyScope } from '../../schemas/access.ts';
import { IssuerUnavailable } from './issuer.ts';
import { type Person, PersonClaims, personOf, scopesOf } from './person.ts';

/** Signatures by a private key alone. Never `none`, never a shared secret: for both, the public key would do to forge. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;
const MOST_CHARACTERS = 8_192;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** What a token that holds says. */
export interface VerifiedToken extends Person {
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
 * Checks a token: signature by a key of the issuer, `iss`, `aud`, `exp` and `sub` required, `nbf` kept to where it is
 * told, 30 seconds of skew.
 * @param audience the surface that it must be meant for, such as `https://clarity.example/api/v1`
 * @returns whom it speaks for and what for; null for a token that does not hold, or names an address that is not verified
 * @throws IssuerUnavailable, or jose's error, when the issuer cannot be asked
 */
export async function verifyToken(
  token: string,
  audience: string,
  { issuer, keys, scopesRequired = false }: TokenRules,
  now: Date,
): Promise<VerifiedToken | null> {
  if (token.length > MOST_CHARACTERS || !FORM.test(token)) return null;
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
