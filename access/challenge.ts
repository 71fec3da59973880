/** Refusals for want of a key, a scope or a plan, each with `WWW-Authenticate` as RFC 6750 has it. */
import { Refusal } from '../schemas/refusal.ts';

const REALM = 'Bearer realm="clarity"';

/**
 * Nothing was sent where something is needed.
 * @param metadata where programs find the issuer that people sign in at (RFC 9728, section 5.1)
 */
export const authRequired = (message: string, metadata: string | null = null): Refusal =>
  new Refusal('auth_required', message, {
    'www-authenticate': metadata === null ? REALM : `${REALM}, resource_metadata="${metadata}"`,
  });

/** What was sent does not hold. Why not is not told: whoever guesses should learn nothing. */
export const invalidKey = (): Refusal =>
  new Refusal(
    'invalid_key',
    'The key or sign-in token is malformed, revoked, expired or was never issued. Check that it was sent whole, as "Authorization: Bearer <key>", or make a new one.',
    { 'www-authenticate': `${REALM}, error="invalid_token"` },
  );

/** The key holds but may not do this. */
export const insufficientScope = (scope: string, message: string): Refusal =>
  new Refusal('insufficient_scope', message, {
    'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"`,
  });

/** The plan does not hold this. */
export const proRequired = (message: string): Refusal => new Refusal('pro_required', message);
