/** Sharing of sessions, and turns of shared ones. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findTurn, shareSession } from '../../answer/ask.ts';
import { seeOwnWrite } from '../../projector/wait.ts';
import { SessionId } from '../../schemas/ask.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { accountOf } from '../account-of.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';

const SHARE = '/api/v1/ask/sessions/:session_id/share';

/** POST and DELETE …/share answer `ShareAnswer`; GET /api/v1/ask/{session_slug}/{turn_ordinal} answers `SharedTurn`. */
export function askSessionsRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, store, baseUrl, authorise, now } = context;
  const change = async (
    request: FastifyRequest<{ Params: { session_id: string } }>,
    share: boolean,
  ): Promise<string> => {
    readParameters(NoParameters, request.query);
    const id = request.params.session_id;
    if (!SessionId.safeParse(id).success) throw new Refusal('not_found', 'You have no session of this id.');
    const command = { id, account: accountOf(request), share, now: now() };
    const { session, position } = await shareSession(store, command);
    await seeOwnWrite(database, ['sessions'], position);
    return JSON.stringify({ public: session.is_public, url: `${baseUrl}/ask/${session.slug}/${session.turns.length}` });
  };
  const guard = { onRequest: authorise('account') };
  server.post<{ Params: { session_id: string } }>(SHARE, guard, async (request, reply) =>
    sendJson(reply, await change(request, true)),
  );
  server.delete<{ Params: { session_id: string } }>(SHARE, guard, async (request, reply) =>
    sendJson(reply, await change(request, false)),
  );

  server.get<{ Params: { session_slug: string; turn_ordinal: string } }>(
    '/api/v1/ask/:session_slug/:turn_ordinal',
    { onRequest: authorise('anonymous') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const { session_slug: slug, turn_ordinal: ordinal } = request.params;
      const isAddress = /^[a-z0-9-]{1,120}$/.test(slug) && /^[1-9]\d{0,3}$/.test(ordinal);
      const found = isAddress ? await findTurn(database, slug, Number(ordinal), request.access.account) : null;
      if (!found) throw new Refusal('not_found', 'No shared session has this turn.');
      reply.header('cache-control', 'private, no-cache');
      return sendJson(reply, JSON.stringify(found));
    },
  );
}
