/** GET /api/v1/brands/{slug}: one brand and its latest moves. */
import type { FastifyInstance } from 'fastify';
import { entityTag } from '../../presentation/http/entity-tags.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { type RouteContext, sendJson } from '../route.ts';

/** Answers `BrandAnswer`; 301 when the slug was retired; 404 when no brand has it. */
export function brandRoute(server: FastifyInstance, context: RouteContext): void {
  server.get<{ Params: { slug: string } }>(
    '/api/v1/brands/:slug',
    { onRequest: context.authorise('read') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const found = await findPublicBrand(context, request.params.slug);
      reply.header('cache-control', 'private, no-cache');
      if ('redirect' in found)
        return reply.code(301).header('location', `${context.baseUrl}/api/v1/brands/${found.redirect}`).send();
      // The tag leaves out the moment of asking, which ends the window of 30 days.
      const { last_30_days: window, ...brand } = found.brand;
      reply.header('etag', entityTag(JSON.stringify([brand, window?.total, window?.by_move, found.latest])));
      return sendJson(reply, `{"brand":${JSON.stringify(found.brand)},"latest":[${found.latest.join(',')}]}`);
    },
  );
}
