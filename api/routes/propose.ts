/** POST /api/v1/sources/propose: suggests a source for the catalogue. */
import type { FastifyInstance } from 'fastify';
import { proposeSource } from '../../ingest/roster/source-proposals.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { ProposeBody } from '../../schemas/proposal.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers 202 while the proposal waits to be looked at, 200 when it was decided or the roster has the source. */
export function proposeRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/sources/propose', { onRequest: context.authorise('anonymous') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const proposal = await proposeSource(context, readBody(ProposeBody, request.body));
    // Once it is accepted, the page of sources lists it.
    if (proposal.status === 'pending') reply.header('location', `${context.baseUrl}/sources`);
    return sendJson(reply.code(proposal.status === 'pending' ? 202 : 200), JSON.stringify({ proposal }));
  });
}
