/** One MCP endpoint on the port: from a request of the server to the protocol's handler and back. */
import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import type { ToolCalls } from '../../access/tools/count-calls.ts';
import { admit } from './admit.ts';
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function webRequest(request: FastifyRequest, reply: FastifyReply, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  // Whoever takes anything takes both forms of an answer, which clients have to name.
  if (/^$|\*\/\*/.test(request.headers.accept ?? '')) headers.set('accept', BOTH_FORMS);
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  const body = request.method === 'POST' && typeof request.body === 'string' ? { body: request.body } : {};
  return new Request(address, { method: request.method, headers, signal: gone.signal, ...body });
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value);
  reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  if (!response.body) return reply.send();
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  return reply.send(isStream ? response.body : await response.text());
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
    const body = parsedBody(request.body);
    if (Array.isArray(body) && body.length > MOST_MESSAGES)
      return sendRpcError(reply, 400, { code: RPC.invalid, message: `A batch may hold ${MOST_MESSAGES} messages.` });
    const { served, headers } = await admit(calls, request, caller, body);
    reply.headers(headers);
    const authInfo = { token: '', clientId: caller.account ?? '', scopes: [...caller.scopes], extra: { served } };
    const sent = webRequest(request, reply, `${baseUrl}${path}`);
    return send(reply, await handler.fetch(sent, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) }));
  };
  server.route({
    method: ['GET', 'POST', 'DELETE', 'OPTIONS'],
    url: path,
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
