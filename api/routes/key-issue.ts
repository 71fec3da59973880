/** POST /api/v1/keys: makes a key, shown this once. */
import type { FastifyInstance } from 'fastify';
import { makeKey, personOf } from '../../access/account-keys.ts';
import { KeyBody } from '../../schemas/key.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers 201 `IssuedKey`; 403 when the plan or a missing approval stands against it. */
export function keyIssueRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/keys', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { tokenScopes = null } = request.access;
    const answer = await makeKey(context, personOf(request), readBody(KeyBody, request.body), tokenScopes);
    reply.header('location', `${context.baseUrl}/api/v1/keys/${answer.details.id}`);
    return sendJson(reply.code(201).header('cache-control', 'no-store'), JSON.stringify(answer));
  });
}
