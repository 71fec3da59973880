/** One line in the log and one measurement for each answer. */
import type { FastifyInstance } from 'fastify';
import { requestAnswered } from '../../schemas/observation.ts';

/**
 * Records the route's pattern instead of the address, which may hold what somebody asked, and of the headers only
 * `traceparent`, since others may hold a key. The request id is the one that its client was told.
 */
export function requestRecords(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, id: request_id, headers } = request;
    const about = {
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    };
    const { traceparent } = headers;
    requestAnswered.tell({ ...about, request_id, traceparent: typeof traceparent === 'string' ? traceparent : null });
    request.log.info({ request_id, ...about }, 'answered');
  });
}
