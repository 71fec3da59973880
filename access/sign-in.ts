/** Where people sign in: at an issuer that is set, at the embedded one, or nowhere. */
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
 * The embedded issuer believes whoever types an e-mail address, so it runs for this machine alone: the service listens
 * on loopback, its own address is one of loopback, and no proxy stands before it that could carry strangers in.
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
