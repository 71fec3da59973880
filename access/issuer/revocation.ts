/** Revocation of access tokens at the embedded issuer (RFC 7009). */
import { jwtVerify } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Queryable } from '../../log/postgres/database.ts';
import { revokeToken } from '../tokens/revocations.ts';
import { embeddedKeys } from './signing.ts';

/**
 * Makes the middleware. The package revokes refresh tokens, and refuses access tokens because they are JWTs: where it
 * refused one, and knows by then which client asks, the token is revoked here. As section 2.2 has it, a token that does
 * not hold, or is not the client's own, is answered like one that was revoked.
 */
export function revokesAccessTokens(database: Queryable, issuer: string) {
  const keys = embeddedKeys(database);
  return async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const refusal = context.body as { error?: unknown } | undefined;
    if (context.oidc?.route !== 'revocation' || refusal?.error !== 'unsupported_token_type') return;
    const { client, params } = context.oidc;
    if (!client || typeof params?.token !== 'string') return;
    const token = await jwtVerify(params.token, keys, { issuer }).catch(() => null);
    const { jti, exp, client_id } = token?.payload ?? {};
    if (jti !== undefined && exp !== undefined && client_id === client.clientId) await revokeToken(database, jti, exp);
    context.status = 200;
    context.body = '';
  };
}
