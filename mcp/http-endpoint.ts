/** One MCP endpoint: from an HTTP request to the protocol's handler and back. */
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpHttpHandler,
  type Server,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-caller.ts';
import type { ToolCalls } from '../access/quota/tool-calls.ts';
import { isNestedTooDeep, MAXIMUM_DEPTH } from '../schemas/parameters.ts';
import { admitRequest, hasRepeatedId, type ServedRequest } from './http-admission.ts';
import { messageId, RPC, sendRpcError } from './http-errors.ts';

// Who may reach the endpoint from a browser. A page of another site must not call it through its reader's browser, nor
// by having its own name point here (DNS rebinding): the transport demands both checks.

const ALLOWED_METHODS = 'POST, OPTIONS';
const ALLOWED_HEADERS =
  'Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, X-API-Key, X-Request-ID';
const EXPOSED_HEADERS =
  'MCP-Protocol-Version, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Rate-Limit-Remaining, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID';

/** Makes the hook. Pages of the service itself and of this very machine may call; programs send no origin. */
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
        message: `${from.message}. Pages of other sites may not call.`,
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

// One MCP endpoint on the port: from a request of the server to the protocol's handler and back.

/** Arguments are names and numbers: a body of this size is no honest call. */
const BODY_LIMIT = 262_144;
/** Messages of a batch, which the revision of March 2025 allows. */
const MAX_BATCH_MESSAGES = 20;
const BOTH_FORMS = 'application/json, text/event-stream';
/** Streams of clients that wait for changes to the lists, of which there are none until a restart. */
const MAX_STREAMS = 128;

interface EndpointOptions {
  /** Such as `/mcp`. */
  readonly path: string;
  readonly baseUrl: string;
  readonly calls: ToolCalls;
  /** Who calls. @throws Refusal for whoever may not */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller>;
  readonly make: (request: ServedRequest) => Server;
}

/** Undefined for an empty body and for what is no JSON: the protocol's handler answers those. */
function parseBody(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) ? body.map(withoutNullArguments) : withoutNullArguments(body);
  } catch {
    return undefined;
  }
}

/** `arguments: null` says what leaving them out says; the schema of the protocol knows the latter alone. */
function withoutNullArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: unknown };
  if (params === null || typeof params !== 'object' || !('arguments' in params) || params.arguments !== null)
    return message;
  const { arguments: _, ...rest } = params;
  return { ...(message as object), params: rest };
}

/** Whether a client names JSON, or any application type, and not the stream. */
function acceptsOnlyJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /application\/(?:json|\*)/i.test(accept) && !/text\/(?:event-stream|\*)/i.test(accept);
}

/** The answers within a stream of events as one JSON text: one message, or a batch. Notifications are left out. */
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
  // The protocol's handler asks for both forms to be named; `send` gives a client the one that it takes.
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

/** Serves it. Answers of the protocol's own errors are JSON-RPC too. */
export function serveEndpoint(server: FastifyInstance, options: EndpointOptions): McpHttpHandler {
  const { path, baseUrl, calls, callerOf, make } = options;
  const handler = createMcpHandler(({ authInfo }) => make(authInfo?.extra?.served as ServedRequest), {
    maxSubscriptions: MAX_STREAMS,
    maxRequestBodySize: BODY_LIMIT,
    onerror: (error) => server.log.debug({ err: error }, 'an MCP request was refused'),
  });
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = await callerOf(request);
    // Looked at before it is parsed: what follows a message by recursion would overflow the stack.
    if (typeof request.body === 'string' && isNestedTooDeep(request.body))
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: `The body is nested deeper than ${MAXIMUM_DEPTH} levels.`,
      });
    const body = parseBody(request.body);
    if (Array.isArray(body) && body.length > MAX_BATCH_MESSAGES)
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: `A batch may hold ${MAX_BATCH_MESSAGES} messages.`,
      });
    if (hasRepeatedId(body))
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: 'Two requests of the batch have the same id. Nothing was done or counted; give each an id of its own.',
      });
    const { served, headers } = await admitRequest(calls, request, caller, body);
    reply.headers(headers);
    const authInfo = { token: '', clientId: caller.account ?? '', scopes: [...caller.scopes], extra: { served } };
    const sent = toWebRequest(request, reply, `${baseUrl}${path}`);
    return sendResponse(
      request,
      reply,
      await handler.fetch(sent, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) }),
    );
  };
  server.route({
    // The protocol's handler answers those that it does not offer.
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: path,
    config: { ownLimits: true },
    bodyLimit: BODY_LIMIT,
    onRequest: createOriginGuard(baseUrl),
    handler: (request, reply) =>
      serve(request, reply).catch((error) => {
        // The id is only known here: whoever waits for the answer to a message is told by it.
        (error as { rpcId?: unknown }).rpcId = messageId(parseBody(request.body));
        throw error;
      }),
  });
  server.addHook('preClose', () => handler.close());
  return handler;
}
