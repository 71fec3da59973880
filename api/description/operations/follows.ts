/** Follows and the inbox. */
import {
  FollowAnswer,
  FollowBody,
  FollowId,
  FollowList,
  InboxPage,
  ReadBody,
  Unread,
} from '../../../schemas/follow.ts';
import { InboxQuery } from '../../routes/inbox.ts';
import { followExample, signalExample } from '../examples.ts';
import type { Operation } from '../operation.ts';

const followed = { schema: FollowAnswer, example: { follow: followExample } };

export const FOLLOW_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/v1/follow',
    id: 'addFollow',
    tag: 'Follows',
    summary: 'Follow a brand, theme, signal or source',
    description:
      'From now on each public signal about the target is delivered to the inbox of the account, once. `slug` of a source is its id in the source health snapshot.',
    access: 'account',
    body: { schema: FollowBody, example: { target: { type: 'brand', slug: 'kiri-foods' }, channel: 'inbox' } },
    answers: {
      200: { description: 'The target is followed already.', ...followed },
      201: {
        description: 'The target is followed from now on.',
        ...followed,
        headers: { Location: 'Address of the follow, for DELETE' },
      },
    },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'get',
    path: '/api/v1/follow',
    id: 'listFollows',
    tag: 'Follows',
    summary: "The account's follows",
    description: 'All of them, and how many items of the inbox are not read.',
    access: 'account',
    answers: {
      200: {
        description: 'The follows in force, the newest first.',
        schema: FollowList,
        example: { follows: [followExample], unread: 1 },
      },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'delete',
    path: '/api/v1/follow/{id}',
    id: 'removeFollow',
    tag: 'Follows',
    summary: 'End a follow',
    description: 'What it delivered stays in the inbox.',
    access: 'account',
    pathParameters: { id: { description: 'Id of the follow', example: followExample.id, schema: FollowId } },
    answers: { 204: { description: 'It is ended.' } },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'get',
    path: '/api/v1/follow/inbox',
    id: 'listInbox',
    tag: 'Follows',
    summary: 'What the follows delivered, newest first',
    description: 'Ask for the next page with `cursor` until `next_cursor` is null.',
    access: 'account',
    query: InboxQuery,
    queryExamples: { limit: 20, unread: true },
    answers: {
      200: {
        description: 'A page of the inbox.',
        schema: InboxPage,
        example: {
          items: [
            {
              id: signalExample.id,
              signal: signalExample,
              follows: [followExample.id],
              delivered_at: signalExample.published_at,
              read_at: null,
            },
          ],
          unread: 1,
          next_cursor: null,
        },
      },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'post',
    path: '/api/v1/follow/inbox/read',
    id: 'readInbox',
    tag: 'Follows',
    summary: 'Mark items as read',
    description: 'Send `ids`, or `up_to` for an item and everything that was delivered before it.',
    access: 'account',
    body: { schema: ReadBody, example: { up_to: signalExample.id } },
    answers: { 200: { description: 'What is left.', schema: Unread, example: { unread: 0 } } },
    errors: ['invalid_request', 'not_found'],
  },
];
