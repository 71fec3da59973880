/** GET /api/v1/watch, and /api/v1/watch.csv: Competitor Watch. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { entityTag } from '../../presentation/http/entity-tags.ts';
import { competitorWatch } from '../../projector/models/competitor-watch-queries.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS } from '../../schemas/brand.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated, readParameters } from '../../schemas/parameters.ts';
import { Slug } from '../../schemas/scalar.ts';
import { prefersCsv, sendCsv, watchRows } from '../csv.ts';
import { watchedBrands } from '../named-brands.ts';
import { type RouteContext, sendJson } from '../route.ts';

const PATH = '/api/v1/watch';
const TABLE = `${PATH}.csv`;

const days = z.union(WATCH_DAYS.map((day) => z.literal(day)));

export const WatchQuery = z.strictObject({
  b: commaSeparated(Slug, WATCH_BRANDS, `1 to ${WATCH_BRANDS} slugs of brands, separated by commas: "zudio,westside"`),
  days: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(days)
    .meta({ description: '7, 30 or 90', parameter: { type: 'integer', enum: [...WATCH_DAYS] } })
    .default(7),
});

/** What a plan without Pro may ask for. @throws Refusal `pro_required` */
export function checkPlan(plan: 'free' | 'pro', asked: { readonly brands: number; readonly days: number }): void {
  if (plan === 'pro' || (asked.brands <= FREE_WATCH.brands && asked.days <= FREE_WATCH.days)) return;
  throw new Refusal(
    'pro_required',
    `A free key watches up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days; ` +
      `b named ${asked.brands} and days was ${asked.days}. ` +
      `Ask for less, or take Pro for up to ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.`,
  );
}

/** Answers `Watch`, or CSV; 400 for a slug that no brand has; 403 for what only Pro may ask. */
export function watchRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, baseUrl, authorise, now } = context;
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = readParameters(WatchQuery, request.query);
    checkPlan(request.access.plan, { brands: asked.b.length, days: asked.days });
    const brands = await watchedBrands(context, asked.b);
    const watch = await competitorWatch(database, { brands, days: asked.days, now: now(), baseUrl });
    reply.headers({ 'cache-control': 'private, no-cache', vary: 'Accept' });
    // The tag leaves out the moment of asking, else no two answers would ever count as the same.
    const tagOf = (form: string): string => entityTag(JSON.stringify([form, watch.window_days, watch.brands]));
    if (request.routeOptions.url === TABLE || prefersCsv(request.headers.accept))
      return sendCsv(reply.header('etag', tagOf('csv')), 'watch', watchRows(watch));
    reply.header('etag', tagOf('json'));
    return sendJson(reply, JSON.stringify(watch));
  };
  for (const path of [PATH, TABLE]) server.get(path, { onRequest: authorise('read') }, answer);
}
