/** GET /api/v1/brief: today's brief, narrowed where wanted. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { dailyBrief } from '../../presentation/daily-brief.ts';
import { commaSeparated, readParameters, wholeNumber } from '../../schemas/parameters.ts';
import { Slug } from '../../schemas/scalar.ts';
import { checkKnown } from '../named-brands.ts';
import { type RouteContext, sendJson } from '../route.ts';

const MOST = 50;

export const BriefQuery = z.strictObject({
  brands: commaSeparated(Slug, MOST, `1 to ${MOST} slugs of brands, separated by commas`).optional(),
  themes: commaSeparated(Slug, MOST, `1 to ${MOST} slugs of themes, separated by commas`).optional(),
  hours: wholeNumber(1, 72).default(24),
});

/** Answers `Brief`. Brands and themes given together both have to fit. */
export function briefRoute(server: FastifyInstance, context: RouteContext): void {
  const { authorise, now } = context;
  server.get('/api/v1/brief', { onRequest: authorise('read') }, async (request, reply) => {
    const { brands = [], themes = [], hours } = readParameters(BriefQuery, request.query);
    await checkKnown(context, { brands: { brands }, themes: { themes } });
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, JSON.stringify(await dailyBrief(context, { brands, themes, hours, now: now() })));
  });
}
