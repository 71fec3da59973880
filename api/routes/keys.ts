/** GET /api/v1/keys: the caller's keys, their use, and the application for a first one. */
import type { FastifyInstance } from 'fastify';
import { keyList, personOf } from '../../access/account-keys.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers `KeyList`, keys newest first. */
export function keysRoute(server: FastifyInstance, context: RouteContext): void {
  server.get('/api/v1/keys', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const list = await keyList(context, personOf(request));
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });
}
