/** Whether a caller meets what a route demands. Pure. */

import type { Refusal } from '../schemas/refusal.ts';
import type { Caller } from './caller.ts';
import { authRequired, insufficientScope, proRequired } from './challenge.ts';

/**
 * What a route demands. `read` and `ask` are scopes of keys, and `ask` also lets in who sends nothing; `account` takes
 * a key with the scope `read` or a person who signed in; `signed_in` a person alone; `anonymous` everybody.
 */
export type Demand = 'anonymous' | 'read' | 'ask' | 'account' | 'signed_in';

const SEND_KEY = 'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".';
const SIGN_IN = 'Sign in, and send the token as "Authorization: Bearer <token>".';

const lacks = (scope: 'read' | 'ask'): Refusal =>
  insufficientScope(
    scope,
    `This needs a key with the scope "${scope}", which the one that was sent lacks. Make another key with it.`,
  );

/** Refusals that are no calls: nobody who could be counted is known, or none of what was sent does here. */
export function unknownCaller(demand: Demand, { kind }: Caller): Refusal | null {
  if (demand === 'anonymous' || demand === 'ask') return null;
  if (kind === 'anonymous')
    return authRequired(
      demand === 'signed_in'
        ? `Nothing was sent that says who you are. ${SIGN_IN}`
        : `No key was sent. ${SEND_KEY}${demand === 'account' ? ` Or: ${SIGN_IN}` : ''}`,
    );
  if (demand === 'read' && kind === 'person')
    return authRequired(
      `A sign-in token does not do here. ${SEND_KEY} Signed in, you make keys with POST /api/v1/keys.`,
    );
  return null;
}

/** Refusals of callers who are known: they count as calls. */
export function unmetDemand(demand: Demand, { kind, scopes, plan }: Caller): Refusal | null {
  if (kind === 'anonymous') return null;
  switch (demand) {
    case 'anonymous':
      return null;
    case 'read':
    case 'account':
      return scopes.includes('read') ? null : lacks('read');
    case 'ask':
      if (plan !== 'pro') return proRequired('Questions with a key need the Pro plan.');
      return scopes.includes('ask') ? null : lacks('ask');
    case 'signed_in':
      return kind === 'person' ? null : insufficientScope('account', `A key does not do here. ${SIGN_IN}`);
  }
}
