/** Quality: GET /api/v1/quality. */
import type { FastifyInstance } from 'fastify';
import { entityTag } from '../../presentation/http/entity-tags.ts';
import { qualityOf } from '../../presentation/quality.ts';
import { Quality } from '../../schemas/quality.ts';
import { qualityExample } from '../description/examples.ts';
import { addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

const getQuality = defineOperation({
  method: 'get',
  path: '/api/v1/quality',
  id: 'getQuality',
  tag: 'Documents',
  summary: 'How right, complete and fresh the record is',
  description:
    'Precision by what operators judged of random samples, recall by the Oracle, delays by recorded times, the figures measured before the release, and the latest corrections; shares have 95 % intervals. May be cached for 300 seconds.',
  access: 'anonymous',
  answers: { 200: { description: 'The figures.', schema: Quality, example: qualityExample } },
  errors: ['invalid_request'],
});

export const QUALITY_OPERATIONS = [getQuality];

/** Answers `Quality`, cacheable for five minutes. */
export function qualityRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, getQuality, async ({ reply }) => {
    const quality = await qualityOf(context.database, context.now(), context.baseUrl);
    // The tag leaves out the time of the request, else no two answers would ever have the same tag.
    const { generated_at: _, ...content } = quality;
    reply.headers({ 'cache-control': 'public, max-age=300', etag: entityTag(JSON.stringify(content)) });
    return sendJson(reply, JSON.stringify(quality));
  });
}
