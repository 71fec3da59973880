/** Every error of an MCP endpoint as JSON-RPC. Only a `Refusal` speaks for itself; any other error stays in the log. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientLeft, INCOMPLETE_BODY, unavailableRefusal } from '../../presentation/http-answers.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { RPC, type RpcId, sendRpcError } from './rpc-error.ts';

const MESSAGES: Readonly<Record<number, string>> = {
  413: 'The body is too large.',
  415: 'The body must be JSON: send Content-Type: application/json.',
};

/** Makes the handler of errors. */
export function rpcErrors(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const id = ((error as { rpcId?: RpcId }).rpcId ?? null) as RpcId;
  if (clientLeft(request)) {
    request.log.info({ request_id: request.id }, 'a client left before its body had arrived');
    return sendRpcError(reply, 400, { code: RPC.invalid, message: INCOMPLETE_BODY }, id);
  }
  const away = unavailableRefusal(error);
  if (away) request.log.warn({ err: error, request_id: request.id }, 'an MCP request found the database away');
  const refusal = error instanceof Refusal ? error : away;
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
      { code: RPC.invalid, message: MESSAGES[status] ?? 'The request cannot be read.' },
      id,
    );
  request.log.error({ err: error, request_id: request.id }, 'an MCP request failed');
  const message = `Something failed on our side. Retry shortly; if it stays, quote request ${request.id}.`;
  return sendRpcError(reply, 500, { code: RPC.internal, message }, id);
}
