/** GET /api/v1/keys/applications: applications for first free keys, for operators. */
import type { FastifyInstance } from 'fastify';
import { reviewedApplication } from '../../access/account-keys.ts';
import { listAccounts } from '../../projector/models/accounts-queries.ts';
import { type ApplicationList, ApplicationsQuery } from '../../schemas/key.ts';
import { readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers `ApplicationList`, the oldest first: the newest application of each account that is in the state asked for. */
export function keyApplicationsRoute(server: FastifyInstance, { database, authorise }: RouteContext): void {
  server.get('/api/v1/keys/applications', { onRequest: authorise('operator') }, async (request, reply) => {
    const { status } = readParameters(ApplicationsQuery, request.query);
    const accounts = await listAccounts(database, { application: status });
    const applications = accounts
      .flatMap((account) => reviewedApplication(account) ?? [])
      .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
    const list: ApplicationList = { applications };
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });
}
