/** The issuer of sign-in tokens: where its public keys are. */
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { keptKeys } from './kept-keys.ts';

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const TIMEOUT = 5_000;
const MOST_CHARACTERS = 1_048_576;

/** The issuer does not answer, or not as an issuer does. Ours to mend, so callers only hear that something failed. */
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
    if (text.length > MOST_CHARACTERS) throw new Error('its answer is too large');
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
