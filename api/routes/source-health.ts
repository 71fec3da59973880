/** GET /api/v1/sources/health: how the roster does, for everybody. */
import type { FastifyInstance } from 'fastify';
import { entityTag } from '../../presentation/http-answers.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

/** Answers `HealthSnapshot`, cacheable for 60 seconds. */
export function sourceHealthRoute(server: FastifyInstance, { database, authorise, now }: RouteContext): void {
  server.get('/api/v1/sources/health', { onRequest: authorise('anonymous') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const snapshot = await healthSnapshot(database, now());
    // The tag leaves out the time of asking, else no two answers would ever count as the same.
    const { generated_at: _, ...content } = snapshot;
    reply.headers({ 'cache-control': 'public, max-age=60', etag: entityTag(JSON.stringify(content)) });
    return sendJson(reply, JSON.stringify(snapshot));
  });
}
