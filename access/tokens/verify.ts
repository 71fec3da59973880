/** Sign-in tokens: JWTs of the issuer, for one of our surfaces. */
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { IssuerUnavailable } from './issuer.ts';

/** Signatures by a private key alone. Never `none`, never a shared secret: for both, the public key would do to forge. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;
const MOST_CHARACTERS = 8_192;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(320).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** Who a token speaks for. */
export interface Person {
  readonly sub: string;
  /** The e-mail address in lower case, where the issuer says that it is verified, or names people by it; else null. */
  readonly email: string | null;
}

/** The person of claims that were checked. */
export const personOf = ({ sub, email, email_verified }: z.infer<typeof Claims>): Person => {
  const known = email !== undefined && email_verified ? email : sub.includes('@') ? sub : null;
  return { sub, email: known?.toLowerCase() ?? null };
};

export interface TokenRules {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
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
 * @returns whom it speaks for; null for a token that does not hold
 * @throws IssuerUnavailable, or jose's error, when the issuer cannot be asked
 */
export async function verifyToken(
  token: string,
  audience: string,
  { issuer, keys }: TokenRules,
  now: Date,
): Promise<Person | null> {
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
    const claims = Claims.safeParse(payload).data;
    return claims ? personOf(claims) : null;
  } catch (error) {
    if (isOurs(error)) throw error;
    return null;
  }
}
