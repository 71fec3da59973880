/** Applications for a first free key, under /api/v1/keys/applications, and their review by operators. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { commandAccount } from '../../access/account-commands.ts';
import { OWNER, personOf, reviewApplication, reviewedApplication } from '../../access/account-keys.ts';
import { listAccounts } from '../../projector/models/accounts-queries.ts';
import { ApplicationId } from '../../schemas/access.ts';
import {
  ApplicationBody,
  ApplicationList,
  ApplicationsQuery,
  RejectionBody,
  ReviewedApplication,
} from '../../schemas/key.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { type Operation, type RouteContext, sendJson } from '../route.ts';

// The review of applications, for operators.

const TAG = 'Keys';
const FOR_OPERATORS = 'For the operators of the service, whom `OPERATORS` names by e-mail address.';

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
const reviewed_at = '2026-11-21T04:30:00Z';
const pathParameters = { id: { description: 'Id of the application', example: pending.id, schema: ApplicationId } };

export const APPLICATION_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/keys/applications',
    id: 'listApplications',
    tag: TAG,
    summary: 'Applications for first free keys',
    description: FOR_OPERATORS,
    access: 'signed_in',
    query: ApplicationsQuery,
    queryExamples: { status: 'pending' },
    answers: {
      200: { description: 'The oldest first.', schema: ApplicationList, example: { applications: [pending] } },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'post',
    path: '/api/v1/keys/applications/{id}/approve',
    id: 'approveApplication',
    tag: TAG,
    summary: 'Let an applicant make a first free key',
    description: FOR_OPERATORS,
    access: 'signed_in',
    pathParameters,
    answers: {
      200: {
        description: 'It is approved.',
        schema: ReviewAnswer,
        example: { application: { ...pending, status: 'approved', reviewed_at } },
      },
    },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'post',
    path: '/api/v1/keys/applications/{id}/reject',
    id: 'rejectApplication',
    tag: TAG,
    summary: 'Turn an applicant down, with a reason',
    description: FOR_OPERATORS,
    access: 'signed_in',
    pathParameters,
    body: { schema: RejectionBody, example: { why: 'Please say which company the report is for.' } },
    answers: {
      200: {
        description: 'It is rejected.',
        schema: ReviewAnswer,
        example: {
          application: {
            ...pending,
            status: 'rejected',
            reviewed_at,
            why: 'Please say which company the report is for.',
          },
        },
      },
    },
    errors: ['invalid_request', 'not_found'],
  },
];

// POST /api/v1/keys/applications: applies for a first free key, which an operator reviews.

/** Answers 202 `{application: {id, status}}`; 200 with the one that is open or approved already. */
export function keyApplicationRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/keys/applications', { onRequest: context.authorise('signed_in') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const body = readBody(ApplicationBody, request.body);
    const { account, events } = await commandAccount(context, personOf(request), { command: 'apply', ...body }, OWNER);
    // The list of the account's keys says how its application stands.
    if (events.length > 0) reply.header('location', `${context.baseUrl}/api/v1/keys`);
    return sendJson(
      reply.code(events.length > 0 ? 202 : 200).header('cache-control', 'no-store'),
      JSON.stringify({ application: account.application }),
    );
  });
}

// GET /api/v1/keys/applications: applications for first free keys, for operators.

/** Answers `ApplicationList`, the oldest first: the newest application of each account that is in the state asked for. */
export function keyApplicationsRoute(server: FastifyInstance, { database, authorise }: RouteContext): void {
  server.get('/api/v1/keys/applications', { onRequest: authorise('operator') }, async (request, reply) => {
    const { status } = readParameters(ApplicationsQuery, request.query);
    const accounts = await listAccounts(database, { application: status });
    const applications = accounts
      .flatMap((account) => reviewedApplication(account) ?? [])
      .sort((one, other) => Date.parse(one.submitted_at) - Date.parse(other.submitted_at));
    const list: ApplicationList = { applications };
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(list));
  });
}

// POST /api/v1/keys/applications/{id}/approve and …/reject: an operator decides on an application.

type WithId = FastifyRequest<{ Params: { id: string } }>;

/**
 * Answers 200 `{application}` as it is then, also when it was decided so before; 404 for none, 400 for one that was
 * decided otherwise.
 */
export function keyApplicationReviewRoute(server: FastifyInstance, context: RouteContext): void {
  const guarded = { onRequest: context.authorise('operator') };
  server.post('/api/v1/keys/applications/:id/approve', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    readBody(NoParameters, request.body ?? {});
    const application = await reviewApplication(
      context,
      { command: 'approve', application_id: request.params.id },
      personOf(request).name,
    );
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
  server.post('/api/v1/keys/applications/:id/reject', guarded, async (request: WithId, reply) => {
    readParameters(NoParameters, request.query);
    const { why } = readBody(RejectionBody, request.body);
    const application = await reviewApplication(
      context,
      { command: 'reject', application_id: request.params.id, why },
      personOf(request).name,
    );
    return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify({ application }));
  });
}
