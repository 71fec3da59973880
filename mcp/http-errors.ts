/** Every error of an MCP endpoint as JSON-RPC. Only the message of a `Refusal` is sent; other errors are logged. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientLeft, INCOMPLETE_BODY, unavailableRefusal } from '../presentation/http/error-answers.ts';
import { Refusal } from '../schemas/input-errors.ts';

/** Codes of JSON-RPC 2.0, and of its range for servers. */
export const RPC = { parse: -32700, invalid: -32600, internal: -32603, refused: -32000, unauthorised: -32001 } as const;

type RpcId = string | number | null;

/** The id of a message that can be answered; null for a batch, a notification and anything else. */
export function messageId(body: unknown): RpcId {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  const { id, method } = body as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Sends a JSON-RPC error. @param id of the request that it answers; null when none could be read */
export const sendRpcError = (
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

const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  413: 'The body is too large.',
  415: 'The body must be JSON: send Content-Type: application/json.',
};

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
    const code = refusal.status === 401 ? RPC.unauthorised : RPC.refused;
    reply.headers({ ...refusal.headers });
    return sendRpcError(reply, refusal.status, { code, message: refusal.message, data: { error: refusal.code } }, id);
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 400 && status < 500)
    return sendRpcError(
      reply,
      status,
      { code: RPC.invalid, message: STATUS_MESSAGES[status] ?? 'The request cannot be read.' },
      id,
    );
  request.log.error({ err: error, request_id: request.id }, 'an MCP request failed');
  const message = `The service failed. Retry shortly. If the error persists, quote request ${request.id}.`;
  return sendRpcError(reply, 500, { code: RPC.internal, message }, id);
}
