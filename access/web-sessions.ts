/** Sessions of the pages: who reads them, OpenID Connect sign-in, cookies, and what PostgreSQL keeps of them. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { type Queryable, queryOne } from '../log/postgres/database.ts';
import { type Role, rolesBy, StoredAccountId } from '../schemas/access.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type AccountName, accountNamed } from './account.ts';
import { FORGET_ISSUER_SESSION, type SignInSettings, signInOf } from './sign-in.ts';
import { type Person, PersonClaims, personOf } from './sign-in-tokens.ts';

/** Where the issuer leads the browser back to: the address to register there. */
export const CALLBACK_PATH = '/sign-in/callback';
/** The name under which the embedded issuer knows the pages. */
export const SITE_CLIENT = 'clarity-pages';

type WebSignIn =
  | {
      readonly kind: 'external' | 'embedded';
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string | null;
    }
  // `why` says what an operator sets to turn it on.
  | { readonly kind: 'off'; readonly why: string };

export type WebSignInSettings = SignInSettings &
  Partial<Pick<Configuration, 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OPERATORS' | 'REVIEWERS'>>;

/** An issuer of one's own needs to know the pages as its client; the embedded one does. */
export function webSignInOf(settings: WebSignInSettings): WebSignIn {
  const signIn = signInOf(settings);
  if (signIn.kind === 'off') return signIn;
  if (signIn.kind === 'embedded') return { ...signIn, clientId: SITE_CLIENT, clientSecret: null };
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret = null, BASE_URL } = settings;
  if (clientId) return { ...signIn, clientId, clientSecret };
  const why =
    'Signing in on the pages is off here: OIDC_ISSUER is set, OIDC_CLIENT_ID is not. Register the pages at the issuer ' +
    `as a client with the redirect address ${BASE_URL}${CALLBACK_PATH}, and set OIDC_CLIENT_ID to the id that it gives ` +
    '(and OIDC_CLIENT_SECRET, where it gives a secret). Keys and tokens work.';
  return { kind: 'off', why };
}

/** Seconds that the issuer may take to answer. */
const TIMEOUT = 10;
const SKEW_SECONDS = 30;

/** What a sign-in that begins has to remember until the browser comes back. */
interface Proofs {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The browser came back with something that no sign-in of ours led to, or the person refused. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
}

/** The issuer names people by e-mail address, and says that this one is not verified. */
export class AddressNotVerified extends SignInRefused {}

interface IssuerClient {
  /** The address that the browser goes to. @throws when the issuer cannot be asked */
  begin(): Promise<Proofs & { readonly address: string }>;
  /** Who signed in. @param callback the whole address that the browser came back to. @throws SignInRefused */
  finish(callback: URL, proofs: Proofs): Promise<Person>;
}

/** What the issuer says of itself: asked at the first use, and again after it could not be, or the machine's clock was set. */
function discovery(
  { issuer, clientId, clientSecret, kind }: Exclude<WebSignIn, { kind: 'off' }>,
  now: () => Date,
): () => Promise<oidc.Configuration> {
  let configuration: Promise<oidc.Configuration> | undefined;
  /** Clock skew in seconds that the library, which reads the time of the machine, is set to add. */
  let added = 0;
  const discovered = (): Promise<oidc.Configuration> => {
    // The embedded issuer dates its tokens by the same machine.
    const ahead = kind === 'embedded' ? 0 : Math.round((now().getTime() - Date.now()) / 1_000);
    if (Math.abs(ahead - added) > SKEW_SECONDS / 3) {
      configuration = undefined;
      added = ahead;
    }
    configuration ??= discover().catch((error: unknown) => {
      configuration = undefined;
      throw error;
    });
    return configuration;
  };
  async function discover(): Promise<oidc.Configuration> {
    const proof = clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
    const metadata = { [oidc.clockTolerance]: SKEW_SECONDS, [oidc.clockSkew]: added };
    return oidc.discovery(new URL(issuer), clientId, metadata, proof, {
      timeout: TIMEOUT,
      // An operator who names an issuer over http, as on a machine of one's own, means it.
      ...(issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}),
    });
  }
  return discovered;
}

/**
 * Makes it.
 * @param now decides whether what the issuer signed still holds, also where the machine's own clock is wrong
 */
export function issuerClient(
  signIn: Exclude<WebSignIn, { kind: 'off' }>,
  baseUrl: string,
  now: () => Date = () => new Date(),
): IssuerClient {
  const { kind } = signIn;
  const discovered = discovery(signIn, now);
  return {
    async begin() {
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      const address = oidc.buildAuthorizationUrl(await discovered(), {
        redirect_uri: `${baseUrl}${CALLBACK_PATH}`,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // The embedded issuer accepts any address: it asks each time, so that a user can change to another account.
        ...(kind === 'embedded' ? { prompt: 'login' } : {}),
      });
      return { state, nonce, verifier, address: address.href };
    },
    async finish(callback, { state, nonce, verifier }) {
      const configuration = await discovered();
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = PersonClaims.parse(tokens.claims());
        const more = claims.email === undefined ? await userInfo(configuration, tokens.access_token, claims.sub) : {};
        // Either of the two answers may say that the address is not verified.
        const isDenied = claims.email_verified === false || more.email_verified === false;
        const email_verified = isDenied ? false : (more.email_verified ?? claims.email_verified);
        const person = personOf({ sub: claims.sub, email: more.email ?? claims.email, email_verified });
        if (!person) throw new AddressNotVerified('the issuer says that the e-mail address is not verified');
        return person;
      } catch (error) {
        if (isTheirs(error)) throw new SignInRefused('the issuer did not confirm the sign-in', { cause: error });
        throw error;
      }
    },
  };
}

/** Many issuers give the e-mail address only in the user info. */
async function userInfo(
  configuration: oidc.Configuration,
  token: string,
  sub: string,
): Promise<Partial<Pick<PersonClaims, 'email' | 'email_verified'>>> {
  if (!configuration.serverMetadata().userinfo_endpoint) return {};
  const { email, email_verified } = PersonClaims.parse(await oidc.fetchUserInfo(configuration, token, sub));
  return { email, email_verified };
}

const isTheirs = (error: unknown): boolean =>
  error instanceof oidc.AuthorizationResponseError ||
  error instanceof oidc.ResponseBodyError ||
  error instanceof oidc.ClientError ||
  error instanceof z.ZodError;

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** 43 characters of base64url, for a cookie; never to be kept as it is. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Whether a cookie has the form of a token: nothing else is looked up. */
export const isToken = (text: string): boolean => FORM.test(text);

/** As it is kept: SHA-256 in hex. */
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What a form of this session carries. It follows from the session's token, so that it need not be kept. */
export const formToken = (token: string): string => createHmac('sha256', token).update('form').digest('base64url');

/** Compared in constant time. */
export function sameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** How long a user stays signed in, in seconds. */
const SESSION_SECONDS = 14 * 86_400;
/** How long a sign-in may take, in seconds. */
const SIGN_IN_SECONDS = 15 * 60;

const Session = z.object({ account: StoredAccountId, name: z.string(), email: z.string().nullable() });
export type Session = z.infer<typeof Session>;

/** Opens a session under a new token, and ends the one that the browser had before. @returns the token */
async function openSession(database: Queryable, session: Session, before: string | null): Promise<string> {
  const token = newToken();
  if (before !== null) await endSession(database, before);
  await database.query(
    `INSERT INTO access.web_session (token_hash, account, name, email, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [hashToken(token), session.account, session.name, session.email, SESSION_SECONDS],
  );
  return token;
}

/** The session of a token; null for one that ended or never was. */
function findSession(database: Queryable, token: string): Promise<Session | null> {
  const text = 'SELECT account, name, email FROM access.web_session WHERE token_hash = $1 AND expires_at > now()';
  return queryOne(database, text, [hashToken(token)], Session);
}

/** Signs the browser out that has this token; one that is signed out already stays so. */
async function endSession(database: Queryable, token: string): Promise<void> {
  await database.query('DELETE FROM access.web_session WHERE token_hash = $1', [hashToken(token)]);
}

const Beginning = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returns_to: z.string() });
export type Beginning = z.infer<typeof Beginning>;

/** Keeps a sign-in that begins. @returns the token for the browser's cookie */
async function keepBeginning(database: Queryable, beginning: Beginning): Promise<string> {
  const token = newToken();
  const { state, nonce, verifier, returns_to } = beginning;
  await database.query(
    `INSERT INTO access.web_sign_in (token_hash, state, nonce, verifier, returns_to, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
    [hashToken(token), state, nonce, verifier, returns_to, SIGN_IN_SECONDS],
  );
  return token;
}

/** Takes it out again: of two that bring the same token, one gets nothing. */
function takeBeginning(database: Queryable, token: string): Promise<Beginning | null> {
  const text = `DELETE FROM access.web_sign_in WHERE token_hash = $1 AND expires_at > now()
    RETURNING state, nonce, verifier, returns_to`;
  return queryOne(database, text, [hashToken(token)], Beginning);
}

/** `reader`: the session; `beginning`: a sign-in that is under way. */
type CookieName = 'reader' | 'beginning';

/** Under https the prefix has browsers refuse it from other hosts and over http (RFC 6265bis, section 4.1.3.2). */
const cookieName = (baseUrl: string, name: CookieName): string =>
  baseUrl.startsWith('https:') ? `__Host-clarity_${name}` : `clarity_${name}`;

/** The value that the browser sends; null for none. */
export function readCookie(headers: IncomingHttpHeaders, baseUrl: string, name: CookieName): string | null {
  const prefix = `${cookieName(baseUrl, name)}=`;
  const cookie = headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix));
  return cookie?.slice(prefix.length) || null;
}

/**
 * A `Set-Cookie` line. Lax, because the issuer leads the browser back here from another site.
 * @param seconds how long it is kept; 0 deletes it
 */
export function writeCookie(baseUrl: string, name: CookieName, value: string, seconds: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(baseUrl, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

const MAX_CHARACTERS = 500;

/**
 * Where a browser is sent after a form or a sign-in: a page of ours, never another site.
 * @returns the path with its query; `otherwise` for what leads elsewhere or cannot be read
 */
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
    const token = readCookie(headers, baseUrl, name);
    return token !== null && isToken(token) ? token : null;
  };
  const openClient = (): IssuerClient => {
    if (!client) throw new SignInRefused('signing in is off');
    return client;
  };
  return {
    signIn,
    async find(headers) {
      const token = tokenIn(headers, 'reader');
      const session = token === null ? null : await findSession(database, token);
      if (token === null || !session) return null;
      const { account: id, name, email } = session;
      return { account: { id, name }, email, role: roleOf(email), formToken: formToken(token) };
    },
    async begin(returnsTo) {
      const { address, ...proofs } = await openClient().begin();
      const token = await keepBeginning(database, { ...proofs, returns_to: localPath(returnsTo, '/account') });
      const cookie = writeCookie(baseUrl, 'beginning', token, SIGN_IN_SECONDS);
      // The embedded issuer adds a redirect of its own for a browser that was signed in to another account.
      return { to: address, cookies: [cookie, ...(signIn.kind === 'embedded' ? FORGET_ISSUER_SESSION : [])] };
    },
    async finish(headers, query) {
      const token = tokenIn(headers, 'beginning');
      const begun = token === null ? null : await takeBeginning(database, token);
      if (!begun) throw new SignInRefused('no sign-in of this browser is under way');
      const { sub, email } = await openClient().finish(new URL(`${baseUrl}${CALLBACK_PATH}?${query}`), begun);
      const { id: account, name } = accountNamed(sub);
      const session = await openSession(database, { account, name, email }, tokenIn(headers, 'reader'));
      return {
        to: begun.returns_to,
        cookies: [writeCookie(baseUrl, 'reader', session, SESSION_SECONDS), writeCookie(baseUrl, 'beginning', '', 0)],
      };
    },
    async end(headers) {
      const token = tokenIn(headers, 'reader');
      if (token !== null) await endSession(database, token);
      return [writeCookie(baseUrl, 'reader', '', 0)];
    },
  };
}
