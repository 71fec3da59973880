/** The place where a request is let in or turned away, before its route runs. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../log/postgres/database.ts';
import { quoted, Refusal } from '../schemas/refusal.ts';
import type { Caller } from './caller.ts';
import { readCredential } from './credential.ts';
import { type Demand, type SigningIn, unknownCaller, unmetDemand } from './demand.ts';
import { claimRequest, type OnceOnly, onceOnly } from './idempotency.ts';
import type { Identify } from './identify.ts';
import { charge, peek } from './quota/charge.ts';
import { limitHeaders, noCalls } from './quota/headers.ts';
import { restWindows } from './quota/limits.ts';
import { limitRefusal } from './quota/refusal.ts';
import { subjectOf } from './quota/subject.ts';
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
    /** Set for a POST with an `Idempotency-Key`. */
    once?: OnceOnly;
    /** Set while this request is the first with its `Idempotency-Key`, and its answer may be kept for the others. */
    onceClaim?: string;
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

/** 1 to 255 printable characters without blanks, such as a UUID. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** @throws Refusal `invalid_request` for an `Idempotency-Key` that cannot be one */
function onceOf({ method, headers, ip, routeOptions }: FastifyRequest, caller: Caller): OnceOnly | null {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || key === undefined) return null;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw new Refusal(
      'invalid_request',
      `Idempotency-Key: ${quoted(key)} cannot be used. Allowed: 1 to 255 printable ASCII characters without blanks.`,
    );
  const { account } = caller;
  const route = `${method} ${routeOptions.url}`;
  const credential = readCredential(headers)?.text ?? '';
  return onceOnly({ subject: subjectOf(caller, ip), account, route, key, credential });
}

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
    request.access = caller;
    const once = onceOf(request, caller);
    const windows = restWindows(caller, request.ip, surface);
    if (once && !unmet) {
      request.once = once;
      const claim = await claimRequest(database, once);
      if (claim === null) {
        // The first request with this key is charged, and its answer is given again.
        reply.headers(limitHeaders(await peek(database, windows)));
        return;
      }
      request.onceClaim = claim;
    }
    const counted = await charge(database, windows, null, caller.keyId);
    if (!counted.fits) throw limitRefusal(counted, caller, plansPage(baseUrl));
    reply.headers(limitHeaders(counted));
    request.charged = counted;
    if (unmet) throw unmet;
  };
}
