/** The place where a request is let in or turned away, before its route runs. */
import type { preHandlerAsyncHookHandler } from 'fastify';

/** What a route demands: `read` and `ask` are scopes of keys, `anonymous` admits callers without a key too. */
export type Scope = 'anonymous' | 'read' | 'ask';

/** Makes the hook that guards a route. The hook throws a `Refusal` to turn a request away. */
export type Authorise = (scope: Scope) => preHandlerAsyncHookHandler;

/** Lets everybody in. It stands here until keys, sign-in and quotas are built; every route asks it already. */
export const admitEverybody: Authorise = () => async () => undefined;
