/** POST /api/v1/keys: makes a key, shown this once. */
import type { FastifyInstance } from 'fastify';
import { commandAccount } from '../../access/account/own-write.ts';
import { newKey } from '../../access/keys/new-key.ts';
import type { IssuedKey } from '../../schemas/key.ts';
import { KeyBody } from '../../schemas/key.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { keyDocument } from '../keys/documents.ts';
import { OWNER, personOf } from '../keys/person.ts';
import { sendJson } from '../send-json.ts';

/** Answers 201 `IssuedKey`; 403 when the plan or a missing approval stands against it. */
export function keyIssueRoute(server: FastifyInstance, context: RouteContext): void {
  const { authorise, now } = context;
  server.post('/api/v1/keys', { preHandler: authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { name, scopes = null, expires_at = null } = readParameters(KeyBody, request.body);
    const { key, ...kept } = newKey();
    const command = { command: 'issue_key', key: kept, name, scopes, expires_at, plan: null } as const;
    const { account, events } = await commandAccount(context, personOf(request), command, OWNER);
    const issued = account.keys.find(({ id }) => id === kept.id);
    const row = {
      ...kept,
      name,
      scopes: issued?.scopes ?? [],
      created_at: events.at(-1)?.time ?? now().toISOString(),
      expires_at,
      revoked_at: null,
    };
    const answer: IssuedKey = { key, details: keyDocument(row, now()) };
    return sendJson(reply.code(201).header('cache-control', 'no-store'), JSON.stringify(answer));
  });
}
