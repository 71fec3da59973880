/** GET /api/v1/signals/{slug}: one move in full. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findSignal } from '../../projector/models/signals/queries.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { quoted, Refusal } from '../../schemas/refusal.ts';
import { Slug } from '../../schemas/scalar.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

const NoQuery = z.strictObject({});

/** Answers `{signal: SignalDetail}`; 301 when the slug was retired; 404 when no public signal has it. */
export function signalRoute(server: FastifyInstance, { database, baseUrl, authorise }: RouteContext): void {
  server.get<{ Params: { slug: string } }>(
    '/api/v1/signals/:slug',
    { preHandler: authorise('read') },
    async (request, reply) => {
      readParameters(NoQuery, request.query);
      const { slug } = request.params;
      // What is no slug cannot be found, and must not reach the database, which refuses some characters.
      const found = Slug.safeParse(slug).success ? await findSignal(database, slug) : null;
      if (!found)
        throw new Refusal(
          'not_found',
          `No public signal has the slug ${quoted(slug)}. GET /api/v1/signals lists them.`,
        );
      reply.header('cache-control', 'private, no-cache');
      if ('redirect' in found) {
        const location = `${baseUrl}/api/v1/signals/${found.redirect}`;
        return reply.code(301).header('location', location).send();
      }
      return sendJson(reply, `{"signal":${found.document}}`);
    },
  );
}
