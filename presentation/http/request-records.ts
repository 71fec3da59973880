/** A request id in every answer, and one log line and one measurement for each answer. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { requestAnswered } from '../../schemas/observation.ts';

const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * The id of a request: the one its client sent, when that is 1 to 128 letters, digits, dots, colons, dashes or
 * underscores, else a new one.
 */
export const requestIdOf = (request: Pick<IncomingMessage, 'headers'>, newId: () => string): string => {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : newId();
};

/** Writes `X-Request-ID` on every answer of the server. */
export function requestIds(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}

/**
 * Records the route's pattern instead of the address, which may contain a question, and of the headers only
 * `traceparent`, since others may contain a key. The request id is the one in the answer.
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
    requestAnswered.emit({ ...about, request_id, traceparent: typeof traceparent === 'string' ? traceparent : null });
    request.log.info({ request_id, ...about }, 'answered');
  });
}
