/** A route by example: GET /api/v1/deals. In the house it is `api/routes/deals.ts`. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type RouteContext, sendJson } from '../../api/route.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { listDeals } from './deals/queries.ts';

/** Strict: a parameter that is none is refused with its name. Each has words for the description of the API. */
const Parameters = z.strictObject({
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('most deals of the answer'),
});

/** Answers `{deals}`. The guard says who may call, and counts the call. */
export function dealsRoute(
  server: FastifyInstance,
  { database, authorise }: Pick<RouteContext, 'database' | 'authorise'>,
): void {
  server.get('/api/v1/deals', { onRequest: authorise('read') }, async (request, reply) => {
    const { limit } = readParameters(Parameters, request.query);
    return sendJson(reply, JSON.stringify({ deals: await listDeals(database, limit) }));
  });
}
