/** One MCP endpoint: from an HTTP request to the protocol's handler and back, with limits and errors as JSON-RPC. */
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpHttpHandler,
  type RequestId,
  type Server,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identify } from '../access/authorise.ts';
import type { Caller } from '../access/caller.ts';
import { authRequired, HttpRefusal, httpAnswerOf } from '../access/http-refusal.ts';
import { type Charge, limitHeaders, noCalls, reportedWindow, secondsLeft } from '../access/quota/limits.ts';
import { type Origin, type ToolCalls, toolLimitSentence } from '../access/quota/tool-calls.ts';
import { resourceMetadata, type SignIn } from '../access/sign-in.ts';
import {
  BODY_FAULTS,
  clientLeft,
  failureMessage,
  INCOMPLETE_BODY,
  NOT_UTF8,
  unavailableRefusal,
} from '../presentation/http/error-answers.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { isNestedTooDeep, MAXIMUM_DEPTH } from '../schemas/parameters.ts';
import { isSignalUri } from './tools/get-signal.ts';

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
function withMetadataChallenge(refusal: HttpRefusal, metadata: string): HttpRefusal {
  const challenge = refusal.headers['www-authenticate'] ?? 'Bearer';
  const headers = { ...refusal.headers, 'www-authenticate': `${challenge}, resource_metadata="${metadata}"` };
  return new HttpRefusal(refusal.code, refusal.message, headers, refusal.details);
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
      throw error instanceof HttpRefusal && error.code === 'invalid_key' && metadata
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

/** Whether a message asks for content: it calls a tool, or reads a signal as a resource. All else is free. */
const asksForContent = ({ method, params }: Readonly<Record<string, unknown>>): boolean =>
  method === 'tools/call' ||
  (method === 'resources/read' && isRecord(params) && typeof params.uri === 'string' && isSignalUri(params.uri));

/** The calls that count, in a message or a batch of them. */
function countedCallsIn(body: unknown): SentCall[] {
  return [body].flat().flatMap((message): SentCall[] => {
    if (!isRecord(message) || !asksForContent(message)) return [];
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
function hasRepeatedId(body: unknown): boolean {
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
 * Charges every call of the body that asks for content. Each one over the limits is refused on its own.
 * @param body one message or a batch, already parsed
 */
async function admitRequest(
  calls: ToolCalls,
  request: FastifyRequest,
  caller: Caller,
  body: unknown,
): Promise<Admitted> {
  const origin: Origin = { headers: request.headers, address: request.ip };
  const refusals = new Map<RequestId, CallRefusal>();
  const charged = new Map<RequestId, Charge>();
  let last: Charge | null = null;
  for (const { id, meta } of countedCallsIn(body)) {
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
      return failureMessage(request.id, '; the call was not counted');
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
    if (reply.hasHeader('x-ratelimit-limit')) return payload;
    const isRefused = reply.statusCode === 401 || reply.statusCode >= 500;
    reply.headers(isRefused ? noCalls(now()) : await currentLimits(request).catch(() => noCalls(now())));
    return payload;
  });
}

/** Codes of JSON-RPC 2.0, and of its range for servers. */
const RPC = { parse: -32700, invalid: -32600, internal: -32603, refused: -32000, unauthorised: -32001 } as const;

type RpcId = string | number | null;

/** The id of a message that can be answered; null for a batch, a notification and anything else. */
function messageId(body: unknown): RpcId {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  const { id, method } = body as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Sends a JSON-RPC error. @param id of the request that it answers; null when none could be read */
const sendRpcError = (
  reply: FastifyReply,
  status: number,
  error: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> },
  id: RpcId = null,
): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', error, id }));

/** Error handler of the endpoints: answers with JSON-RPC, and logs what is not a refusal. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const id = ((error as { rpcId?: RpcId }).rpcId ?? null) as RpcId;
  if (clientLeft(request)) {
    request.log.info({ request_id: request.id }, 'a client disconnected before its body had arrived');
    return sendRpcError(reply, 400, { code: RPC.invalid, message: INCOMPLETE_BODY }, id);
  }
  const unavailable = unavailableRefusal(error);
  if (unavailable)
    request.log.warn({ err: error, request_id: request.id }, 'an MCP request failed: the database is unavailable');
  const refusal = error instanceof Refusal ? error : unavailable;
  if (refusal) {
    const { status, headers } = httpAnswerOf(refusal);
    const code = status === 401 ? RPC.unauthorised : RPC.refused;
    reply.headers(headers);
    return sendRpcError(reply, status, { code, message: refusal.message, data: { error: refusal.code } }, id);
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 400 && status < 500)
    return sendRpcError(
      reply,
      status,
      { code: RPC.invalid, message: BODY_FAULTS[status] ?? 'The request cannot be read.' },
      id,
    );
  request.log.error({ err: error, request_id: request.id }, 'an MCP request failed');
  return sendRpcError(reply, 500, { code: RPC.internal, message: failureMessage(request.id) }, id);
}

const ALLOWED_METHODS = 'POST, OPTIONS';
const ALLOWED_HEADERS =
  'Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, X-API-Key, X-Request-ID';
const EXPOSED_HEADERS =
  'MCP-Protocol-Version, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Rate-Limit-Remaining, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID';

/**
 * Creates the hook that checks Host and Origin, as the transport requires: a page of another site must not call through
 * a user's browser, nor by pointing its own name here (DNS rebinding). Pages of the service and of the local machine may
 * call; programs send no origin.
 */
function createOriginGuard(baseUrl: string): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const allowed = [...new Set([new URL(baseUrl).hostname, ...localhostAllowedHostnames()])];
  return async (request, reply) => {
    const host = validateHostHeader(request.host, allowed);
    if (!host.ok)
      return sendRpcError(reply, 403, {
        code: RPC.refused,
        message: `${host.message}. This service is at ${baseUrl}; its operator sets BASE_URL.`,
      });
    const { origin } = request.headers;
    const from = validateOriginHeader(origin, allowed);
    if (!from.ok)
      return sendRpcError(reply, 403, {
        code: RPC.refused,
        message: `${from.message}. Pages of other sites cannot call this service.`,
      });
    if (origin)
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED_HEADERS,
        vary: 'Origin',
      });
    if (request.method !== 'OPTIONS') return;
    reply.headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': '86400',
    });
    return reply.code(204).send();
  };
}

/** Maximum body in bytes. Arguments are names and numbers, so no real call is larger. */
const BODY_LIMIT = 262_144;
/** Maximum messages of a batch, which the revision of March 2025 allows. */
const MAX_BATCH_MESSAGES = 20;
const BOTH_FORMS = 'application/json, text/event-stream';
/** Maximum streams of clients that wait for changes of the lists; there are none until a restart. */
const MAX_STREAMS = 128;

interface EndpointOptions {
  /** Such as `/mcp`. */
  readonly path: string;
  readonly baseUrl: string;
  readonly calls: ToolCalls;
  /** Identifies the caller. @throws Refusal when the caller is not allowed */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller>;
  readonly make: (request: ServedRequest) => Server;
}

/** Undefined for an empty or invalid body, which the protocol's handler answers. */
function parseBody(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) ? body.map(withoutNullArguments) : withoutNullArguments(body);
  } catch {
    // Not JSON: the handler of the protocol answers it.
    return undefined;
  }
}

/** Treats `arguments: null` as absent, which the schema of the protocol does not allow. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: unknown };
  if (params === null || typeof params !== 'object' || !('arguments' in params) || params.arguments !== null)
    return message;
  const { arguments: _, ...rest } = params;
  return { ...(message as object), params: rest };
}

/** Whether a client accepts JSON, or any application type, but not the stream. */
function acceptsOnlyJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /application\/(?:json|\*)/i.test(accept) && !/text\/(?:event-stream|\*)/i.test(accept);
}

/** Converts a stream of events to one JSON text: one message, or a batch. Notifications are left out. */
function eventsToJson(events: string): string {
  const messages = [...events.matchAll(/^data: ?(.+)$/gm)]
    .map(([, data = '']) => JSON.parse(data) as { id?: unknown })
    .filter(({ id }) => id !== undefined);
  return JSON.stringify(messages.length === 1 ? messages[0] : messages);
}

function toWebRequest(request: FastifyRequest, reply: FastifyReply, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  // The protocol's handler requires both forms; `sendResponse` sends the one that the client accepts.
  if (/^$|\*\/\*/.test(request.headers.accept ?? '') || acceptsOnlyJson(request)) headers.set('accept', BOTH_FORMS);
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const body = request.method === 'POST' && typeof request.body === 'string' ? { body: request.body } : {};
  return new Request(address, { method: request.method, headers, signal: gone.signal, ...body });
}

async function sendResponse(request: FastifyRequest, reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value);
  reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  if (!response.body) return reply.send();
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  if (!isStream) return reply.send(await response.text());
  if (!acceptsOnlyJson(request)) return reply.send(response.body);
  return reply.type('application/json; charset=utf-8').send(eventsToJson(await response.text()));
}

/** Registers the endpoint. Errors of the protocol are answered as JSON-RPC too. */
export function serveEndpoint(server: FastifyInstance, options: EndpointOptions): McpHttpHandler {
  const { path, baseUrl, calls, callerOf, make } = options;
  const handler = createMcpHandler(({ authInfo }) => make(authInfo?.extra?.served as ServedRequest), {
    maxSubscriptions: MAX_STREAMS,
    maxRequestBodySize: BODY_LIMIT,
    onerror: (error) => server.log.debug({ err: error }, 'an MCP request was refused'),
  });
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = await callerOf(request);
    if (Buffer.isBuffer(request.body)) return sendRpcError(reply, 400, { code: RPC.parse, message: NOT_UTF8 });
    // Checked before parsing: recursion over a deep message would overflow the stack.
    if (typeof request.body === 'string' && isNestedTooDeep(request.body))
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: `The body is nested deeper than ${MAXIMUM_DEPTH} levels.`,
      });
    const body = parseBody(request.body);
    if (Array.isArray(body) && body.length > MAX_BATCH_MESSAGES)
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: `A batch can have at most ${MAX_BATCH_MESSAGES} messages.`,
      });
    if (hasRepeatedId(body))
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message:
          'Two requests of the batch have the same id. Nothing was run or counted. Give each request its own id.',
      });
    const { served, headers } = await admitRequest(calls, request, caller, body);
    reply.headers(headers);
    const authInfo = { token: '', clientId: caller.account ?? '', scopes: [...caller.scopes], extra: { served } };
    const webRequest = toWebRequest(request, reply, `${baseUrl}${path}`);
    return sendResponse(
      request,
      reply,
      await handler.fetch(webRequest, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) }),
    );
  };
  server.route({
    // The protocol's handler answers the methods that it does not support.
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: path,
    config: { ownLimits: true },
    bodyLimit: BODY_LIMIT,
    onRequest: createOriginGuard(baseUrl),
    handler: (request, reply) =>
      serve(request, reply).catch((error) => {
        // Only known here: the error response carries the id of the message that it answers.
        (error as { rpcId?: unknown }).rpcId = messageId(parseBody(request.body));
        throw error;
      }),
  });
  server.addHook('preClose', () => handler.close());
  return handler;
}
