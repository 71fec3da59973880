/** One line in the log and one measurement for each answer. */
import type { FastifyInstance } from 'fastify';
import { requestAnswered } from '../../schemas/observation.ts';

/**
 * Records the route's pattern instead of the address, which may hold what somebody asked, and no header, which may hold
 * a key. The request id is the one that its client was told.
 */
export function requestRecords(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, id: request_id } = request;
    const about = {
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    };
    requestAnswered.tell(about);
    request.log.info({ request_id, ...about }, 'answered');
  });
}
