/** POST /api/v1/keys/applications/{id}/approve and …/reject: an operator decides on an application. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccountCommand } from '../../access/account/command.ts';
import { commandAccount } from '../../access/account/own-write.ts';
import { findAccount, ownerOfApplication } from '../../projector/models/accounts/queries.ts';
import { ApplicationId } from '../../schemas/access.ts';
import { RejectionBody, type ReviewedApplication } from '../../schemas/key.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { quoted, Refusal } from '../../schemas/refusal.ts';
import type { RouteContext } from '../context.ts';
import { reviewedApplication } from '../keys/documents.ts';
import { personOf } from '../keys/person.ts';
import { sendJson } from '../send-json.ts';

type WithId = FastifyRequest<{ Params: { id: string } }>;

/**
 * Answers 200 `{application}` as it is then, also when it was decided so before; 404 for none, 400 for one that was
 * decided otherwise.
 */
export function keyApplicationReviewRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, authorise } = context;

  async function review(request: WithId, command: AccountCommand): Promise<ReviewedApplication> {
    const { id } = request.params;
    const none = new Refusal(
      'not_found',
      `There is no application ${quoted(id)}. GET /api/v1/keys/applications lists.`,
    );
    const owner = ApplicationId.safeParse(id).success ? await ownerOfApplication(database, id) : null;
    const account = owner === null ? null : await findAccount(database, owner);
    if (!account) throw none;
    const operator = { role: 'operator', by: `operator ${personOf(request).name}` } as const;
    await commandAccount(context, { id: account.id, name: account.name ?? account.id }, command, operator);
    const after = await findAccount(database, account.id);
    const application = after && reviewedApplication(after);
    if (!application) throw none;
    return application;
  }

  const guarded = { preHandler: authorise('operator') };
  server.post('/api/v1/keys/applications/:id/approve', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    readParameters(NoParameters, request.body ?? {});
    const application = await review(request, { command: 'approve', application_id: request.params.id });
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
  server.post('/api/v1/keys/applications/:id/reject', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    const { why } = readParameters(RejectionBody, request.body);
    const application = await review(request, { command: 'reject', application_id: request.params.id, why });
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
}
