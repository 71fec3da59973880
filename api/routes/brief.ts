/** GET /api/v1/brief: today's brief, filtered by brands, themes and hours. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { checkKnown } from '../../presentation/public-records.ts';
import { currentBrief } from '../../presentation/subscriptions.ts';
import { commaSeparated, wholeNumber } from '../../schemas/parameters.ts';
import { BrandSlug, Slug } from '../../schemas/scalar.ts';
import { Brief } from '../../schemas/subscriptions.ts';
import { briefItemExample } from '../description/examples.ts';
import { addRoute, defineOperation, type RouteContext, sendValue } from '../route.ts';

const MAXIMUM = 50;

const BriefQuery = z.strictObject({
  brands: commaSeparated(BrandSlug, MAXIMUM, `1 to ${MAXIMUM} slugs of brands, separated by commas`).optional(),
  themes: commaSeparated(Slug, MAXIMUM, `1 to ${MAXIMUM} slugs of themes, separated by commas`).optional(),
  hours: wholeNumber(1, 72).optional(),
});

const getBrief = defineOperation({
  method: 'get',
  path: '/api/v1/brief',
  id: 'getBrief',
  tag: 'Moves',
  summary: "Today's brief",
  description:
    'The brief of the latest 07:30 IST, as mailed; with `hours`, and on a younger record, of the hours until now. At most 12 moves, ranked by outlets, then by salience, then by how many accounts follow their brands, then the newest; never two on one event. Brands and themes given together must both match.',
  access: 'read',
  query: BriefQuery,
  queryExamples: { brands: ['zudio'], themes: ['store-expansion'], hours: 24 },
  answers: {
    200: {
      description: 'The brief.',
      schema: Brief,
      example: {
        date: '2026-11-21',
        label: 'Morning brief, Saturday 21 November 2026',
        window_hours: 24,
        until: '2026-11-21T02:00:00Z',
        filters: { brands: [], themes: [] },
        items: [briefItemExample],
      },
    },
  },
});

export const BRIEF_OPERATIONS = [getBrief];

/** Answers `Brief`. Brands and themes given together must both match. */
export function briefRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, getBrief, async ({ reply, query: { brands = [], themes = [], hours } }) => {
    await checkKnown(context, { brands: { brands }, themes: { themes } });
    reply.header('cache-control', 'private, no-cache');
    return sendValue(reply, (await currentBrief(context, { brands, themes, hours, now: context.now() })).brief);
  });
}
