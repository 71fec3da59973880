/**
 * Where people sign in: at a configured issuer, at the embedded one, or nowhere; where programs find that out (RFC
 * 9728); and whether a request to the embedded one came from this machine.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyPluginCallback } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Configuration } from '../schemas/configuration.ts';

/** Where people sign in: `issuer` is the `iss` of the tokens, `why` says what operators do about it. */
export type SignIn =
  | { readonly kind: 'external' | 'embedded'; readonly issuer: string }
  | { readonly kind: 'off'; readonly why: string };

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

/** Headers that proxies, tunnels and content networks add; no browser or program on this machine sends one. */
const ADDED_BY_PROXIES =
  /^(?:x-forwarded|forwarded|via$|x-real-|x-client-ip|x-cluster-client-ip|x-original-|x-proxy|x-host$|x-scheme$|x-envoy-|x-amz|x-azure-|x-arr-|x-appengine-|x-cloud-trace-context|x-varnish|x-vercel-|true-client-ip|client-ip|cf-|cdn-loop|fastly-|fly-|ngrok-|tailscale-|surrogate-capability)/;

/** What is looked at of a request. */
type Arrival = Pick<IncomingMessage, 'headers' | 'httpVersion'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * The embedded issuer trusts the users of this machine. A page of another site must not get in by pointing its own name
 * to loopback (DNS rebinding), nor a remote client through a proxy: the connection has to come from loopback, name the
 * service's own address, and carry nothing that a proxy adds. HTTP/1.0 is what proxies speak by default.
 * @returns the reason of the refusal, for the caller; null when the request is accepted
 */
export function foreignRequestReason(request: Arrival, baseUrl: string): string | null {
  const { host, origin } = new URL(baseUrl);
  const { headers, httpVersion, socket } = request;
  if (headers.host !== host) return `Signing in works at ${origin} alone.`;
  return isFromElsewhere({ headers, httpVersion, socket })
    ? 'Signing in by e-mail address works on the machine of the service alone, not through a proxy. Set OIDC_ISSUER.'
    : null;
}

/** Whether a request came from another machine, or through a proxy. */
export const isFromElsewhere = ({ headers, httpVersion, socket }: Arrival): boolean =>
  !isLoopbackHost(socket.remoteAddress ?? '') ||
  httpVersion === '1.0' ||
  Object.keys(headers).some((name) => ADDED_BY_PROXIES.test(name));

/** Whether a form came from our own page, as far as the browser reports it. Other clients report nothing. */
export const isOwnForm = (headers: IncomingHttpHeaders, baseUrl: string): boolean => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return origin === new URL(baseUrl).origin;
  return site === undefined || site === 'same-origin' || site === 'none';
};

/** Name of the cookie with a browser's session at the embedded issuer; a second cookie has its signature. */
export const ISSUER_SESSION = 'clarity_session';

/** `Set-Cookie` lines that delete it from a browser, so that another user can sign in. */
export const FORGET_ISSUER_SESSION: readonly string[] = [ISSUER_SESSION, `${ISSUER_SESSION}.sig`].map(
  (name) => `${name}=; Path=/; Max-Age=0; HttpOnly`,
);
