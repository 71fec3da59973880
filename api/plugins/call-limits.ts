/** How the limits stand, on every answer of the API; and nothing is charged for an answer that failed on our side. */
import type { FastifyInstance } from 'fastify';
import type { Access } from '../../access/access.ts';
import { noCalls } from '../../access/quota/headers.ts';

/** Adds the headers where no guard set them. A preflight is the browser's call, not its user's. */
export function callLimits(server: FastifyInstance, access: Access, now: () => Date): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!request.url.startsWith('/api/') || request.method === 'OPTIONS') return payload;
    try {
      if (reply.statusCode >= 500) reply.headers(await access.giveBack(request));
      if (reply.hasHeader('x-ratelimit-limit')) return payload;
      // Whoever is away or too busy to answer is not asked again: for the moment there are no calls.
      reply.headers(reply.statusCode === 503 ? noCalls(now()) : await access.standing(request));
    } catch (error) {
      request.log.error({ err: error, request_id: request.id }, 'the limits of a caller cannot be told');
    }
    return payload;
  });
}
