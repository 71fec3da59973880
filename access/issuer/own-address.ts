/** Whether a request came by the service's own address. */
import type { IncomingHttpHeaders } from 'node:http';

const CARRIED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * The embedded issuer believes whoever sits at this machine. A page of another site must not get in by having its own
 * name point to loopback (DNS rebinding), nor strangers by a proxy, nor a form of another site by the browser.
 * @returns why not, for the caller; null when it did
 */
export function cameOtherwise(headers: IncomingHttpHeaders, baseUrl: string): string | null {
  const { host, origin } = new URL(baseUrl);
  if (headers.host !== host) return `Signing in works at ${origin} alone.`;
  if (CARRIED.some((name) => headers[name] !== undefined))
    return 'Signing in by e-mail address works on the machine of the service alone, not through a proxy. Set OIDC_ISSUER.';
  return null;
}

/** Whether a form came from our own page, as far as the browser tells. What is no browser tells nothing. */
export const isOwnForm = (headers: IncomingHttpHeaders, baseUrl: string): boolean => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return origin === new URL(baseUrl).origin;
  return site === undefined || site === 'same-origin' || site === 'none';
};
