/** Whether people can sign in on the pages, and at whom. */
import type { Configuration } from '../../schemas/configuration.ts';
import { type SignInSettings, signInOf } from '../sign-in.ts';

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
  Partial<Pick<Configuration, 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OPERATORS'>>;

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
