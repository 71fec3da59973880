/** GET /api/v1/signals/{slug}: one move in full. */
import type { FastifyInstance } from 'fastify';
import { batched } from '../../log/batch.ts';
import { findPublicSignal } from '../../presentation/public-records.ts';
import { findDocuments } from '../../projector/models/signals-queries.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { Slug } from '../../schemas/scalar.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers `{signal: SignalDetail}`; 301 when the slug was retired; 404 when no public signal has it. */
export function signalRoute(server: FastifyInstance, { database, baseUrl, authorise }: RouteContext): void {
  const documentOf = batched((slugs) => findDocuments(database, slugs));
  server.get<{ Params: { slug: string } }>(
    '/api/v1/signals/:slug',
    { onRequest: authorise('read') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const { slug } = request.params;
      reply.header('cache-control', 'private, no-cache');
      // What is no slug must not reach the others of its batch.
      const document = Slug.safeParse(slug).success ? await documentOf(slug) : null;
      if (document !== null) return sendJson(reply, `{"signal":${document}}`);
      const found = await findPublicSignal(database, slug);
      if ('redirect' in found) {
        const location = `${baseUrl}/api/v1/signals/${found.redirect}`;
        return reply.code(301).header('location', location).send();
      }
      return sendJson(reply, `{"signal":${found.document}}`);
    },
  );
}
