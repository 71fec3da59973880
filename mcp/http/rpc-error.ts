/** JSON-RPC errors over HTTP, for requests that never reach a tool. */
import type { FastifyReply } from 'fastify';

/** Codes of JSON-RPC 2.0, and of its range for servers. */
export const RPC = { parse: -32700, invalid: -32600, internal: -32603, refused: -32000, unauthorised: -32001 } as const;

export type RpcId = string | number | null;

/** The id of a message that can be answered; null for a batch, a notification and what is no message. */
export function idOf(body: unknown): RpcId {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  const { id, method } = body as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Sends one. @param id of the request that it answers; null when none could be read */
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
