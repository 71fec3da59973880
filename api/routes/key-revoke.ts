/** DELETE /api/v1/keys/{id}: ends a key. */
import type { FastifyInstance } from 'fastify';
import { commandAccount } from '../../access/account-commands.ts';
import { OWNER, personOf } from '../../access/account-keys.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';

/** Answers 204, also for a key that was revoked before; 404 for somebody else's. Every process knows within a minute. */
export function keyRevokeRoute(server: FastifyInstance, context: RouteContext): void {
  server.delete<{ Params: { id: string } }>(
    '/api/v1/keys/:id',
    { onRequest: context.authorise('signed_in') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const command = { command: 'revoke_key', key_id: request.params.id } as const;
      await commandAccount(context, personOf(request), command, OWNER);
      return reply.code(204).send();
    },
  );
}
