/** The pages as a client of the issuer: OpenID Connect, authorization code with PKCE, state and nonce. */

import * as oidc from 'openid-client';
import { z } from 'zod';
import type { Configuration } from '../schemas/configuration.ts';
import { type SignInSettings, signInOf } from './sign-in.ts';
import { type Person, PersonClaims, personOf } from './sign-in-tokens.ts';

/** Where the issuer leads the browser back to: the address to register there. */
export const CALLBACK_PATH = '/sign-in/callback';
/** The name under which the embedded issuer knows the pages. */
export const SITE_CLIENT = 'clarity-pages';

export type WebSignIn =
  | {
      readonly kind: 'external' | 'embedded';
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string | null;
    }
  | { readonly kind: 'off' /** What an operator sets to turn it on. */; readonly why: string };

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

export interface IssuerClient {
  /** The address that the browser goes to. @throws when the issuer cannot be asked */
  begin(): Promise<Proofs & { readonly address: string }>;
  /** Who signed in. @param callback the whole address that the browser came back to. @throws SignInRefused */
  finish(callback: URL, proofs: Proofs): Promise<Person>;
}

/**
 * Makes it. The issuer is asked at the first use, and again after it could not be, or the machine's clock was set.
 * @param now decides whether what the issuer signed still holds, also where the machine's own clock is wrong
 */
export function issuerClient(
  signIn: Exclude<WebSignIn, { kind: 'off' }>,
  baseUrl: string,
  now: () => Date = () => new Date(),
): IssuerClient {
  const { issuer, clientId, clientSecret, kind } = signIn;
  let known: Promise<oidc.Configuration> | undefined;
  /** Clock skew in seconds that the library, which reads the time of the machine, is set to add. */
  let added = 0;
  const discovered = (): Promise<oidc.Configuration> => {
    // The embedded issuer dates its tokens by the same machine.
    const ahead = kind === 'embedded' ? 0 : Math.round((now().getTime() - Date.now()) / 1_000);
    if (Math.abs(ahead - added) > SKEW_SECONDS / 3) {
      known = undefined;
      added = ahead;
    }
    known ??= discover().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
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
