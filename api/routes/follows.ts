/** What an account follows: POST, GET and DELETE /api/v1/follow. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addFollow, type FollowCommand, removeFollow } from '../../access/follows.ts';
import { accountFollows, findTarget } from '../../presentation/follows.ts';
import { seeOwnWrite } from '../../projector/model-progress.ts';
import { followDocument } from '../../projector/models/follows-queries.ts';
import { countUnread } from '../../projector/models/inbox-queries.ts';
import { FollowAnswer, FollowBody, FollowId, FollowList, InboxPage, ReadBody, Unread } from '../../schemas/follow.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { followExample, signalExample } from '../description/examples.ts';
import { accountOf, type Operation, type RouteContext, sendJson } from '../route.ts';
import { InboxQuery } from './inbox.ts';

// Follows and the inbox.

const followed = { schema: FollowAnswer, example: { follow: followExample } };

export const FOLLOW_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/follow',
    id: 'addFollow',
    tag: 'Follows',
    summary: 'Follow a brand, theme, signal or source',
    description:
      'From now on each public signal about the target is delivered to the inbox of the account, once. `slug` of a source is its id in the source health snapshot.',
    access: 'account',
    body: { schema: FollowBody, example: { target: { type: 'brand', slug: 'kiri-foods' }, channel: 'inbox' } },
    answers: {
      200: { description: 'The target is followed already.', ...followed },
      201: {
        description: 'The target is followed from now on.',
        ...followed,
        headers: { Location: 'Address of the follow, for DELETE' },
      },
    },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'get',
    path: '/api/v1/follow',
    id: 'listFollows',
    tag: 'Follows',
    summary: "The account's follows",
    description: 'All of them, and how many items of the inbox are not read.',
    access: 'account',
    answers: {
      200: {
        description: 'The follows in force, the newest first.',
        schema: FollowList,
        example: { follows: [followExample], unread: 1 },
      },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'delete',
    path: '/api/v1/follow/{id}',
    id: 'removeFollow',
    tag: 'Follows',
    summary: 'End a follow',
    description: 'What it delivered stays in the inbox.',
    access: 'account',
    pathParameters: { id: { description: 'Id of the follow', example: followExample.id, schema: FollowId } },
    answers: { 204: { description: 'It is ended.' } },
    errors: ['invalid_request', 'not_found'],
  },
  {
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
  },
  {
    method: 'post',
    path: '/api/v1/follow/inbox/read',
    id: 'readInbox',
    tag: 'Follows',
    summary: 'Mark items as read',
    description: 'Send `ids`, or `up_to` for an item and everything that was delivered before it.',
    access: 'account',
    body: { schema: ReadBody, example: { up_to: signalExample.id } },
    answers: { 200: { description: 'What is left.', schema: Unread, example: { unread: 0 } } },
    errors: ['invalid_request', 'not_found'],
  },
];

// POST, GET and DELETE /api/v1/follow: what an account follows.

/** Follow (201, or 200 for what is followed already), list, and end (204) follows of the caller's account. */
export function followRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, store, directory, baseUrl, authorise, now } = context;
  const guard = { onRequest: authorise('account') };
  const commandOf = (request: FastifyRequest): FollowCommand => ({
    store,
    account: accountOf(request),
    now: now(),
  });

  server.post('/api/v1/follow', guard, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { target, channel } = readBody(FollowBody, request.body);
    if (channel !== 'inbox')
      throw new Refusal('invalid_request', `channel: ${quoted(channel)} comes in v2. Allowed: "inbox".`);
    const found = await findTarget(context, target.type, target.slug);
    const { follow, isNew, position } = await addFollow(commandOf(request), found);
    await seeOwnWrite(database, ['follows'], position);
    const document = followDocument(follow, follow.created_at, baseUrl);
    if (isNew) reply.header('location', `${baseUrl}/api/v1/follow/${document.id}`);
    return sendJson(reply.code(isNew ? 201 : 200), JSON.stringify({ follow: document }));
  });

  server.get('/api/v1/follow', guard, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const account = accountOf(request);
    const { active, waiting } = await accountFollows(database, directory, account);
    const unread = await countUnread(database, account, waiting);
    const follows = active.map((follow) => followDocument(follow, follow.added_at.toISOString(), baseUrl));
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, JSON.stringify({ follows, unread }));
  });

  server.delete<{ Params: { id: string } }>('/api/v1/follow/:id', guard, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { id } = request.params;
    if (!FollowId.safeParse(id).success)
      throw new Refusal('not_found', `You have no follow ${quoted(id)}. GET /api/v1/follow lists them.`);
    const position = await removeFollow(commandOf(request), id);
    await seeOwnWrite(database, ['follows'], position);
    return reply.code(204).send();
  });
}
