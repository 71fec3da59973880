/** POST /sign-out: ends the session of this browser. */
import type { FastifyInstance } from 'fastify';
import { formRoutes } from '../forms.ts';
import type { Site } from '../site.ts';

/** Leads to the front page, also somebody who was not signed in. */
export function signOutPage(server: FastifyInstance, site: Site): void {
  formRoutes(server, site, (own) => {
    own.post('/sign-out', async (request, reply) =>
      reply.header('set-cookie', [...(await site.sessions.end(request.headers))]).redirect('/', 303),
    );
  });
}
