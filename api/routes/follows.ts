/**
 * What an account follows: POST, GET and DELETE /api/v1/follow; and its inbox: GET /api/v1/follow/inbox and POST
 * /api/v1/follow/inbox/read.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addFollow, removeFollow } from '../../access/subscriptions.ts';
import { linkBrands, readCursor } from '../../presentation/public-records.ts';
import { findTarget, loadAccountFollows, markItemsRead } from '../../presentation/subscriptions.ts';
import { countUnread, followDocument, type InboxEntry, inboxItems } from '../../projector/models/follows-queries.ts';
import { decodeCursor, encodeCursor } from '../../projector/models/query-parts.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { Cursor, wholeNumber, YesOrNo } from '../../schemas/parameters.ts';
import {
  FollowAnswer,
  FollowBody,
  FollowId,
  FollowList,
  InboxPage,
  ReadBody,
  Unread,
} from '../../schemas/subscriptions.ts';
import { followExample, signalExample } from '../description/examples.ts';
import { accountOf, addRoute, defineOperation, type RouteContext, sendJson, sendValue } from '../route.ts';

const followed = { schema: FollowAnswer, example: { follow: followExample } };

const OF_ACCOUNT = { tag: 'Follows', access: 'account' } as const;

const followTarget = defineOperation({
  method: 'post',
  path: '/api/v1/follow',
  id: 'addFollow',
  ...OF_ACCOUNT,
  summary: 'Follow a brand, theme, signal or source',
  description:
    'From now on each public signal about the target is delivered to the inbox of the account, once. Those of the 14 days before are there at once, as read. `slug` of a source is its id in the source health snapshot.',
  body: { schema: FollowBody, example: { target: { type: 'brand', slug: 'kiri-foods' }, channel: 'inbox' } },
  answers: {
    200: { description: 'The target is followed already.', ...followed },
    201: {
      description: 'The target is followed from now on.',
      ...followed,
      headers: { Location: 'Address of the follow, for DELETE' },
    },
  },
  errors: ['not_found'],
});

const listFollows = defineOperation({
  method: 'get',
  path: '/api/v1/follow',
  id: 'listFollows',
  ...OF_ACCOUNT,
  summary: "The account's follows",
  description: 'All of them, and how many items of the inbox are not read.',
  answers: {
    200: {
      description: 'The active follows, newest first.',
      schema: FollowList,
      example: { follows: [followExample], unread: 1 },
    },
  },
});

const endFollow = defineOperation({
  method: 'delete',
  path: '/api/v1/follow/{id}',
  id: 'removeFollow',
  ...OF_ACCOUNT,
  summary: 'End a follow',
  description: 'What it delivered stays in the inbox.',
  pathParameters: { id: { description: 'Id of the follow', example: followExample.id, schema: FollowId } },
  answers: { 204: { description: 'The follow has ended.' } },
});

export const FOLLOW_OPERATIONS = [followTarget, listFollows, endFollow];

/** Follow (201, or 200 for a target that is followed already), list, and end (204) follows of the caller's account. */
export function followRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl } = context;

  addRoute(server, context, followTarget, async ({ request, reply, body: { target, channel } }) => {
    if (channel !== 'inbox')
      throw new Refusal('invalid_request', `channel: ${quoted(channel)} comes in v2. Allowed: "inbox".`);
    const resolved = await findTarget(context, target.type, target.slug);
    const { follow, isNew } = await addFollow(context, accountOf(request), resolved);
    const document = followDocument(follow, follow.added_at, baseUrl);
    if (isNew) reply.header('location', `${baseUrl}/api/v1/follow/${document.id}`);
    return sendValue(reply.code(isNew ? 201 : 200), { follow: document });
  });

  addRoute(server, context, listFollows, async ({ request, reply }) => {
    const account = accountOf(request);
    const { active, waiting } = await loadAccountFollows(database, directory, account);
    const unread = await countUnread(database, account, waiting);
    const follows = active.map((follow) =>
      followDocument(follow, follow.added_at.toISOString(), baseUrl, follow.hasPage),
    );
    reply.header('cache-control', 'private, no-cache');
    return sendValue(reply, { follows, unread });
  });

  addRoute(server, context, endFollow, async ({ request, reply, parameters: { id } }) => {
    if (!FollowId.safeParse(id).success)
      throw new Refusal('not_found', `You have no follow ${quoted(id)}. GET /api/v1/follow lists them.`);
    await removeFollow(context, accountOf(request), id);
    return reply.code(204).send();
  });
}

const InboxQuery = z.strictObject({
  limit: wholeNumber(1, 50).default(20),
  cursor: Cursor.optional(),
  unread: YesOrNo.optional(),
});

const listInbox = defineOperation({
  method: 'get',
  path: '/api/v1/follow/inbox',
  id: 'listInbox',
  ...OF_ACCOUNT,
  summary: 'What the follows delivered, newest first',
  description: 'Ask for the next page with `cursor` until `next_cursor` is null.',
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
});

const readInbox = defineOperation({
  method: 'post',
  path: '/api/v1/follow/inbox/read',
  id: 'readInbox',
  ...OF_ACCOUNT,
  summary: 'Mark items as read',
  description: 'Send `ids`, or `up_to` for an item and everything that was delivered before it.',
  body: { schema: ReadBody, example: { up_to: signalExample.id } },
  answers: { 200: { description: 'The number of unread items.', schema: Unread, example: { unread: 0 } } },
  errors: ['not_found'],
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
    const [entries, left] = await Promise.all([
      inboxItems(database, { account, waiting, unread, limit, after }),
      countUnread(database, account, waiting),
    ]);
    const items = entries.slice(0, limit);
    const last = items.at(-1);
    const next = entries.length > limit && last ? encodeCursor([last.at, last.id]) : null;
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
    return sendValue(reply, { unread });
  });
}
