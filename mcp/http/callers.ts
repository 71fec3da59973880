/** Who calls each of the two endpoints. */
import type { FastifyRequest } from 'fastify';
import { authRequired } from '../../access/authorise.ts';
import type { Caller, Identify } from '../../access/identify-caller.ts';
import { resourceMetadata, type SignIn } from '../../access/sign-in.ts';
import { Refusal } from '../../schemas/input-errors.ts';

type CallerOf = (request: FastifyRequest) => Promise<Caller>;

/** `/mcp`: everybody, or a key. Tokens are bound to the other endpoint. */
export const anybody =
  (identify: Identify, baseUrl: string): CallerOf =>
  ({ headers }) =>
    identify(headers, `${baseUrl}/mcp`);

/** The challenge names where programs learn at which issuer to sign in (RFC 9728, section 5.1). */
function challenged(refusal: Refusal, metadata: string): Refusal {
  const challenge = refusal.headers['www-authenticate'] ?? 'Bearer';
  const headers = { ...refusal.headers, 'www-authenticate': `${challenge}, resource_metadata="${metadata}"` };
  return new Refusal(refusal.code, refusal.message, headers, refusal.details);
}

/** `/mcp/account`: a person who signed in for it, or a key. */
export function accountHolder(identify: Identify, baseUrl: string, signIn: SignIn): CallerOf {
  const audience = `${baseUrl}/mcp/account`;
  const metadata = signIn.kind === 'off' ? null : resourceMetadata(audience);
  const hint = signIn.kind === 'off' ? signIn.why : 'A client that can sign in opens the sign-in by itself.';
  return async ({ headers }) => {
    try {
      const caller = await identify(headers, audience);
      if (caller.account !== null) return caller;
    } catch (error) {
      throw error instanceof Refusal && error.status === 401 && metadata ? challenged(error, metadata) : error;
    }
    throw authRequired(`These are the tools on your account: sign in, or send a key. ${hint}`, metadata);
  };
}
