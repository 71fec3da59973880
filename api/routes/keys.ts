/** The keys of an account: GET and POST /api/v1/keys, DELETE /api/v1/keys/{id}. */

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { commandAccount } from '../../access/account-commands.ts';
import { keyList, makeKey, OWNER, personOf } from '../../access/account-keys.ts';
import { KeyId } from '../../schemas/access.ts';
import { ApplicationBody, ApplicationDocument, IssuedKey, KeyBody, KeyList } from '../../schemas/key.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { type Operation, type RouteContext, sendJson } from '../route.ts';

// Keys and the application for a first one.

const TAG = 'Keys';
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
const application = { id: 'app_77c1e0b2d94f5a38', status: 'pending' };

export const ApplicationAnswer = z.object({ application: ApplicationDocument.pick({ id: true, status: true }) });

export const KEY_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/keys',
    id: 'listKeys',
    tag: TAG,
    summary: 'The keys of the account and what of its limits is used',
    description:
      'Keys that were revoked or have expired are listed too; of each only the last four characters are known.',
    access: 'signed_in',
    answers: {
      200: {
        description: 'Keys, the newest first.',
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
  },
  {
    method: 'post',
    path: '/api/v1/keys',
    id: 'issueKey',
    tag: TAG,
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
  },
  {
    method: 'delete',
    path: '/api/v1/keys/{id}',
    id: 'revokeKey',
    tag: TAG,
    summary: 'Revoke a key',
    description: 'Every process knows within a minute.',
    access: 'signed_in',
    pathParameters: { id: { description: 'Id of the key', example: key.id, schema: KeyId } },
    answers: { 204: { description: 'It is revoked.' } },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'post',
    path: '/api/v1/keys/applications',
    id: 'applyForKey',
    tag: TAG,
    summary: 'Apply for a first free key',
    description: 'An operator reviews it; `GET /api/v1/keys` says how it stands.',
    access: 'signed_in',
    body: {
      schema: ApplicationBody,
      example: { email: 'asha@kiri.example', use: 'A morning report on competitors for our buyers' },
    },
    answers: {
      200: {
        description: 'There is an application already.',
        schema: ApplicationAnswer,
        example: { application: { ...application, status: 'approved' } },
      },
      202: {
        description: 'It waits to be reviewed.',
        schema: ApplicationAnswer,
        example: { application },
        headers: { Location: 'Address at which its state is read' },
      },
    },
    errors: ['invalid_request'],
  },
];

// GET /api/v1/keys: the caller's keys, their use, and the application for a first one.

/** Answers `KeyList`, keys newest first. */
export function keysRoute(server: FastifyInstance, context: RouteContext): void {
  server.get('/api/v1/keys', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const list = await keyList(context, personOf(request));
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });
}

// POST /api/v1/keys: makes a key, shown this once.

/** Answers 201 `IssuedKey`; 403 when the plan or a missing approval stands against it. */
export function keyIssueRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/keys', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { tokenScopes = null } = request.access;
    const answer = await makeKey(context, personOf(request), readBody(KeyBody, request.body), tokenScopes);
    reply.header('location', `${context.baseUrl}/api/v1/keys/${answer.details.id}`);
    return sendJson(reply.code(201).header('cache-control', 'no-store'), JSON.stringify(answer));
  });
}

// DELETE /api/v1/keys/{id}: ends a key.

/** Answers 204, also for a key that was revoked before; 404 for somebody else's. Every process knows within a minute. */
export function keyRevokeRoute(server: FastifyInstance, context: RouteContext): void {
  server.delete<{ Params: { id: string } }>(
    '/api/v1/keys/:id',
    { onRequest: context.authorise('signed_in') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const command = { command: 'revoke_key', key_id: request.params.id } as const;
      await commandAccount(context, personOf(request), command, OWNER);
      return reply.code(204).send();
    },
  );
}
