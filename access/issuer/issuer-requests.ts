/** Requests to the embedded issuer: whether they came from this machine, and the cookie of their session. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../sign-in.ts';

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
export function cameOtherwise(request: Arrival, baseUrl: string): string | null {
  const { host, origin } = new URL(baseUrl);
  const { headers, httpVersion, socket } = request;
  if (headers.host !== host) return `Signing in works at ${origin} alone.`;
  return cameByProxy({ headers, httpVersion, socket })
    ? 'Signing in by e-mail address works on the machine of the service alone, not through a proxy. Set OIDC_ISSUER.'
    : null;
}

/** Whether a request came from another machine, or through a proxy. */
export const cameByProxy = ({ headers, httpVersion, socket }: Arrival): boolean =>
  !isLoopbackHost(socket.remoteAddress ?? '') ||
  httpVersion === '1.0' ||
  Object.keys(headers).some((name) => ADDED_BY_PROXIES.test(name));

/** Whether a form came from our own page, as far as the browser reports it. Other clients report nothing. */
export const isOwnForm = (headers: IncomingHttpHeaders, baseUrl: string): boolean => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return origin === new URL(baseUrl).origin;
  return site === undefined || site === 'same-origin' || site === 'none';
};

/** The session that a browser has at the embedded issuer. */

/** Name of its cookie; a second cookie has its signature. */
export const ISSUER_SESSION = 'clarity_session';

/** `Set-Cookie` lines that delete it from a browser, so that another user can sign in. */
export const FORGET_ISSUER_SESSION: readonly string[] = [ISSUER_SESSION, `${ISSUER_SESSION}.sig`].map(
  (name) => `${name}=; Path=/; Max-Age=0; HttpOnly`,
);
