/**
 * One brand and its latest moves: GET /api/v1/brands/{slug}. Several side by side, Competitor Watch: GET /api/v1/watch
 * and /api/v1/watch.csv.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { prefersCsv, sendCsv, watchRows } from '../../presentation/csv.ts';
import { entityTag } from '../../presentation/http/http-caching.ts';
import { findPublicBrand, watchedBrands } from '../../presentation/public-records.ts';
import { competitorWatch } from '../../projector/models/brands-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { commaSeparated } from '../../schemas/parameters.ts';
import { BrandAnswer, FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, Watch } from '../../schemas/resources.ts';
import { BrandSlug } from '../../schemas/scalar.ts';
import { brandExample, retiredSlug, signalExample, watchExample } from '../description/examples.ts';
import { addRoute, asTable, defineOperation, type RouteContext, sendJson, sendValue } from '../route.ts';

const getBrand = defineOperation({
  method: 'get',
  path: '/api/v1/brands/{slug}',
  id: 'getBrand',
  tag: 'Brands',
  summary: 'One brand and its 10 latest moves',
  description: 'How many stories name the brand, its last 30 days by kind of move, and what it is reported with.',
  access: 'read',
  pathParameters: { slug: { description: 'Slug of the brand', example: 'kiri-foods' } },
  answers: {
    200: {
      description: 'The brand.',
      schema: BrandAnswer,
      example: { brand: brandExample, latest: [signalExample] },
    },
    301: retiredSlug,
  },
});

export const BRAND_OPERATIONS = [getBrand];

/** Answers `BrandAnswer`; 301 when the slug was retired; 404 when no brand has it. */
export function brandRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, getBrand, async ({ reply, parameters: { slug } }) => {
    const profile = await findPublicBrand(context, slug);
    reply.header('cache-control', 'private, no-cache');
    if ('redirect' in profile)
      return reply.code(301).header('location', `${context.baseUrl}/api/v1/brands/${profile.redirect}`).send();
    // The tag leaves out the time of the request, which ends the window of 30 days.
    const { last_30_days: window, ...brand } = profile.brand;
    reply.header('etag', entityTag(JSON.stringify([brand, window?.total, window?.by_move, profile.latest])));
    return sendJson(reply, `{"brand":${JSON.stringify(profile.brand)},"latest":[${profile.latest.join(',')}]}`);
  });
}

const days = z.union(WATCH_DAYS.map((day) => z.literal(day)));

const WatchQuery = z.strictObject({
  b: commaSeparated(
    BrandSlug,
    WATCH_BRANDS,
    `1 to ${WATCH_BRANDS} slugs of brands, separated by commas: "zudio,westside"`,
  ),
  days: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(days)
    .meta({ description: '7, 30 or 90', parameter: { type: 'integer', enum: [...WATCH_DAYS] } })
    .default(7),
});

const watchBrands = defineOperation({
  method: 'get',
  path: '/api/v1/watch',
  id: 'watchBrands',
  tag: 'Brands',
  summary: 'Competitor Watch: several brands side by side',
  description:
    'A free key watches up to 5 brands over 7 days, a Pro key up to 25 over 7, 30 or 90. A retired slug counts as the brand that it leads to. With `Accept: text/csv` the answer is that of `/api/v1/watch.csv`.',
  access: 'read',
  query: WatchQuery,
  queryExamples: { b: ['zudio', 'westside'], days: 7 },
  answers: { 200: { description: 'The brands in the order of the request.', schema: Watch, example: watchExample } },
  errors: ['pro_required'],
});

const watchBrandsTable = asTable(watchBrands, 'watchBrandsTable', watchRows(watchExample));

export const WATCH_OPERATIONS = [watchBrands, watchBrandsTable];

/** Checks the limits of a plan without Pro. @throws Refusal `pro_required` */
function checkPlan(plan: 'free' | 'pro', request: { readonly brands: number; readonly days: number }): void {
  if (plan === 'pro' || (request.brands <= FREE_WATCH.brands && request.days <= FREE_WATCH.days)) return;
  throw new Refusal(
    'pro_required',
    `A free key watches up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days; ` +
      `b named ${request.brands} and days was ${request.days}. ` +
      `Ask for less, or take Pro for up to ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.`,
  );
}

/** Answers `Watch`, or CSV; 400 for a slug that no brand has; 403 for what only Pro allows. */
export function watchRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, baseUrl, now } = context;
  for (const operation of [watchBrands, watchBrandsTable])
    addRoute(server, context, operation, async ({ request, reply, query }) => {
      checkPlan(request.access.plan, { brands: query.b.length, days: query.days });
      const brands = await watchedBrands(context, query.b);
      const watch = await competitorWatch(database, { brands, days: query.days, now: now(), baseUrl });
      reply.headers({ 'cache-control': 'private, no-cache', vary: 'Accept' });
      // The tag leaves out the time of the request, else no two answers would ever have the same tag.
      const tagOf = (form: string): string => entityTag(JSON.stringify([form, watch.window_days, watch.brands]));
      if (operation === watchBrandsTable || prefersCsv(request.headers.accept))
        return sendCsv(reply.header('etag', tagOf('csv')), 'watch', watchRows(watch));
      return sendValue(reply.header('etag', tagOf('json')), watch);
    });
}
