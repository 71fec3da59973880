/** The keys of an account: GET and POST /api/v1/keys, DELETE /api/v1/keys/{id}. */
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { commandAccount } from '../../access/account-commands.ts';
import { keyList, makeKey, OWNER, personOf } from '../../access/account-keys.ts';
import { KeyId } from '../../schemas/access.ts';
import { IssuedKey, KeyBody, KeyList } from '../../schemas/key.ts';
import { addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

const resets_at = '2026-11-22T04:30:00Z';
const key: z.infer<typeof IssuedKey>['details'] = {
  id: 'key_1d7f0c5b9e3a6824',
  name: 'Morning report',
  ending: 'x7Qa',
  scopes: ['read'],
  status: 'active',
  created_at: '2026-11-21T04:30:00Z',
  expires_at: null,
  revoked_at: null,
};

const listKeys = defineOperation({
  method: 'get',
  path: '/api/v1/keys',
  id: 'listKeys',
  tag: 'Keys',
  summary: 'The keys of the account and the use of its limits',
  description:
    'Keys that were revoked or have expired are listed too; of each only the last four characters are known.',
  access: 'signed_in',
  answers: {
    200: {
      description: 'Keys, newest first.',
      schema: KeyList,
      example: {
        account: { id: 'acc_0b8f2a6d4c1e9735', name: 'asha@kiri.example', plan: 'free' },
        usage: { minute: { used: 1, max: 30, resets_at }, day: { used: 12, max: 100, resets_at } },
        application: null,
        keys: [key],
      },
    },
  },
  errors: ['invalid_request'],
});

const issueKey = defineOperation({
  method: 'post',
  path: '/api/v1/keys',
  id: 'issueKey',
  tag: 'Keys',
  summary: 'Make a key; it is shown this once',
  description: 'A first free key needs an approved application.',
  access: 'signed_in',
  body: { schema: KeyBody, example: { name: 'Morning report', scopes: ['read'] } },
  answers: {
    201: {
      description: 'The key.',
      headers: { Location: 'Address of the key, for DELETE' },
      schema: IssuedKey,
      example: { key: `ck_live_${'0'.repeat(28)}x7Qa`, details: key },
    },
  },
  errors: ['invalid_request', 'pro_required'],
});

const revokeKey = defineOperation({
  method: 'delete',
  path: '/api/v1/keys/{id}',
  id: 'revokeKey',
  tag: 'Keys',
  summary: 'Revoke a key',
  description: 'Every process knows within a minute.',
  access: 'signed_in',
  pathParameters: { id: { description: 'Id of the key', example: key.id, schema: KeyId } },
  answers: { 204: { description: 'The key is revoked.' } },
  errors: ['invalid_request', 'not_found'],
});

export const KEY_OPERATIONS = [listKeys, issueKey, revokeKey];

/**
 * Lists keys, newest first, issues (201; 403 when the plan or a missing approval does not allow it) and revokes them
 * (204, also for a key that was revoked before; 404 for a key of another account).
 */
export function keyRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, listKeys, async ({ request, reply }) => {
    const list = await keyList(context, personOf(request));
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });

  addRoute(server, context, issueKey, async ({ request, reply, body }) => {
    const { tokenScopes = null } = request.access;
    const answer = await makeKey(context, personOf(request), body, tokenScopes);
    reply.header('location', `${context.baseUrl}/api/v1/keys/${answer.details.id}`);
    return sendJson(reply.code(201).header('cache-control', 'no-store'), JSON.stringify(answer));
  });

  addRoute(server, context, revokeKey, async ({ request, reply, parameters: { id } }) => {
    await commandAccount(context, personOf(request), { command: 'revoke_key', key_id: id }, OWNER);
    return reply.code(204).send();
  });
}
