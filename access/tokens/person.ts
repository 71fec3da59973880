/** Whom the claims of an issuer name. */
import { z } from 'zod';
import { KEY_SCOPES, type KeyScope } from '../../schemas/access.ts';

/**
 * Absent and null say nothing. Some issuers write booleans as text; any other value was meant to say something, and does
 * not say that the address is verified.
 */
const Verified = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .nullish()
  .catch(false);

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
 *   be that of somebody else
 */
export function personOf({ sub, email, email_verified }: Pick<PersonClaims, 'sub' | 'email' | 'email_verified'>) {
  const namedByAddress = sub.includes('@');
  if (namedByAddress && email_verified === false) return null;
  const known = email !== undefined && email_verified ? email : namedByAddress ? sub : null;
  return { sub, email: known?.toLowerCase() ?? null } satisfies Person;
}

/** The scopes of ours that a token names; null for a token that names no scopes at all. */
export function scopesOf({ scope, scp }: Pick<PersonClaims, 'scope' | 'scp'>): readonly KeyScope[] | null {
  if (scope === undefined && scp === undefined) return null;
  const words = new Set([...(scope ?? []), ...(scp ?? [])]);
  return KEY_SCOPES.filter((one) => words.has(one));
}
