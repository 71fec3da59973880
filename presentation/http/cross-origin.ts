/** CORS for the API: any site may read it, because a key travels in a header and never in a cookie. */
import type { FastifyInstance } from 'fastify';

const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Rate-Limit-Remaining',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-ID',
].join(', ');
const ACCEPTED = 'Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, X-API-Key, X-Request-ID';

const OPEN = /^\/(?:api|\.well-known)\/|^[^?]*\/feed\.(?:rss|atom|json)\/?(?:\?|$)/;

/** Opens everything under `/api/` and `/.well-known/`, and the feeds, to other origins and answers their preflights. */
export function crossOrigin(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!OPEN.test(request.url)) return;
    reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
    if (request.method !== 'OPTIONS') return;
    reply.headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': ACCEPTED,
      'access-control-max-age': '86400',
    });
    return reply.code(204).send();
  });
}
