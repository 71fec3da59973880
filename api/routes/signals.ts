/** GET /api/v1/signals: the latest moves, newest first. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  BrandSlug,
  Cursor,
  Moment,
  MoveKind,
  readParameters,
  ThemeSlug,
  wholeNumber,
  YesOrNo,
} from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { listPage } from '../list-page.ts';
import { sendJson } from '../send-json.ts';

/** Parameters of the list, as `interface.md` section 4 names them. */
export const SignalsQuery = z.strictObject({
  brand: BrandSlug.optional(),
  mentions: YesOrNo.optional(),
  theme: ThemeSlug.optional(),
  kind: MoveKind.optional(),
  since: Moment.optional(),
  limit: wholeNumber(1, 50).default(20),
  cursor: Cursor.optional(),
});

/** Answers `SignalPage`: stored documents joined as they are, never parsed. 400 names a bad parameter. */
export function signalsRoute(server: FastifyInstance, { database, authorise }: RouteContext): void {
  server.get('/api/v1/signals', { preHandler: authorise('read') }, async (request, reply) => {
    const { documents, next_cursor } = await listPage(database, readParameters(SignalsQuery, request.query));
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, `{"signals":[${documents.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`);
  });
}
