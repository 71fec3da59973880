/**
 * The keys of an account: GET and POST /api/v1/keys, DELETE /api/v1/keys/{id}; applications for a first free key,
 * under /api/v1/keys/applications, and their review by operators.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { commandAccount } from '../../access/account.ts';
import { keyList, makeKey, OWNER, personOf, reviewApplication, reviewedApplication } from '../../access/api-keys.ts';
import { listAccounts } from '../../projector/models/accounts-queries.ts';
import {
  ApplicationBody,
  ApplicationDocument,
  ApplicationId,
  ApplicationList,
  ApplicationsQuery,
  IssuedKey,
  KeyBody,
  KeyId,
  KeyList,
  RejectionBody,
  ReviewedApplication,
} from '../../schemas/access.ts';
import { NoParameters, readBody } from '../../schemas/parameters.ts';
import { addRoute, defineOperation, type RouteContext, sendValue } from '../route.ts';

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
  errors: ['pro_required'],
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
});

export const KEY_OPERATIONS = [listKeys, issueKey, revokeKey];

/** Lists keys, newest first, issues them (201, 403) and revokes them (204, 404 for another account's key). */
export function keyRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, listKeys, async ({ request, reply }) => {
    const list = await keyList(context, personOf(request));
    return sendValue(reply.header('cache-control', 'no-store'), list);
  });

  addRoute(server, context, issueKey, async ({ request, reply, body }) => {
    const { tokenScopes = null } = request.access;
    const answer = await makeKey(context, personOf(request), body, tokenScopes);
    reply.header('location', `${context.baseUrl}/api/v1/keys/${answer.details.id}`);
    return sendValue(reply.code(201).header('cache-control', 'no-store'), answer);
  });

  addRoute(server, context, revokeKey, async ({ request, reply, parameters: { id } }) => {
    await commandAccount(context, personOf(request), { command: 'revoke_key', key_id: id }, OWNER);
    return reply.code(204).send();
  });
}

const FOR_OPERATORS = 'For the operators of the service, whom `OPERATORS` names by e-mail address.';

export const ApplicationAnswer = z.object({ application: ApplicationDocument.pick({ id: true, status: true }) });
export const ReviewAnswer = z.object({ application: ReviewedApplication });

const pending: ReviewedApplication = {
  id: 'app_77c1e0b2d94f5a38',
  status: 'pending',
  submitted_at: '2026-11-20T09:12:00Z',
  reviewed_at: null,
  why: null,
  account: { id: 'acc_0b8f2a6d4c1e9735', name: 'asha@kiri.example' },
  email: 'asha@kiri.example',
  use: 'A morning report on competitors for our buyers',
};
const { id } = pending;
const reviewed_at = '2026-11-21T04:30:00Z';
const why = 'Please say which company the report is for.';
const pathParameters = { id: { description: 'Id of the application', example: id, schema: ApplicationId } };

const applyForKey = defineOperation({
  method: 'post',
  path: '/api/v1/keys/applications',
  id: 'applyForKey',
  tag: 'Keys',
  summary: 'Apply for a first free key',
  description: 'An operator reviews it; `GET /api/v1/keys` shows its status.',
  access: 'signed_in',
  body: {
    schema: ApplicationBody,
    example: { email: 'asha@kiri.example', use: 'A morning report on competitors for our buyers' },
  },
  answers: {
    200: {
      description: 'The account has an application already.',
      schema: ApplicationAnswer,
      example: { application: { id, status: 'approved' } },
    },
    202: {
      description: 'The application awaits review.',
      schema: ApplicationAnswer,
      example: { application: { id, status: 'pending' } },
      headers: { Location: 'Address of its status' },
    },
  },
});

const listApplications = defineOperation({
  method: 'get',
  path: '/api/v1/keys/applications',
  id: 'listApplications',
  tag: 'Keys',
  summary: 'Applications for first free keys',
  description: FOR_OPERATORS,
  access: 'operator',
  query: ApplicationsQuery,
  queryExamples: { status: 'pending' },
  answers: {
    200: {
      description: 'The applications, oldest first.',
      schema: ApplicationList,
      example: { applications: [pending] },
    },
  },
});

const approveApplication = defineOperation({
  method: 'post',
  path: '/api/v1/keys/applications/{id}/approve',
  id: 'approveApplication',
  tag: 'Keys',
  summary: 'Let an applicant make a first free key',
  description: FOR_OPERATORS,
  access: 'operator',
  pathParameters,
  answers: {
    200: {
      description: 'The application is approved.',
      schema: ReviewAnswer,
      example: { application: { ...pending, status: 'approved', reviewed_at } },
    },
  },
});

const rejectApplication = defineOperation({
  method: 'post',
  path: '/api/v1/keys/applications/{id}/reject',
  id: 'rejectApplication',
  tag: 'Keys',
  summary: 'Turn an applicant down, with a reason',
  description: FOR_OPERATORS,
  access: 'operator',
  pathParameters,
  body: { schema: RejectionBody, example: { why } },
  answers: {
    200: {
      description: 'The application is rejected.',
      schema: ReviewAnswer,
      example: { application: { ...pending, status: 'rejected', reviewed_at, why } },
    },
  },
});

export const APPLICATION_OPERATIONS = [applyForKey, listApplications, approveApplication, rejectApplication];

/**
 * Serves applications: a new one is answered with 202, an open or approved one with 200. A review answers the application
 * as it is afterwards, also when it was decided so before; 404 without one, 400 for one that was decided otherwise.
 */
export function keyApplicationRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, applyForKey, async ({ request, reply, body }) => {
    const { account, events } = await commandAccount(context, personOf(request), { command: 'apply', ...body }, OWNER);
    const isNew = events.length > 0;
    // The list of the account's keys shows the status of its application.
    if (isNew) reply.header('location', `${context.baseUrl}/api/v1/keys`);
    return sendValue(
      reply.code(isNew ? 202 : 200).header('cache-control', 'no-store'),
      ApplicationAnswer.parse(account),
    );
  });

  addRoute(server, context, listApplications, async ({ reply, query: { status } }) => {
    const accounts = await listAccounts(context.database, { application: status });
    const applications = accounts
      .flatMap((account) => reviewedApplication(account) ?? [])
      .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
    const list: ApplicationList = { applications };
    return sendValue(reply.header('cache-control', 'no-store'), list);
  });

  addRoute(server, context, approveApplication, async ({ request, reply, parameters }) => {
    readBody(NoParameters, request.body ?? {});
    const command = { command: 'approve', application_id: parameters.id } as const;
    const application = await reviewApplication(context, command, personOf(request).name);
    return sendValue(reply.header('cache-control', 'no-store'), { application });
  });

  addRoute(server, context, rejectApplication, async ({ request, reply, parameters, body }) => {
    const command = { command: 'reject', application_id: parameters.id, why: body.why } as const;
    const application = await reviewApplication(context, command, personOf(request).name);
    return sendValue(reply.header('cache-control', 'no-store'), { application });
  });
}
