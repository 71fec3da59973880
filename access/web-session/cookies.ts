/** Cookies of the pages: read from a request, written for an answer. Pure. */
import type { IncomingHttpHeaders } from 'node:http';

/** `reader`: the session; `beginning`: a sign-in that is under way. */
export type CookieName = 'reader' | 'beginning';

/** Under https the prefix has browsers refuse it from other hosts and over http (RFC 6265bis, section 4.1.3.2). */
export const cookieName = (baseUrl: string, name: CookieName): string =>
  baseUrl.startsWith('https:') ? `__Host-clarity_${name}` : `clarity_${name}`;

/** The value that the browser sends; null for none. */
export function readCookie(headers: IncomingHttpHeaders, baseUrl: string, name: CookieName): string | null {
  const wanted = `${cookieName(baseUrl, name)}=`;
  const found = headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(wanted));
  return found?.slice(wanted.length) || null;
}

/**
 * A `Set-Cookie` line. Lax, because the issuer leads the browser back here from another site.
 * @param seconds how long it is kept; 0 takes it away
 */
export function writeCookie(baseUrl: string, name: CookieName, value: string, seconds: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(baseUrl, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
