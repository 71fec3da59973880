/** GET /api/v1/brands/{slug}: one brand and its latest moves. */
import type { FastifyInstance } from 'fastify';
import { entityTag } from '../../presentation/http/entity-tags.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { BrandAnswer } from '../../schemas/brand.ts';
import { brandExample, retiredSlug, signalExample } from '../description/examples.ts';
import { addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

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
  errors: ['invalid_request', 'not_found'],
});

export const BRAND_OPERATIONS = [getBrand];

/** Answers `BrandAnswer`; 301 when the slug was retired; 404 when no brand has it. */
export function brandRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, getBrand, async ({ reply, parameters: { slug } }) => {
    const found = await findPublicBrand(context, slug);
    reply.header('cache-control', 'private, no-cache');
    if ('redirect' in found)
      return reply.code(301).header('location', `${context.baseUrl}/api/v1/brands/${found.redirect}`).send();
    // The tag leaves out the time of the request, which ends the window of 30 days.
    const { last_30_days: window, ...brand } = found.brand;
    reply.header('etag', entityTag(JSON.stringify([brand, window?.total, window?.by_move, found.latest])));
    return sendJson(reply, `{"brand":${JSON.stringify(found.brand)},"latest":[${found.latest.join(',')}]}`);
  });
}
