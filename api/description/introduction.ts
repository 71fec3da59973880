/** What the description says before its operations. */

import type { OperationAccess } from '../route.ts';
import type { JsonSchema } from './json-schema.ts';

export const INFO: JsonSchema = {
  title: 'Clarity',
  version: '1.0.0',
  summary: 'Dated, source-cited moves in Indian retail',
  description: `A feed of **moves** in Indian retail and consumer business: store openings, deals, people, results,
launches, strategy, rules. Every move has its own page to cite and a link to the report; one event that several
publishers report is one move.

Answers are JSON in UTF-8 with keys in snake_case. Times are RFC 3339 in UTC, IST days are \`YYYY-MM-DD\`, money is text
as the source wrote it. Unknown parameters and fields are refused. Fields may be added to answers within this version,
never renamed or dropped; breaking changes come as \`/api/v2\`.

Every path takes \`HEAD\` where it takes \`GET\`; a method that a path lacks is answered with 405 \`method_not_allowed\` and
\`Allow\`, once the key was checked. A request that takes too long to arrive is answered with 408, and headers that are too
large with 431, both as \`invalid_request\`. A free key has 100 calls a day and 30 a minute, a Pro key 5,000 and 60,
counted for the account. A call that is blocked by a limit uses nothing up.`,
  contact: { name: 'The operators of this service' },
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
};

const notOffered = {
  summary: 'Webhooks, which are not offered',
  description:
    'Every method is answered with 410 `not_offered`, whatever the body, once the key was checked. Poll `GET /api/v1/signals` with `since` or with the cursor of the last page.',
};

/** Paths without operations: a client has nothing to call there. */
export const NOT_OFFERED: Readonly<Record<string, JsonSchema>> = {
  '/api/v1/webhooks': notOffered,
  '/api/v1/webhooks/{path}': {
    ...notOffered,
    parameters: [
      { name: 'path', in: 'path', required: true, description: 'Anything', schema: { type: 'string' }, example: 'one' },
    ],
  },
};

export const TAGS = [
  { name: 'Moves', description: 'The record, move by move.' },
  { name: 'Brands', description: 'One brand, or several side by side.' },
  { name: 'Answers', description: 'Questions answered from the record, and briefings. Every claim cites its signals.' },
  { name: 'Follows', description: 'What an account waits for, and its inbox.' },
  {
    name: 'Searches',
    description: 'Filters that an account keeps under a name, with what is unread, mails and a feed.',
  },
  { name: 'Sources', description: 'Where the moves come from.' },
  { name: 'Keys', description: 'Keys of an account, behind sign-in.' },
  { name: 'Feeds', description: 'The record for feed readers.' },
  { name: 'Documents', description: 'About the service.' },
];

export const SECURITY_SCHEMES: JsonSchema = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key, `ck_live_…`, as `Authorization: Bearer`.' },
  keyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The same key in a header of its own; `Authorization` wins where both are sent.',
  },
  signIn: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token of the identity provider, for what belongs to a person. It may do what its scopes name: `read`, `ask`.',
  },
};

const KEYS = [{ key: [] }, { keyHeader: [] }];

/** What a call must send: one of these. */
export function securityOf(access: OperationAccess): JsonSchema[] {
  if (access === 'anonymous') return [{}, ...KEYS];
  if (access === 'ask') return [{}, ...KEYS, { signIn: [] }];
  if (access === 'signed_in' || access === 'operator') return [{ signIn: [] }];
  return access === 'account' ? [...KEYS, { signIn: [] }] : KEYS;
}
