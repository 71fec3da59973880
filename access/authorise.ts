/** The place where a request is let in or turned away, before its route runs. */
import type { preHandlerAsyncHookHandler } from 'fastify';
import type { Caller } from './caller.ts';

/**
 * What a route demands. `read` and `ask` are scopes of keys; `account` takes a key with the scope `read` or a person
 * who signed in; `signed_in` a person alone; `anonymous` admits callers who send nothing too.
 */
export type Demand = 'anonymous' | 'read' | 'ask' | 'account' | 'signed_in';

/** Makes the hook that guards a route. The hook throws a `Refusal` to turn a request away. */
export type Authorise = (demand: Demand) => preHandlerAsyncHookHandler;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the guard of the route, before the route runs. */
    access: Caller;
  }
}

/** Lets everybody in with everything, as one account: for what is tested without regard to access. */
export const admitEverybody: Authorise = () => async (request) => {
  request.access = EVERYBODY;
};

const EVERYBODY: Caller = {
  kind: 'person',
  account: 'acc_0000000000000000',
  plan: 'pro',
  scopes: ['read', 'ask'],
  keyId: null,
};
