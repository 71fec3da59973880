/** GET /api/v1/follow/inbox and POST /api/v1/follow/inbox/read: what follows delivered, and what of it was read. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { accountFollows, readItems } from '../../presentation/follows.ts';
import { checkedCursor } from '../../presentation/public-records.ts';
import { countUnread, type InboxEntry, inboxItems } from '../../projector/models/inbox-queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/page-cursors.ts';
import { ReadBody } from '../../schemas/follow.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Cursor, NoParameters, readBody, readParameters, wholeNumber, YesOrNo } from '../../schemas/parameters.ts';
import { accountOf, type RouteContext, sendJson } from '../route.ts';

export const InboxQuery = z.strictObject({
  limit: wholeNumber(1, 50).default(20),
  cursor: Cursor.optional(),
  unread: YesOrNo.optional(),
});

/** The stored document of the signal goes out as it is. */
const itemText = ({ id, document, follows, delivered_at, read_at }: InboxEntry): string =>
  `{"id":${JSON.stringify(id)},"signal":${document},"follows":${JSON.stringify(follows)},` +
  `"delivered_at":${JSON.stringify(delivered_at)},"read_at":${JSON.stringify(read_at)}}`;

/** Answers `InboxPage`, the newest first, and takes note of what was read. */
export function inboxRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, authorise } = context;
  const guard = { onRequest: authorise('account') };

  server.get('/api/v1/follow/inbox', guard, async (request, reply) => {
    const { limit, cursor, unread = false } = readParameters(InboxQuery, request.query);
    const place = cursor === undefined ? null : checkedCursor(cursor, decodeCursor);
    const account = accountOf(request);
    const { waiting } = await accountFollows(database, directory, account);
    const after = place && { at: place[0], id: place[1] };
    const [found, left] = await Promise.all([
      inboxItems(database, { account, waiting, unread, limit, after }),
      countUnread(database, account, waiting),
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = found.length > limit && last ? encodeCursor([last.at, last.id]) : null;
    reply.header('cache-control', 'private, no-cache');
    const texts = items.map(itemText).join(',');
    return sendJson(reply, `{"items":[${texts}],"unread":${left},"next_cursor":${JSON.stringify(next)}}`);
  });

  server.post('/api/v1/follow/inbox/read', guard, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { ids, up_to } = readBody(ReadBody, request.body);
    if ((ids === undefined) === (up_to === undefined))
      throw new Refusal(
        'invalid_request',
        'Send one of ids and up_to: ids of items, or the item up to which all is read.',
      );
    const unread = await readItems(context, accountOf(request), up_to === undefined ? { ids: ids ?? [] } : { up_to });
    return sendJson(reply, JSON.stringify({ unread }));
  });
}
