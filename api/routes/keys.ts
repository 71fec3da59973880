/** GET /api/v1/keys: the caller's keys, their use, and the application for a first one. */
import type { FastifyInstance } from 'fastify';
import { peek } from '../../access/quota/charge.ts';
import { CALLS, callWindows } from '../../access/quota/limits.ts';
import { findAccount } from '../../projector/models/accounts/queries.ts';
import type { KeyList } from '../../schemas/key.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { applicationDocument, keyDocument } from '../keys/documents.ts';
import { personOf } from '../keys/person.ts';
import { sendJson } from '../send-json.ts';

/** Answers `KeyList`, keys newest first. */
export function keysRoute(server: FastifyInstance, { database, authorise, now }: RouteContext): void {
  server.get('/api/v1/keys', { preHandler: authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { id, name } = personOf(request);
    const found = await findAccount(database, id);
    const plan = found?.plan ?? 'free';
    const { windows } = await peek(database, callWindows(id, CALLS[plan]));
    const [minute, day] = windows.map(({ used, max, endsAt }) => ({ used, max, resets_at: endsAt.toISOString() }));
    if (!minute || !day) throw new RangeError('calls have a minute and a day');
    const list: KeyList = {
      account: { id, name, plan },
      usage: { minute, day },
      application: found?.application ? applicationDocument(found.application) : null,
      keys: (found?.keys ?? []).map((key) => keyDocument(key, now())).toReversed(),
    };
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });
}
