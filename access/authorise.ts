/**
 * Who calls and whether they may: the caller by the credentials of a request (anonymous, a key, or a signed-in user),
 * the scope and plan that a route requires, and the limits of the caller.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable } from '../log/postgres/database.ts';
import { planOf } from '../projector/models/accounts-queries.ts';
import type { KeyScope } from '../schemas/access.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { accountNamed } from './account.ts';
import type { FindKey } from './api-keys.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { authRequired, type HttpRefusal, insufficientScope, invalidKey, proRequired } from './http-refusal.ts';
import { claimRequest, type OnceOnly, onceOnly } from './idempotency.ts';
import { charge, peek } from './quota/charge.ts';
import { type Charge, limitHeaders, limitRefusal, noCalls, restWindows, subjectOf } from './quota/limits.ts';
import { resourceMetadata, type SignIn } from './sign-in.ts';
import { isRevoked, type TokenRules, verifyToken } from './sign-in-tokens.ts';

interface Credential {
  /** The text as it was sent: a key or a sign-in token, or neither. */
  readonly text: string;
  readonly sentAs: 'bearer' | 'x-api-key';
}

/**
 * Reads it: `Authorization: Bearer` wins over `X-API-Key`. Schemes other than Bearer are ignored.
 * @returns null when nothing was sent; an empty Bearer is a credential, and not a valid one
 */
export function readCredential(headers: IncomingHttpHeaders): Credential | null {
  const [, bearer] = /^bearer(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? '') ?? [null, null];
  if (bearer !== null) return { text: bearer ?? '', sentAs: 'bearer' };
  const key = headers['x-api-key'];
  return key === undefined ? null : { text: [key].flat().join(', ').trim(), sentAs: 'x-api-key' };
}

interface IdentifyOptions {
  readonly database: Queryable;
  readonly findKey: FindKey;
  /** Null when sign-in is off: no token is valid then. */
  readonly tokens: TokenRules | null;
  /** E-mail addresses of those who may review and operate, in lower case. */
  readonly operators: ReadonlySet<string>;
  readonly now: () => Date;
}

/**
 * Who calls.
 * @param audience the surface that a token must be meant for
 * @throws Refusal `invalid_key` when what was sent does not hold, also where nothing needs to be sent
 */
export type Identify = (headers: IncomingHttpHeaders, audience: string) => Promise<Caller>;

/** Makes it. A person who signs in has the scopes of the account's plan, as far as the token names them. */
export function identifier({ database, findKey, tokens, operators, now }: IdentifyOptions): Identify {
  return async (headers, audience) => {
    const credential = readCredential(headers);
    if (!credential) return ANONYMOUS;
    const key = await findKey(credential.text);
    if (key) return { kind: 'key', account: key.account, plan: key.plan, scopes: key.scopes, keyId: key.id };
    const mayBeToken = tokens && credential.sentAs === 'bearer';
    const person = mayBeToken ? await verifyToken(credential.text, audience, tokens, now()) : null;
    if (person === null) throw invalidKey();
    const account = accountNamed(person.sub);
    if (await isRevoked(database, { ...person, account: account.id })) throw invalidKey();
    const plan = (await planOf(database, account.id)) ?? 'free';
    const { scopes: named } = person;
    const ofPlan: readonly KeyScope[] = plan === 'pro' ? ['read', 'ask'] : ['read'];
    return {
      kind: 'person',
      account: account.id,
      plan,
      scopes: named === null ? ofPlan : ofPlan.filter((scope) => named.includes(scope)),
      ...(named === null ? {} : { tokenScopes: named }),
      keyId: null,
      name: person.sub,
      email: person.email,
      operator: person.email !== null && operators.has(person.email),
    };
  };
}

/**
 * What a route requires. `read` and `ask` are scopes of keys, and `ask` also admits anonymous callers; `account`
 * requires a key with the scope `read` or a signed-in user; `signed_in` a signed-in user; `operator` a signed-in user
 * among OPERATORS; `known` any key or signed-in user; `anonymous` nothing.
 */
type Demand = 'anonymous' | 'known' | 'read' | 'ask' | 'account' | 'signed_in' | 'operator';

const SEND_KEY = 'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".';
const SIGN_IN = 'Sign in, and send the token as "Authorization: Bearer <token>".';

/** How callers who should sign in can do so. */
interface SigningIn {
  readonly hint: string;
  /** Where programs find the issuer (RFC 9728); null when sign-in is off. */
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

/**
 * Refusals that do not count as calls: the caller is unknown, or the credential is of a kind the route does not accept.
 */
export function unknownCaller(demand: Demand, { kind }: Caller, signingIn: SigningIn): HttpRefusal | null {
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
      `A sign-in token is not accepted here. ${SEND_KEY} Signed in, you make keys with POST /api/v1/keys.`,
    );
  return null;
}

/** Refusals of known callers, which count as calls. */
function unmetDemand(demand: Demand, caller: Caller): Refusal | null {
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
        : insufficientScope('operator', `A key is not accepted here. ${SIGN_IN}`);
    case 'signed_in':
      return kind === 'person'
        ? unreadable(scopes)
        : insufficientScope('account', `A key is not accepted here. ${SIGN_IN}`);
  }
}

/**
 * Makes the hook that guards a route. It runs as `onRequest`, so that the body is read only for permitted
 * callers, and an invalid body is reported only to them. The hook throws a `Refusal` to reject a request.
 */
export type Authorise = (demand: Demand) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set by the guard before the route runs. */
    access: Caller;
    /** The charge of the call; unset when nothing was charged. */
    charged?: Charge;
    /** Set for a POST with an `Idempotency-Key`. */
    once?: OnceOnly;
    /** Set while this request is the first with its `Idempotency-Key`, and its response may be stored for retries. */
    onceClaim?: string;
  }
}

interface AuthoriseOptions {
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
 * Makes the guard. It identifies the caller (a 401 is not counted), then checks the limits (a 429 charges nothing), then
 * scope and plan (a 403 counts as a call). The response headers show the state of the limits.
 */
export function authoriser({ database, identify, baseUrl, signingIn, now }: AuthoriseOptions): Authorise {
  const audience = `${baseUrl}/api/v1`;
  const guard = async (demand: Demand, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = await identify(request.headers, audience);
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
        // The first request with this key is charged, and its response is sent again.
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
  return (demand) => async (request, reply) => {
    try {
      await guard(demand, request, reply);
    } catch (error) {
      // A caller that is refused before the count has no calls.
      if (!request.charged) reply.headers(noCalls(now()));
      throw error;
    }
  };
}
