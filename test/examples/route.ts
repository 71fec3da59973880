/** A route by example: GET /api/v1/deals. In the service it is `api/routes/deals.ts`. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addRoute, defineOperation, type RouteContext, sendJson } from '../../api/route.ts';
import { wholeNumber } from '../../schemas/parameters.ts';
import { DealItem, listDeals } from './deals/deals-queries.ts';

export const DealsAnswer = z.object({ deals: z.array(DealItem) });

/** The contract. Access says who may call; the query is strict, so an unknown parameter is refused by name. */
const listDealsOperation = defineOperation({
  method: 'get',
  path: '/api/v1/deals',
  id: 'listDeals',
  tag: 'Moves',
  summary: 'Latest deals, newest first',
  description: 'Deals of public signals.',
  access: 'read',
  query: z.strictObject({ limit: wholeNumber(1, 50).default(20) }),
  queryExamples: { limit: 20 },
  answers: {
    200: {
      description: 'The deals.',
      schema: DealsAnswer,
      example: { deals: [{ slug: 'kiri-foods-sells-a-stake', type: 'stake', amount: 'Rs 40 crore', target: null }] },
    },
  },
});

export const DEAL_OPERATIONS = [listDealsOperation];

/** Answers `DealsAnswer`. The guard of the access counts the call, and the query has passed its schema. */
export function dealRoutes(server: FastifyInstance, context: Pick<RouteContext, 'database' | 'authorise'>): void {
  addRoute(server, context, listDealsOperation, async ({ reply, query: { limit } }) =>
    sendJson(reply, JSON.stringify({ deals: await listDeals(context.database, limit) })),
  );
}
