/** Applications for a first free key, under /api/v1/keys/applications, and their review by operators. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { commandAccount } from '../../access/account-commands.ts';
import { OWNER, personOf, reviewApplication, reviewedApplication } from '../../access/account-keys.ts';
import { listAccounts } from '../../projector/models/accounts-queries.ts';
import { ApplicationId } from '../../schemas/access.ts';
import {
  ApplicationBody,
  ApplicationDocument,
  ApplicationList,
  ApplicationsQuery,
  RejectionBody,
  ReviewedApplication,
} from '../../schemas/key.ts';
import { NoParameters, readBody } from '../../schemas/parameters.ts';
import { addRoute, defineOperation, type RouteContext, sendJson } from '../route.ts';

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
  errors: ['invalid_request'],
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
  errors: ['invalid_request'],
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
  errors: ['invalid_request', 'not_found'],
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
  errors: ['invalid_request', 'not_found'],
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
    return sendJson(
      reply.code(isNew ? 202 : 200).header('cache-control', 'no-store'),
      JSON.stringify({ application: account.application }),
    );
  });

  addRoute(server, context, listApplications, async ({ reply, query: { status } }) => {
    const accounts = await listAccounts(context.database, { application: status });
    const applications = accounts
      .flatMap((account) => reviewedApplication(account) ?? [])
      .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
    const list: ApplicationList = { applications };
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });

  addRoute(server, context, approveApplication, async ({ request, reply, parameters }) => {
    readBody(NoParameters, request.body ?? {});
    const command = { command: 'approve', application_id: parameters.id } as const;
    const application = await reviewApplication(context, command, personOf(request).name);
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });

  addRoute(server, context, rejectApplication, async ({ request, reply, parameters, body }) => {
    const command = { command: 'reject', application_id: parameters.id, why: body.why } as const;
    const application = await reviewApplication(context, command, personOf(request).name);
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
}
