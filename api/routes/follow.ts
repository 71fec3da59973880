/** POST, GET and DELETE /api/v1/follow: what an account follows. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addFollow, type FollowCommand, removeFollow } from '../../access/follows.ts';
import { accountFollows, findTarget } from '../../presentation/follows.ts';
import { followDocument } from '../../projector/models/follows-queries.ts';
import { countUnread } from '../../projector/models/inbox-queries.ts';
import { seeOwnWrite } from '../../projector/wait.ts';
import { FollowBody, FollowId } from '../../schemas/follow.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { accountOf } from '../account-of.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

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
