/** Limit headers on every counted answer. An answer that fails on our side is not charged. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../access/access.ts';
import { noCalls } from '../../access/quota/limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by a route that sends the headers of limits itself, on errors too. */
    ownLimits?: boolean;
  }
}

const CALLED = /^\/(api|mcp)(\/|\?|$)/;

/**
 * Programs read the API and MCP, and JSON errors wherever they come from; pages and files are for browsers and caches.
 */
const isForPrograms = (request: FastifyRequest, reply: FastifyReply): boolean =>
  CALLED.test(request.url) ||
  (reply.statusCode >= 400 && String(reply.getHeader('content-type')).startsWith('application/json'));

/** Adds the headers where no guard set them. A preflight is the browser's call, not its user's. */
export function callLimits(server: FastifyInstance, access: Access, now: () => Date): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.method === 'OPTIONS' || request.routeOptions.config.ownLimits || !isForPrograms(request, reply))
      return payload;
    try {
      if (reply.statusCode >= 500) reply.headers(await access.giveBack(request));
      if (reply.hasHeader('x-ratelimit-limit')) return payload;
      // A database that is unreachable or too busy is not queried again: for now the caller has no calls left.
      reply.headers(reply.statusCode === 503 ? noCalls(now()) : await access.rateLimitHeaders(request));
    } catch (error) {
      request.log.error({ err: error, request_id: request.id }, 'the limits of a caller could not be read');
      if (!reply.hasHeader('x-ratelimit-limit')) reply.headers(noCalls(now()));
    }
    return payload;
  });
}

/** For a server without access to accounts: an error without a guard in front of it leaves its caller no calls. */
export function limitsOnErrors(server: FastifyInstance, now: () => Date = () => new Date()): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const hasLimits = reply.hasHeader('x-ratelimit-limit') || request.routeOptions.config.ownLimits;
    if (reply.statusCode >= 400 && !hasLimits) reply.headers(noCalls(now()));
    return payload;
  });
}
