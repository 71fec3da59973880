/** What an account follows: POST, GET and DELETE /api/v1/follow. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addFollow, type FollowCommand, removeFollow } from '../../access/follows.ts';
import { findTarget, loadAccountFollows } from '../../presentation/follows.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { countUnread, followDocument } from '../../projector/models/follows-queries.ts';
import { FollowAnswer, FollowBody, FollowId, FollowList } from '../../schemas/follow.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { followExample } from '../description/examples.ts';
import { accountOf, addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

const followed = { schema: FollowAnswer, example: { follow: followExample } };

const followTarget = defineOperation({
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
});

const listFollows = defineOperation({
  method: 'get',
  path: '/api/v1/follow',
  id: 'listFollows',
  tag: 'Follows',
  summary: "The account's follows",
  description: 'All of them, and how many items of the inbox are not read.',
  access: 'account',
  answers: {
    200: {
      description: 'The active follows, newest first.',
      schema: FollowList,
      example: { follows: [followExample], unread: 1 },
    },
  },
  errors: ['invalid_request'],
});

const endFollow = defineOperation({
  method: 'delete',
  path: '/api/v1/follow/{id}',
  id: 'removeFollow',
  tag: 'Follows',
  summary: 'End a follow',
  description: 'What it delivered stays in the inbox.',
  access: 'account',
  pathParameters: { id: { description: 'Id of the follow', example: followExample.id, schema: FollowId } },
  answers: { 204: { description: 'The follow has ended.' } },
  errors: ['invalid_request', 'not_found'],
});

export const FOLLOW_OPERATIONS = [followTarget, listFollows, endFollow];

/** Follow (201, or 200 for a target that is followed already), list, and end (204) follows of the caller's account. */
export function followRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, store, directory, baseUrl, now } = context;
  const commandOf = (request: FastifyRequest): FollowCommand => ({ store, account: accountOf(request), now: now() });

  addRoute(server, context, followTarget, async ({ request, reply, body: { target, channel } }) => {
    if (channel !== 'inbox')
      throw new Refusal('invalid_request', `channel: ${quoted(channel)} comes in v2. Allowed: "inbox".`);
    const found = await findTarget(context, target.type, target.slug);
    const { follow, isNew, position } = await addFollow(commandOf(request), found);
    await waitForOwnWrite(database, ['follows'], position);
    const document = followDocument(follow, follow.created_at, baseUrl);
    if (isNew) reply.header('location', `${baseUrl}/api/v1/follow/${document.id}`);
    return sendJson(reply.code(isNew ? 201 : 200), JSON.stringify({ follow: document }));
  });

  addRoute(server, context, listFollows, async ({ request, reply }) => {
    const account = accountOf(request);
    const { active, waiting } = await loadAccountFollows(database, directory, account);
    const unread = await countUnread(database, account, waiting);
    const follows = active.map((follow) =>
      followDocument(follow, follow.added_at.toISOString(), baseUrl, follow.hasPage),
    );
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, JSON.stringify({ follows, unread }));
  });

  addRoute(server, context, endFollow, async ({ request, reply, parameters: { id } }) => {
    if (!FollowId.safeParse(id).success)
      throw new Refusal('not_found', `You have no follow ${quoted(id)}. GET /api/v1/follow lists them.`);
    const position = await removeFollow(commandOf(request), id);
    await waitForOwnWrite(database, ['follows'], position);
    return reply.code(204).send();
  });
}
