/** Sessions of the pages: who reads them, how they sign in and out, and the cookies that carry it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../log/postgres/database.ts';
import { type Role, rolesBy } from '../schemas/access.ts';
import { type AccountName, accountNamed } from './account.ts';
import {
  CALLBACK_PATH,
  type IssuerClient,
  issuerClient,
  SignInRefused,
  type WebSignIn,
  type WebSignInSettings,
  webSignInOf,
} from './issuer-client.ts';
import { FORGET_ISSUER_SESSION } from './sign-in.ts';
import * as kept from './web-session-store.ts';
import { formToken, isToken } from './web-session-store.ts';

/** `reader`: the session; `beginning`: a sign-in that is under way. */
type CookieName = 'reader' | 'beginning';

/** Under https the prefix has browsers refuse it from other hosts and over http (RFC 6265bis, section 4.1.3.2). */
const cookieName = (baseUrl: string, name: CookieName): string =>
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
 * @param seconds how long it is kept; 0 deletes it
 */
export function writeCookie(baseUrl: string, name: CookieName, value: string, seconds: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(baseUrl, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Where a browser is sent after a form or a sign-in: a page of ours, never another site. Pure. */

const MAX_CHARACTERS = 500;

/** @returns the path with its query; `otherwise` for what leads elsewhere or cannot be read */
export function localPath(given: unknown, otherwise: string): string {
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS || !/^\/(?![/\\])/.test(given)) return otherwise;
  const here = 'http://here.invalid';
  const url = URL.parse(given, here);
  if (!url || url.origin !== here || url.pathname.startsWith('//')) return otherwise;
  return `${url.pathname}${url.search}`;
}

/** A person who is signed in on the pages. */
export interface Reader {
  readonly account: AccountName;
  /** In lower case, as far as the issuer vouches for it. */
  readonly email: string | null;
  /** By OPERATORS and REVIEWERS; null for most readers. */
  readonly role: Role | null;
  /** What every form of theirs carries. */
  readonly formToken: string;
}

/** Where the browser goes, and the `Set-Cookie` lines that go with it. */
interface Led {
  readonly to: string;
  readonly cookies: readonly string[];
}

export interface WebSessions {
  readonly signIn: WebSignIn;
  /** Who sends this request; null for everybody who is not signed in. */
  find(headers: IncomingHttpHeaders): Promise<Reader | null>;
  /** Begins a sign-in. @param returnsTo the page that asked for it. @throws when the issuer cannot be asked */
  begin(returnsTo: unknown): Promise<Led>;
  /**
   * Completes a sign-in, with a new session token even when the browser had a session before.
   * @param query the part after `?` of the address that the issuer redirected the browser to
   * @throws SignInRefused
   */
  finish(headers: IncomingHttpHeaders, query: string): Promise<Led>;
  /** Signs out. @returns the `Set-Cookie` lines */
  end(headers: IncomingHttpHeaders): Promise<readonly string[]>;
}

/** @param database in which `migrateAccess` ran */
export function webSessions(database: Queryable, settings: WebSignInSettings, now?: () => Date): WebSessions {
  const { BASE_URL: baseUrl } = settings;
  const signIn = webSignInOf(settings);
  const roleOf = rolesBy(settings);
  const client: IssuerClient | null = signIn.kind === 'off' ? null : issuerClient(signIn, baseUrl, now);
  const tokenIn = (headers: IncomingHttpHeaders, name: 'reader' | 'beginning'): string | null => {
    const found = readCookie(headers, baseUrl, name);
    return found !== null && isToken(found) ? found : null;
  };
  const asked = (): IssuerClient => {
    if (!client) throw new SignInRefused('signing in is off');
    return client;
  };
  return {
    signIn,
    async find(headers) {
      const token = tokenIn(headers, 'reader');
      const session = token === null ? null : await kept.findSession(database, token);
      if (token === null || !session) return null;
      const { account: id, name, email } = session;
      return { account: { id, name }, email, role: roleOf(email), formToken: formToken(token) };
    },
    async begin(returnsTo) {
      const { address, ...proofs } = await asked().begin();
      const token = await kept.keepBeginning(database, { ...proofs, returns_to: localPath(returnsTo, '/account') });
      const cookie = writeCookie(baseUrl, 'beginning', token, kept.SIGN_IN_SECONDS);
      // The embedded issuer adds a redirect of its own for a browser that was signed in to another account.
      return { to: address, cookies: [cookie, ...(signIn.kind === 'embedded' ? FORGET_ISSUER_SESSION : [])] };
    },
    async finish(headers, query) {
      const token = tokenIn(headers, 'beginning');
      const begun = token === null ? null : await kept.takeBeginning(database, token);
      if (!begun) throw new SignInRefused('no sign-in of this browser is under way');
      const { sub, email } = await asked().finish(new URL(`${baseUrl}${CALLBACK_PATH}?${query}`), begun);
      const { id: account, name } = accountNamed(sub);
      const session = await kept.openSession(database, { account, name, email }, tokenIn(headers, 'reader'));
      return {
        to: begun.returns_to,
        cookies: [
          writeCookie(baseUrl, 'reader', session, kept.SESSION_SECONDS),
          writeCookie(baseUrl, 'beginning', '', 0),
        ],
      };
    },
    async end(headers) {
      const token = tokenIn(headers, 'reader');
      if (token !== null) await kept.endSession(database, token);
      return [writeCookie(baseUrl, 'reader', '', 0)];
    },
  };
}
