/** An issuer of sign-in tokens on loopback, whose private keys belong to the test. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export interface Issuer {
  readonly url: string;
  /** The public keys that it serves; the key id is the name of the algorithm. */
  readonly keys: readonly JWK[];
  /** A token signed by the issuer, by default for an hour and for `audience`; an undefined claim is left out. */
  token(claims: Record<string, unknown>, options?: { algorithm?: Algorithm; kid?: string }): Promise<string>;
  /** While false, it answers every request with 503. */
  answering: boolean;
  close(): Promise<void>;
}

export async function startIssuer(audience: string, now: () => Date): Promise<Issuer> {
  const pairs = await Promise.all(
    ALGORITHMS.map(async (algorithm) => ({ algorithm, ...(await generateKeyPair(algorithm, { extractable: true })) })),
  );
  const keys = await Promise.all(
    pairs.map(async ({ algorithm, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid: algorithm,
      alg: algorithm,
      use: 'sig',
    })),
  );
  const server = createServer((request, response) => {
    const body =
      request.url === '/.well-known/openid-configuration'
        ? { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }
        : request.url === '/jwks'
          ? { keys }
          : null;
    response.writeHead(issuer.answering ? (body ? 200 : 404) : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    answering: true,
    async token(claims, { algorithm = 'RS256', kid = algorithm } = {}) {
      const pair = pairs.find((one) => one.algorithm === algorithm);
      if (!pair) throw new Error(`no key for ${algorithm}`);
      const seconds = Math.floor(now().getTime() / 1000);
      const all = { iss: issuer.url, aud: audience, sub: 'asha', iat: seconds, exp: seconds + 3_600, ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(all)))
        .setProtectedHeader({ alg: algorithm, kid })
        .sign(pair.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}
