/** POST /api/v1/keys/applications: applies for a first free key, which an operator reviews. */
import type { FastifyInstance } from 'fastify';
import { commandAccount } from '../../access/account-commands.ts';
import { OWNER, personOf } from '../../access/account-keys.ts';
import { ApplicationBody } from '../../schemas/key.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers 202 `{application: {id, status}}`; 200 with the one that is open or approved already. */
export function keyApplicationRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/keys/applications', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const body = readBody(ApplicationBody, request.body);
    const { account, events } = await commandAccount(context, personOf(request), { command: 'apply', ...body }, OWNER);
    // The list of the account's keys says how its application stands.
    if (events.length > 0) reply.header('location', `${context.baseUrl}/api/v1/keys`);
    return sendJson(
      reply.code(events.length > 0 ? 202 : 200).header('cache-control', 'no-store'),
      JSON.stringify({ application: account.application }),
    );
  });
}
