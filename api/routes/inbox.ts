/** GET /api/v1/follow/inbox and POST /api/v1/follow/inbox/read: what follows delivered, and what of it was read. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { countUnread, findItems, type InboxEntry, inboxItems } from '../../projector/models/inbox/queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/signals/cursor.ts';
import { ReadBody } from '../../schemas/follow.ts';
import { Cursor, NoParameters, readParameters, wholeNumber, YesOrNo } from '../../schemas/parameters.ts';
import { Refusal } from '../../schemas/refusal.ts';
import { accountOf } from '../account-of.ts';
import { checkedCursor } from '../checked-cursor.ts';
import type { RouteContext } from '../context.ts';
import { markRead } from '../follows/command.ts';
import { accountFollows } from '../follows/waiting.ts';
import { seeOwnWrite } from '../read-own-write.ts';
import { sendJson } from '../send-json.ts';

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
  const { database, store, directory, authorise, now } = context;
  const guard = { preHandler: authorise('account') };

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
    const { ids, up_to } = readParameters(ReadBody, request.body);
    if ((ids === undefined) === (up_to === undefined))
      throw new Refusal(
        'invalid_request',
        'Send one of ids and up_to: ids of items, or the item up to which all is read.',
      );
    const account = accountOf(request);
    const { waiting } = await accountFollows(database, directory, account);
    const wanted = ids ?? (up_to === undefined ? [] : [up_to]);
    const found = await findItems(database, account, waiting, wanted);
    const missing = wanted.filter((id) => !found.some((item) => item.id === id));
    if (missing.length > 0) throw new Refusal('not_found', `Your inbox has no item ${missing.slice(0, 5).join(', ')}.`);
    const mark = up_to === undefined ? undefined : found[0];
    const fresh = found.filter(({ read_at }) => read_at === null).map(({ id }) => id);
    if (mark || fresh.length > 0) {
      const marked = mark ? { delivered_at: mark.delivered_at.toISOString(), signal_id: mark.id } : null;
      const command = { store, account, requestId: request.id, now: now() };
      const position = await markRead(command, { signal_ids: mark ? [] : fresh, up_to: marked });
      await seeOwnWrite(database, ['inbox_reads'], position);
    }
    return sendJson(reply, JSON.stringify({ unread: await countUnread(database, account, waiting) }));
  });
}
