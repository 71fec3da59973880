/** The place where a request is let in or turned away, before its route runs. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../log/postgres/database.ts';
import type { Caller } from './caller.ts';
import { type Demand, type SigningIn, unknownCaller, unmetDemand } from './demand.ts';
import type { Identify } from './identify.ts';
import { charge } from './quota/charge.ts';
import { limitHeaders, noCalls } from './quota/headers.ts';
import { restWindows } from './quota/limits.ts';
import { limitRefusal } from './quota/refusal.ts';
import type { Charge } from './quota/window.ts';

export type { Demand } from './demand.ts';

/**
 * Makes the hook that guards a route. It runs as `onRequest`, so that a caller who may not call costs no reading of a
 * body, and a body that cannot be read is refused only to callers who may call. The hook throws a `Refusal` to turn a
 * request away.
 */
export type Authorise = (demand: Demand) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the guard of the route, before the route runs. */
    access: Caller;
    /** What the call was charged; unset before, and when nothing was. */
    charged?: Charge;
  }
}

export interface AuthoriseOptions {
  readonly database: Queryable;
  readonly identify: Identify;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly signingIn: SigningIn;
  readonly now: () => Date;
}

/** Address of the page of plans. */
export const plansPage = (baseUrl: string): string => `${baseUrl}/plans`;

/**
 * Makes the guard: who calls (401 never counts), then the limits (429 charges nothing), then scope and plan (403 counts
 * as a call). The answer's headers tell how the limits stand.
 */
export function authoriser({ database, identify, baseUrl, signingIn, now }: AuthoriseOptions): Authorise {
  return (demand) => async (request, reply) => {
    reply.headers(noCalls(now()));
    const caller = await identify(request.headers, `${baseUrl}/api/v1`);
    const unknown = unknownCaller(demand, caller, signingIn);
    if (unknown) throw unknown;
    const unmet = unmetDemand(demand, caller);
    const { method, routeOptions } = request;
    const surface = { method, path: routeOptions.url ?? '', question: demand === 'ask' && !unmet };
    const counted = await charge(database, restWindows(caller, request.ip, surface), null, caller.keyId);
    if (!counted.fits) throw limitRefusal(counted, caller, plansPage(baseUrl));
    reply.headers(limitHeaders(counted));
    request.access = caller;
    request.charged = counted;
    if (unmet) throw unmet;
  };
}
