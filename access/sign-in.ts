/**
 * Where people sign in: at a configured issuer, at the embedded one, or nowhere; and where programs find that out (RFC
 * 9728).
 */
import type { FastifyPluginCallback } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Configuration } from '../schemas/configuration.ts';

export type SignIn =
  | { readonly kind: 'external' | 'embedded' /** The `iss` of the tokens. */; readonly issuer: string }
  | { readonly kind: 'off' /** What to do about it, for operators. */; readonly why: string };

export type SignInSettings = Pick<Configuration, 'BASE_URL'> &
  Partial<Pick<Configuration, 'HOST' | 'OIDC_ISSUER' | 'TRUST_PROXY'>>;

/** Path of the embedded issuer on the port of the API. */
export const ISSUER_PATH = '/oidc';

/** Whether a host name or address means this very machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || (ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback');
}

const OFF = 'Signing in is off here: the operator of this service sets OIDC_ISSUER to an issuer of tokens. Keys work.';

/**
 * The embedded issuer accepts any e-mail address without a check, so it runs for this machine alone: the service listens
 * on loopback, its own address is on loopback, and there is no proxy that could pass requests of other machines.
 */
export function signInOf({ BASE_URL, HOST, OIDC_ISSUER, TRUST_PROXY }: SignInSettings): SignIn {
  if (OIDC_ISSUER !== undefined) return { kind: 'external', issuer: OIDC_ISSUER };
  const { protocol, hostname } = new URL(BASE_URL);
  const local = HOST !== undefined && isLoopbackHost(HOST) && isLoopbackHost(hostname) && protocol === 'http:';
  if (!local || TRUST_PROXY !== undefined) return { kind: 'off', why: OFF };
  return { kind: 'embedded', issuer: `${BASE_URL}${ISSUER_PATH}` };
}

/** What tokens may be meant for: the audience of each surface that takes them. */
export const audiences = (baseUrl: string): readonly string[] => [`${baseUrl}/api/v1`, `${baseUrl}/mcp/account`];

/** Address of the metadata of a surface, its path put behind the well-known one (section 3.1). */
export const resourceMetadata = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
};

/** The metadata of a surface such as `https://clarity.example/mcp/account`. */
const protectedResource = (resource: string, name: string, issuer: string): Record<string, unknown> => ({
  resource,
  resource_name: name,
  authorization_servers: [issuer],
  scopes_supported: ['read', 'ask'],
  bearer_methods_supported: ['header'],
});

/** Serves the metadata of a surface; has no route when sign-in is off. */
export const protectedResourceRoute =
  (resource: string, name: string, signIn: SignIn): FastifyPluginCallback =>
  (server, _options, done) => {
    if (signIn.kind !== 'off')
      server.get(new URL(resourceMetadata(resource)).pathname, async (_request, reply) =>
        reply.header('cache-control', 'public, max-age=3600').send(protectedResource(resource, name, signIn.issuer)),
      );
    done();
  };
