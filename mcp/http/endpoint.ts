/** One MCP endpoint on the port: from a request of the server to the protocol's handler and back. */
import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/identify-caller.ts';
import type { ToolCalls } from '../../access/quota/tool-calls.ts';
import { isNestedTooDeep, MAXIMUM_DEPTH } from '../../schemas/parameters.ts';
import { admit, repeatsId } from './admit.ts';
import { guardOf } from './guard.ts';
import { idOf, RPC, sendRpcError } from './rpc-error.ts';
import type { ServedRequest } from './served-request.ts';

/** Arguments are names and numbers: a body of this size is no honest call. */
const BODY_LIMIT = 262_144;
/** Messages of a batch, which the revision of March 2025 allows. */
const MOST_MESSAGES = 20;
const BOTH_FORMS = 'application/json, text/event-stream';
/** Streams of clients that wait for changes to the lists, of which there are none until a restart. */
const MOST_STREAMS = 128;

export interface EndpointOptions {
  /** Such as `/mcp`. */
  readonly path: string;
  readonly baseUrl: string;
  readonly calls: ToolCalls;
  /** Who calls. @throws Refusal for whoever may not */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller>;
  readonly make: (request: ServedRequest) => Server;
}

/** Undefined for an empty body and for what is no JSON: the protocol's handler answers those. */
function parsedBody(text: unknown): unknown {
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
function takesJsonAlone({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /application\/(?:json|\*)/i.test(accept) && !/text\/(?:event-stream|\*)/i.test(accept);
}

/** The answers within a stream of events as one JSON text: one message, or a batch. Notifications are left out. */
function jsonOf(events: string): string {
  const messages = [...events.matchAll(/^data: ?(.+)$/gm)]
    .map(([, data = '']) => JSON.parse(data) as { id?: unknown })
    .filter(({ id }) => id !== undefined);
  return JSON.stringify(messages.length === 1 ? messages[0] : messages);
}

function webRequest(request: FastifyRequest, reply: FastifyReply, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  // The protocol's handler asks for both forms to be named; `send` gives a client the one that it takes.
  if (/^$|\*\/\*/.test(request.headers.accept ?? '') || takesJsonAlone(request)) headers.set('accept', BOTH_FORMS);
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const body = request.method === 'POST' && typeof request.body === 'string' ? { body: request.body } : {};
  return new Request(address, { method: request.method, headers, signal: gone.signal, ...body });
}

async function send(request: FastifyRequest, reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value);
  reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  if (!response.body) return reply.send();
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  if (!isStream) return reply.send(await response.text());
  if (!takesJsonAlone(request)) return reply.send(response.body);
  return reply.type('application/json; charset=utf-8').send(jsonOf(await response.text()));
}

/** Serves it. Answers of the protocol's own errors are JSON-RPC too. */
export function serveEndpoint(server: FastifyInstance, options: EndpointOptions): McpHttpHandler {
  const { path, baseUrl, calls, callerOf, make } = options;
  const handler = createMcpHandler(({ authInfo }) => make(authInfo?.extra?.served as ServedRequest), {
    maxSubscriptions: MOST_STREAMS,
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
    const body = parsedBody(request.body);
    if (Array.isArray(body) && body.length > MOST_MESSAGES)
      return sendRpcError(reply, 400, { code: RPC.invalid, message: `A batch may hold ${MOST_MESSAGES} messages.` });
    if (repeatsId(body))
      return sendRpcError(reply, 400, {
        code: RPC.invalid,
        message: 'Two requests of the batch have the same id. Nothing was done or counted; give each an id of its own.',
      });
    const { served, headers } = await admit(calls, request, caller, body);
    reply.headers(headers);
    const authInfo = { token: '', clientId: caller.account ?? '', scopes: [...caller.scopes], extra: { served } };
    const sent = webRequest(request, reply, `${baseUrl}${path}`);
    return send(
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
    onRequest: guardOf(baseUrl),
    handler: (request, reply) =>
      serve(request, reply).catch((error) => {
        // The id is only known here: whoever waits for the answer to a message is told by it.
        (error as { rpcId?: unknown }).rpcId = idOf(parsedBody(request.body));
        throw error;
      }),
  });
  server.addHook('preClose', () => handler.close());
  return handler;
}
