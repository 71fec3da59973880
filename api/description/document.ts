/** The API in OpenAPI 3.1, built from the schemas of the routes; `npm run describe` writes the committed copy. */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { z } from 'zod';
import {
  ApplicationDocument,
  ApplicationList,
  IssuedKey,
  KeyDocument,
  KeyList,
  ReviewedApplication,
} from '../../schemas/access.ts';
import {
  AskAnswer,
  Citation,
  Investigation,
  QueuedResearch,
  Quote,
  ResearchResult,
  ShareAnswer,
  SharedTurn,
  Turn,
} from '../../schemas/ask.ts';
import { Quality } from '../../schemas/quality.ts';
import {
  Brand,
  BrandAnswer,
  BrandRef,
  ErrorBody,
  HealthSnapshot,
  MoveWindow,
  SignalDetail,
  SignalItem,
  SignalPage,
  SignalReport,
  SourceRef,
  ThemeRef,
  Watch,
  WatchedBrand,
  WatchMove,
} from '../../schemas/resources.ts';
import { Move, MoveCounts } from '../../schemas/scalar.ts';
import { ProposalAnswer } from '../../schemas/source.ts';
import {
  Brief,
  BriefItem,
  Follow,
  FollowAnswer,
  FollowList,
  InboxItem,
  InboxPage,
  SearchAnswer,
  SearchDocument,
  SearchFeed,
  SearchList,
  SearchSignals,
  Unread,
} from '../../schemas/subscriptions.ts';
import { JsonFeed } from '../feed-formats.ts';
import type { Answer, Operation, OperationAccess } from '../route.ts';
import { ASK_OPERATIONS, RESEARCH_OPERATIONS } from '../routes/ask.ts';
import { BRAND_OPERATIONS, WATCH_OPERATIONS } from '../routes/brands.ts';
import { BRIEF_OPERATIONS } from '../routes/brief.ts';
import { DOCUMENT_OPERATIONS, QUALITY_OPERATIONS } from '../routes/documents.ts';
import { FEED_OPERATIONS } from '../routes/feeds.ts';
import { FOLLOW_OPERATIONS, INBOX_OPERATIONS } from '../routes/follows.ts';
import { APPLICATION_OPERATIONS, ApplicationAnswer, KEY_OPERATIONS, ReviewAnswer } from '../routes/keys.ts';
import { SEARCH_OPERATIONS } from '../routes/searches.ts';
import { SIGNAL_OPERATIONS, SignalAnswer } from '../routes/signals.ts';
import { SOURCE_OPERATIONS } from '../routes/sources.ts';
import { TABLE_ANSWERS, TABLE_OPERATIONS } from '../routes/tables.ts';
import {
  COMMON_ERRORS,
  commonHeaders,
  componentSchemas,
  ERROR_RESPONSES,
  errorResponses,
  HEADERS,
  headersOf,
  inputSchema,
  type JsonSchema,
  RateLimited,
  reference,
} from './components.ts';

const INFO: JsonSchema = {
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
const NOT_OFFERED: Readonly<Record<string, JsonSchema>> = {
  '/api/v1/webhooks': notOffered,
  '/api/v1/webhooks/{path}': {
    ...notOffered,
    parameters: [
      { name: 'path', in: 'path', required: true, description: 'Anything', schema: { type: 'string' }, example: 'one' },
    ],
  },
};

const TAGS = [
  { name: 'Moves', description: 'The record, move by move.' },
  { name: 'Tables', description: 'Facts of the record as rows, kind by kind.' },
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

const SECURITY_SCHEMES: JsonSchema = {
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
function securityOf(access: OperationAccess): JsonSchema[] {
  if (access === 'anonymous') return [{}, ...KEYS];
  if (access === 'ask') return [{}, ...KEYS, { signIn: [] }];
  if (access === 'signed_in' || access === 'operator') return [{ signIn: [] }];
  return access === 'account' ? [...KEYS, { signIn: [] }] : KEYS;
}

export const OPERATIONS: readonly Operation[] = [
  ...SIGNAL_OPERATIONS,
  ...TABLE_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...WATCH_OPERATIONS,
  ...BRIEF_OPERATIONS,
  ...ASK_OPERATIONS,
  ...RESEARCH_OPERATIONS,
  ...FOLLOW_OPERATIONS,
  ...INBOX_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...QUALITY_OPERATIONS,
  ...KEY_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...FEED_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
];

/** The schema under `optional` and `default`, with what a reader should see in its place. */
function shown(field: z.ZodType): { schema: JsonSchema; isRequired: boolean; description: string } {
  if (field instanceof z.ZodOptional) return { ...shown(field.unwrap() as z.ZodType), isRequired: false };
  if (field instanceof z.ZodDefault) {
    const inner = shown(field.unwrap() as z.ZodType);
    const given = field.def.defaultValue;
    return { ...inner, isRequired: false, schema: { ...inner.schema, default: given } };
  }
  const { description, ...schema } = inputSchema(field);
  const shownAs = field.meta()?.parameter;
  const text = String(description ?? '');
  return { schema: shownAs ? { ...(shownAs as JsonSchema) } : schema, isRequired: true, description: text };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Carries the request out once: for 24 hours a repetition with the same key and body answers what the first one ' +
    'answered, and is not counted. A UUID is a good key.',
  // No example: a key that tools send with everything they try is used for one request alone.
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

/** As the description lists them, path first. */
function parametersOf(operation: Operation): JsonSchema[] {
  const { method, isLimited = true, pathParameters = {}, query, queryExamples = {} } = operation;
  const inPath = Object.entries(pathParameters).map(([name, { description, example, schema }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: schema ? inputSchema(schema) : { type: 'string', minLength: 1 },
    example,
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const { schema, isRequired, description } = shown(field as z.ZodType);
    return {
      name,
      in: 'query',
      required: isRequired,
      description: sentence(description),
      ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
      schema,
      ...(name in queryExamples ? { example: queryExamples[name] } : {}),
    };
  });
  return [...inPath, ...inQuery, ...(method === 'post' && isLimited ? [IDEMPOTENCY_KEY] : [])];
}

/** By the name that the description gives them. */
const NAMED_SCHEMAS = {
  Move,
  MoveCounts,
  BrandRef,
  ThemeRef,
  Source: SourceRef,
  SignalItem,
  SignalReport,
  SignalDetail,
  SignalPage,
  SignalAnswer,
  ...TABLE_ANSWERS,
  MoveWindow,
  Brand,
  BrandAnswer,
  WatchMove,
  WatchedBrand,
  Watch,
  BriefItem,
  Brief,
  Quote,
  Citation,
  AskAnswer,
  Turn,
  SharedTurn,
  ShareAnswer,
  ResearchResult,
  QueuedResearch,
  Investigation,
  Follow,
  FollowAnswer,
  FollowList,
  InboxItem,
  InboxPage,
  Unread,
  SavedSearch: SearchDocument,
  SearchAnswer,
  SearchList,
  SearchSignals,
  SearchFeed,
  SourceHealthSnapshot: HealthSnapshot,
  ProposalAnswer,
  Quality,
  Key: KeyDocument,
  KeyList,
  IssuedKey,
  Application: ApplicationDocument,
  ApplicationAnswer,
  ReviewedApplication,
  ApplicationList,
  ReviewAnswer,
  JsonFeed,
  Error: ErrorBody,
  RateLimited,
};

// The description of the API in OpenAPI 3.1, made of the schemas that the routes check with.

const names = new Map<z.ZodType, string>(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]));

function named(schema: z.ZodType): JsonSchema {
  const name = names.get(schema);
  if (!name) throw new Error('a schema of an answer has no name in NAMED_SCHEMAS');
  return { $ref: reference(name) };
}

function answered(answer: Answer, { method, isLimited = true }: Operation, status: string): JsonSchema {
  const { description, schema, example, others = {}, headers = {} } = answer;
  const content = {
    ...(schema ? { 'application/json': { schema: named(schema), example } } : {}),
    ...Object.fromEntries(
      Object.entries(others).map(([type, form]) => [
        type,
        typeof form === 'string'
          ? { schema: { type: 'string' }, example: form }
          : { schema: named(form.schema), example: form.example },
      ]),
    ),
  };
  const tagged =
    method === 'get' && status === '200' ? ['ETag'] : method === 'post' && isLimited ? ['Idempotency-Replayed'] : [];
  return {
    description,
    headers: headersOf([...commonHeaders(isLimited), ...tagged], headers),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function described(operation: Operation): JsonSchema {
  const { id, tag, summary, description, access, body, answers, errors = [], isLimited = true, method } = operation;
  const common = isLimited ? COMMON_ERRORS[access] : (['server_error', 'unavailable'] as const);
  const parameters = parametersOf(operation);
  const responses: [string, JsonSchema][] = [
    ...Object.entries(answers).map(([status, answer]): [string, JsonSchema] => [
      status,
      answered(answer, operation, status),
    ]),
    ...(method === 'get'
      ? [
          [
            '304',
            {
              description: 'Nothing changed since the `ETag` that was sent.',
              headers: headersOf([...commonHeaders(isLimited), 'ETag']),
            },
          ] as [string, JsonSchema],
        ]
      : []),
    ...Object.entries(
      errorResponses(
        [
          ...errors,
          'invalid_request',
          ...(operation.pathParameters ? (['not_found'] as const) : []),
          ...common,
          ...(method === 'post' && isLimited ? (['conflict'] as const) : []),
        ],
        body !== undefined,
      ),
    ),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: inputSchema(body.schema), example: body.example } },
          },
        }
      : {}),
    responses: Object.fromEntries(responses.sort(([one], [other]) => Number(one) - Number(other))),
  };
}

/** The whole document. It is the same for every deployment: its addresses begin at the root of the server. */
export function describeApi(): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(operation) };
  Object.assign(paths, NOT_OFFERED);
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: TAGS,
    security: securityOf('read'),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      responses: ERROR_RESPONSES,
      schemas: componentSchemas(NAMED_SCHEMAS),
    },
  };
}

/** The document as YAML. */
export const descriptionText = (): string => stringify(describeApi(), { aliasDuplicateObjects: false, lineWidth: 110 });

if (import.meta.main) writeFileSync(new URL('../openapi.yaml', import.meta.url), descriptionText());
