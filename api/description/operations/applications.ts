/** The review of applications, for operators. */
import { z } from 'zod';
import { ApplicationId } from '../../../schemas/access.ts';
import { ApplicationList, ApplicationsQuery, RejectionBody, ReviewedApplication } from '../../../schemas/key.ts';
import type { Operation } from '../operation.ts';

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
