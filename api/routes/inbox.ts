/** The inbox of an account: GET /api/v1/follow/inbox and POST /api/v1/follow/inbox/read. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { loadAccountFollows, markItemsRead } from '../../presentation/follows.ts';
import { linkBrands, readCursor } from '../../presentation/public-records.ts';
import { countUnread, type InboxEntry, inboxItems } from '../../projector/models/follows-queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/query-parts.ts';
import { InboxPage, ReadBody, Unread } from '../../schemas/follow.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Cursor, wholeNumber, YesOrNo } from '../../schemas/parameters.ts';
import { followExample, signalExample } from '../description/examples.ts';
import { accountOf, addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

const InboxQuery = z.strictObject({
  limit: wholeNumber(1, 50).default(20),
  cursor: Cursor.optional(),
  unread: YesOrNo.optional(),
});

const listInbox = defineOperation({
  method: 'get',
  path: '/api/v1/follow/inbox',
  id: 'listInbox',
  tag: 'Follows',
  summary: 'What the follows delivered, newest first',
  description: 'Ask for the next page with `cursor` until `next_cursor` is null.',
  access: 'account',
  query: InboxQuery,
  queryExamples: { limit: 20, unread: true },
  answers: {
    200: {
      description: 'A page of the inbox.',
      schema: InboxPage,
      example: {
        items: [
          {
            id: signalExample.id,
            signal: signalExample,
            follows: [followExample.id],
            delivered_at: signalExample.published_at,
            read_at: null,
          },
        ],
        unread: 1,
        next_cursor: null,
      },
    },
  },
  errors: ['invalid_request'],
});

const readInbox = defineOperation({
  method: 'post',
  path: '/api/v1/follow/inbox/read',
  id: 'readInbox',
  tag: 'Follows',
  summary: 'Mark items as read',
  description: 'Send `ids`, or `up_to` for an item and everything that was delivered before it.',
  access: 'account',
  body: { schema: ReadBody, example: { up_to: signalExample.id } },
  answers: { 200: { description: 'The number of unread items.', schema: Unread, example: { unread: 0 } } },
  errors: ['invalid_request', 'not_found'],
});

export const INBOX_OPERATIONS = [listInbox, readInbox];

/** @param document of the signal, as text */
const itemText = ({ id, follows, delivered_at, read_at }: InboxEntry, document: string): string =>
  `{"id":${JSON.stringify(id)},"signal":${document},"follows":${JSON.stringify(follows)},` +
  `"delivered_at":${JSON.stringify(delivered_at)},"read_at":${JSON.stringify(read_at)}}`;

/** Answers `InboxPage`, newest first, and marks items as read. */
export function inboxRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory } = context;

  addRoute(server, context, listInbox, async ({ request, reply, query: { limit, cursor, unread = false } }) => {
    const place = cursor === undefined ? null : readCursor(cursor, decodeCursor);
    const account = accountOf(request);
    const { waiting } = await loadAccountFollows(database, directory, account);
    const after = place && { at: place[0], id: place[1] };
    const [found, left] = await Promise.all([
      inboxItems(database, { account, waiting, unread, limit, after }),
      countUnread(database, account, waiting),
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = found.length > limit && last ? encodeCursor([last.at, last.id]) : null;
    reply.header('cache-control', 'private, no-cache');
    const documents = await linkBrands(
      context,
      items.map(({ document }) => document),
    );
    const texts = items.map((item, index) => itemText(item, documents[index] ?? item.document)).join(',');
    return sendJson(reply, `{"items":[${texts}],"unread":${left},"next_cursor":${JSON.stringify(next)}}`);
  });

  addRoute(server, context, readInbox, async ({ request, reply, body: { ids, up_to } }) => {
    if ((ids === undefined) === (up_to === undefined))
      throw new Refusal(
        'invalid_request',
        'Send one of ids and up_to: ids of items, or the item up to which all is read.',
      );
    const unread = await markItemsRead(
      context,
      accountOf(request),
      up_to === undefined ? { ids: ids ?? [] } : { up_to },
    );
    return sendJson(reply, JSON.stringify({ unread }));
  });
}
