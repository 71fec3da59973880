/** A request id on every answer, so that a user can quote it and we can find it in the log. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

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
