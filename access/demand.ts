/** Whether a caller meets what a route demands. Pure. */

import type { Refusal } from '../schemas/refusal.ts';
import type { Caller } from './caller.ts';
import { authRequired, insufficientScope, proRequired } from './challenge.ts';
import type { SignIn } from './sign-in.ts';
import { resourceMetadata } from './tokens/protected-resource.ts';

/**
 * What a route demands. `read` and `ask` are scopes of keys, and `ask` also lets in who sends nothing; `account` takes
 * a key with the scope `read` or a person who signed in; `signed_in` a person alone; `operator` a person among
 * OPERATORS; `known` any key or person; `anonymous` everybody.
 */
export type Demand = 'anonymous' | 'known' | 'read' | 'ask' | 'account' | 'signed_in' | 'operator';

const SEND_KEY = 'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".';
const SIGN_IN = 'Sign in, and send the token as "Authorization: Bearer <token>".';

/** What is told to callers who should sign in. */
export interface SigningIn {
  readonly hint: string;
  /** Where programs find the issuer (RFC 9728); null when nobody can sign in. */
  readonly metadata: string | null;
}

/** How to sign in, for answers that ask for it. @param baseUrl address of the service, without a slash at its end */
export const signingInAt = (signIn: SignIn, baseUrl: string): SigningIn =>
  signIn.kind === 'off'
    ? { hint: signIn.why, metadata: null }
    : { hint: `${SIGN_IN} The issuer is ${signIn.issuer}.`, metadata: resourceMetadata(`${baseUrl}/api/v1`) };

const lacks = (scope: 'read' | 'ask'): Refusal =>
  insufficientScope(
    scope,
    `This needs the scope "${scope}", which the key or token that was sent lacks. Make another key, or sign in, with it.`,
  );

const unreadable = (scopes: Caller['scopes']): Refusal | null => (scopes.includes('read') ? null : lacks('read'));

/** Refusals that are no calls: nobody who could be counted is known, or none of what was sent does here. */
export function unknownCaller(demand: Demand, { kind }: Caller, signingIn: SigningIn): Refusal | null {
  if (demand === 'anonymous' || demand === 'ask') return null;
  if (kind === 'anonymous')
    return demand === 'read' || demand === 'known'
      ? authRequired(`No key was sent. ${SEND_KEY}`)
      : authRequired(
          demand === 'account'
            ? `No key was sent. ${SEND_KEY} Or: ${signingIn.hint}`
            : `Nothing was sent that says who you are. ${signingIn.hint}`,
          signingIn.metadata,
        );
  if (demand === 'read' && kind === 'person')
    return authRequired(
      `A sign-in token does not do here. ${SEND_KEY} Signed in, you make keys with POST /api/v1/keys.`,
    );
  return null;
}

/** Refusals of callers who are known: they count as calls. */
export function unmetDemand(demand: Demand, caller: Caller): Refusal | null {
  const { kind, scopes, plan, operator = false } = caller;
  if (kind === 'anonymous') return null;
  switch (demand) {
    case 'anonymous':
    case 'known':
      return null;
    case 'read':
    case 'account':
      return unreadable(scopes);
    case 'ask':
      if (plan !== 'pro') return proRequired('Questions with a key need the Pro plan.');
      return scopes.includes('ask') ? null : lacks('ask');
    case 'operator':
      if (kind === 'person' && !operator)
        return insufficientScope('operator', 'This is for the operators of the service, whom OPERATORS names.');
      return kind === 'person'
        ? unreadable(scopes)
        : insufficientScope('operator', `A key does not do here. ${SIGN_IN}`);
    case 'signed_in':
      return kind === 'person'
        ? unreadable(scopes)
        : insufficientScope('account', `A key does not do here. ${SIGN_IN}`);
  }
}
