/** POST /api/v1/keys/applications/{id}/approve and …/reject: an operator decides on an application. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { personOf, reviewApplication } from '../../access/account-keys.ts';
import { RejectionBody } from '../../schemas/key.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

type WithId = FastifyRequest<{ Params: { id: string } }>;

/**
 * Answers 200 `{application}` as it is then, also when it was decided so before; 404 for none, 400 for one that was
 * decided otherwise.
 */
export function keyApplicationReviewRoute(server: FastifyInstance, context: RouteContext): void {
  const guarded = { onRequest: context.authorise('operator') };
  server.post('/api/v1/keys/applications/:id/approve', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    readBody(NoParameters, request.body ?? {});
    const application = await reviewApplication(
      context,
      { command: 'approve', application_id: request.params.id },
      personOf(request).name,
    );
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
  server.post('/api/v1/keys/applications/:id/reject', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    const { why } = readBody(RejectionBody, request.body);
    const application = await reviewApplication(
      context,
      { command: 'reject', application_id: request.params.id, why },
      personOf(request).name,
    );
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
}
