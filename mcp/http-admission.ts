/** Who calls an endpoint, which of the tool calls are within the limits, and the limit headers of every response. */
import type { RequestId } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authRequired, type Caller, type Identify } from '../access/authorise.ts';
import { type Charge, limitHeaders, noCalls, reportedWindow, secondsLeft } from '../access/quota/limits.ts';
import { type Origin, type ToolCalls, toolLimitSentence } from '../access/quota/tool-calls.ts';
import { resourceMetadata, type SignIn } from '../access/sign-in.ts';
import { Refusal } from '../schemas/input-errors.ts';

/** Why a call is refused, as the model reads it. */
interface CallRefusal {
  readonly text: string;
  readonly meta: Record<string, unknown>;
}

/** What a tool call needs of the HTTP request that carries it. */
export interface ServedRequest {
  readonly caller: Caller;
  /** Calls over their limits, by the id of their message. */
  readonly refusals: ReadonlyMap<RequestId, CallRefusal>;
  /**
   * Logs an error of the service and refunds what the call was charged.
   * @returns the message for the caller
   */
  failed(id: RequestId, error: unknown): Promise<string>;
}

type CallerOf = (request: FastifyRequest) => Promise<Caller>;

/** Identifies callers of `/mcp`: anonymous, or by a key. Tokens are valid only for the other endpoint. */
export const identifyAnyone =
  (identify: Identify, baseUrl: string): CallerOf =>
  ({ headers }) =>
    identify(headers, `${baseUrl}/mcp`);

/** Adds the address of the metadata that names the issuer to the challenge (RFC 9728, section 5.1). */
function withMetadataChallenge(refusal: Refusal, metadata: string): Refusal {
  const challenge = refusal.headers['www-authenticate'] ?? 'Bearer';
  const headers = { ...refusal.headers, 'www-authenticate': `${challenge}, resource_metadata="${metadata}"` };
  return new Refusal(refusal.code, refusal.message, headers, refusal.details);
}

/** Identifies callers of `/mcp/account`: a user who signed in, or a key. */
export function identifyAccountHolder(identify: Identify, baseUrl: string, signIn: SignIn): CallerOf {
  const audience = `${baseUrl}/mcp/account`;
  const metadata = signIn.kind === 'off' ? null : resourceMetadata(audience);
  const hint = signIn.kind === 'off' ? signIn.why : 'Clients that support sign-in open it themselves.';
  return async ({ headers }) => {
    try {
      const caller = await identify(headers, audience);
      if (caller.account !== null) return caller;
    } catch (error) {
      throw error instanceof Refusal && error.status === 401 && metadata
        ? withMetadataChallenge(error, metadata)
        : error;
    }
    throw authRequired(`These tools need an account: sign in, or send a key. ${hint}`, metadata);
  };
}

interface SentCall {
  readonly id: RequestId;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The tool calls in a message or a batch of them. */
function toolCallsIn(body: unknown): SentCall[] {
  return [body].flat().flatMap((message): SentCall[] => {
    if (!isRecord(message) || message.method !== 'tools/call') return [];
    const { id, params } = message;
    if (typeof id !== 'string' && typeof id !== 'number') return [];
    const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
    return [{ id, meta }];
  });
}

/**
 * Whether two requests of a batch have the same id. Their answers could not be distinguished, and one would be charged
 * or refused for the other. JSON-RPC 2.0 does not say; MCP forbids it.
 */
export function hasRepeatedId(body: unknown): boolean {
  const ids = [body].flat().flatMap((message) => (isRecord(message) && 'method' in message ? (message.id ?? []) : []));
  return new Set(ids.map((id) => JSON.stringify(id))).size < ids.length;
}

const limitRefusal = (charge: Charge, caller: Caller): CallRefusal => {
  const full = reportedWindow(charge);
  return {
    text: toolLimitSentence(charge, caller),
    meta: full
      ? { 'clarity/limit': { error: full.code, max: full.max, retry_after: secondsLeft(full, charge.at) } }
      : {},
  };
};

interface Admitted {
  readonly served: ServedRequest;
  /** The limits after this request. */
  readonly headers: Record<string, string>;
}

/**
 * Charges every tool call of the body. Each call over the limits is refused on its own. Other methods cost nothing.
 * @param body one message or a batch, already parsed
 */
export async function admitRequest(
  calls: ToolCalls,
  request: FastifyRequest,
  caller: Caller,
  body: unknown,
): Promise<Admitted> {
  const origin: Origin = { headers: request.headers, address: request.ip };
  const refusals = new Map<RequestId, CallRefusal>();
  const charged = new Map<RequestId, Charge>();
  let last: Charge | null = null;
  for (const { id, meta } of toolCallsIn(body)) {
    last = await calls.count(caller, { ...origin, meta });
    if (last.fits) charged.set(id, last);
    else refusals.set(id, limitRefusal(last, caller));
  }
  const served: ServedRequest = {
    caller,
    refusals,
    async failed(id, error) {
      request.log.error({ err: error, request_id: request.id }, 'a tool call failed');
      const own = charged.get(id);
      charged.delete(id);
      if (own)
        await calls
          .giveBack(own)
          .catch((failure) => request.log.error({ err: failure }, 'a failed call was not refunded'));
      return `The service failed; the call was not counted. Retry shortly. If the error persists, quote request ${request.id}.`;
    },
  };
  return { served, headers: limitHeaders(last ?? (await calls.peek(caller, origin))) };
}

interface LimitParts {
  readonly identify: Identify;
  readonly calls: Pick<ToolCalls, 'peek'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/**
 * Adds limit headers to responses that carry no tool call, such as 401, 403 and 405. They charge nothing; a caller who is
 * refused has no calls left.
 */
export function addLimitHeaders(server: FastifyInstance, { identify, calls, baseUrl, now }: LimitParts): void {
  const currentLimits = async (request: FastifyRequest): Promise<Record<string, string>> => {
    const caller = await identify(request.headers, `${baseUrl}${request.routeOptions.url ?? '/mcp'}`);
    return limitHeaders(await calls.peek(caller, { headers: request.headers, address: request.ip }));
  };
  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.hasHeader('x-ratelimit-limit') || request.method === 'OPTIONS') return payload;
    const isRefused = reply.statusCode === 401 || reply.statusCode >= 500;
    reply.headers(isRefused ? noCalls(now()) : await currentLimits(request).catch(() => noCalls(now())));
    return payload;
  });
}
