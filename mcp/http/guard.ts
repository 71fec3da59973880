/**
 * Who may reach the endpoint from a browser. A page of another site must not call it through its reader's browser, nor
 * by having its own name point here (DNS rebinding): the transport demands both checks.
 */
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RPC, sendRpcError } from './rpc-error.ts';

const METHODS = 'POST, OPTIONS';
const ACCEPTED =
  'Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, X-API-Key, X-Request-ID';
const EXPOSED =
  'MCP-Protocol-Version, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Rate-Limit-Remaining, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID';

/** Makes the hook. Pages of the service itself and of this very machine may call; programs send no origin. */
export function guardOf(baseUrl: string): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
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
        'access-control-expose-headers': EXPOSED,
        vary: 'Origin',
      });
    if (request.method !== 'OPTIONS') return;
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': ACCEPTED,
      'access-control-max-age': '86400',
    });
    return reply.code(204).send();
  };
}
