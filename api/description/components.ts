/** The components of the description: named schemas, headers of answers, and the error answers, each under one name. */
import { z } from 'zod';
import { Plan } from '../../schemas/access.ts';
import { ERROR_CODES, ERROR_STATUS, ErrorBody, type ErrorCode } from '../../schemas/resources.ts';
import type { OperationAccess } from '../route.ts';

export type JsonSchema = Record<string, unknown>;

/** Named schemas with references between them. @param named by the name in `#/components/schemas/` */
export function componentSchemas(named: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: reference, reused: 'inline' });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidied(schema) as JsonSchema]));
}

/** Reference to a named schema. */
export const reference = (id: string): string => `#/components/schemas/${id}`;

/** What a caller sends: the schema before its transformations, closed and with its patterns, as the server checks it. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  tidied(z.toJSONSchema(schema, { io: 'input' }), true) as JsonSchema;

/** Leaves out what helps no reader: patterns that repeat a format, the bounds of every number, closed answers. */
function tidied(value: unknown, isInput = false): unknown {
  if (Array.isArray(value)) return value.map((one) => tidied(one, isInput));
  if (value === null || typeof value !== 'object') return value;
  const schema = value as JsonSchema;
  const { $schema: _schema, $id: _id, parameter: _parameter, ...rest } = schema;
  if (typeof rest.format === 'string' && !isInput) delete rest.pattern;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.additionalProperties === false && !isInput) delete rest.additionalProperties;
  const { propertyNames, additionalProperties, ...record } = rest;
  if (!propertyNames || !Array.isArray(rest.required))
    return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, tidied(inner, isInput)]));
  const counts = rest.required.map((key) => [key, tidied(additionalProperties, isInput)]);
  return { ...record, properties: Object.fromEntries(counts) };
}

const header = (description: string, type: 'string' | 'integer', example: string | number): JsonSchema => ({
  description,
  required: true,
  schema: { type },
  example,
});

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-ID': header('Quote it when you write to support', 'string', 'req_5f2c91d07ab3e648'),
  'Idempotency-Replayed': {
    ...header('`true` where the answer is that of an earlier request', 'string', 'true'),
    required: false,
  },
  ETag: header('Send it back as `If-None-Match`: the answer is 304 while nothing changed', 'string', 'W/"q3Zb"'),
  'X-RateLimit-Limit': header('Calls allowed in the window: the day, unless a minute is full', 'integer', 5_000),
  'X-RateLimit-Remaining': header('Calls left in the window', 'integer', 4_987),
  'X-Rate-Limit-Remaining': header('The same as `X-RateLimit-Remaining`', 'integer', 4_987),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window resets', 'integer', 1_795_235_400),
  RateLimit: header(
    'What is left of every window, where the caller has any',
    'string',
    '"minute";r=59;t=60, "day";r=4987;t=86000',
  ),
  'RateLimit-Policy': header('Every window', 'string', '"minute";q=60;w=60, "day";q=5000;w=86400'),
  'Retry-After': header('Seconds until a call is answered again', 'integer', 42),
  'X-Should-Retry': header(
    '`false`: a client that retries by itself should not do so before `Retry-After`',
    'string',
    'false',
  ),
  'WWW-Authenticate': header('What to send', 'string', 'Bearer realm="clarity"'),
};

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Rate-Limit-Remaining', 'X-RateLimit-Reset'];
const WINDOWS = ['RateLimit', 'RateLimit-Policy'];

/** Headers of every answer, and those of limits where calls are counted. */
export const commonHeaders = (isLimited: boolean): string[] => [
  'X-Request-ID',
  ...(isLimited ? [...LIMITS, ...WINDOWS] : []),
];
/** Headers of an error: a caller who was not let in has no windows. */
const ERROR_HEADERS = ['X-Request-ID', ...LIMITS, ...WINDOWS.map((name) => `${name}?`)];

/**
 * The headers of an answer. A name that ends with a question mark is of a header that not every such answer has.
 * @param names of HEADERS
 * @param others with what each says
 */
export const headersOf = (names: readonly string[], others: Readonly<Record<string, string>> = {}): JsonSchema => {
  const own = Object.entries(others).map(([name, description]): [string, JsonSchema] => [
    name,
    { description, required: true, schema: { type: 'string' } },
  ]);
  const common = names.map((name): [string, JsonSchema] => {
    const bare = name.replace(/\?$/, '');
    return [name, name === bare ? { $ref: `#/components/headers/${name}` } : { ...HEADERS[bare] }];
  });
  return Object.fromEntries(
    [...common, ...own].map(([name, one]) =>
      name.endsWith('?') ? [name.slice(0, -1), { ...one, required: false }] : [name, one],
    ),
  );
};

const codesOf = (status: number): ErrorCode[] => ERROR_CODES.filter((code) => ERROR_STATUS[code] === status);

export const RateLimited = ErrorBody.extend({
  error: z.enum(codesOf(429)).describe('Which limit it is'),
  limit: z.object({ window: z.enum(['minute', 'day']), seconds: z.int(), max: z.int(), plan: Plan }),
  retry_after: z.int().describe('Seconds'),
  how_to_get_more: z.string(),
  upgrade: z.string().describe('Address of the page of plans'),
});

const MEANING: Readonly<Record<number, string>> = {
  400: 'A parameter or the body is missing or malformed, and the message names it; or the body is no JSON, or larger than 256 KiB.',
  401: 'No key was sent, or the one that was sent was revoked, has expired or was never issued.',
  403: 'The key lacks a scope, or the call needs Pro, or an approved application.',
  404: 'Nothing public is there.',
  408: 'The request took too long to arrive. The connection is closed.',
  409: 'The first request with this `Idempotency-Key` is still being carried out, then retry after `Retry-After` seconds; or it was made with another credential.',
  429: 'A limit is reached; retry after `Retry-After` seconds.',
  500: 'The service failed; retry shortly.',
  503: 'Too many requests are in progress, or the database is unreachable; retry after `Retry-After` seconds.',
};

const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'limit: "500" cannot be used. Allowed: a whole number from 1 to 50.',
  auth_required: 'No key was sent. Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  invalid_key: 'The key was revoked, has expired or was never issued.',
  insufficient_scope: 'This needs a key with the scope "read".',
  pro_required: 'A free key watches up to 5 brands over 7 days.',
  application_required: 'A first free key needs an approved application.',
  method_not_allowed: 'PUT is not allowed here. Allowed: GET, HEAD, OPTIONS.',
  not_offered: 'Webhooks are not offered.',
  not_found: 'No public signal has the slug "nothing-here". GET /api/v1/signals lists them.',
  conflict: 'The first request with this Idempotency-Key is still being carried out. Retry in 2 seconds.',
  rate_limited: 'The minute is full: 30 calls were made. Retry in 42 seconds.',
  quota_exhausted: 'The 100 calls of the day are used.',
  ask_quota: 'The 200 questions of the day are used, site and API together.',
  server_error: 'The service failed. Retry shortly. If the error persists, quote request req_5f2c91d07ab3e648.',
  unavailable: 'Too many requests are in progress. Retry in 1 second.',
};

function exampleOf(code: ErrorCode): JsonSchema {
  const plain = { error: code, message: MESSAGES[code] };
  if (ERROR_STATUS[code] !== 429) return { value: plain };
  const isDay = code !== 'rate_limited';
  const limit = {
    window: isDay ? 'day' : 'minute',
    seconds: isDay ? 86_400 : 60,
    max: isDay ? 100 : 30,
    plan: 'free',
  };
  const more = 'Pro allows 60 calls a minute and 5000 calls a day.';
  return {
    value: {
      ...plain,
      limit,
      retry_after: isDay ? 8_040 : 42,
      how_to_get_more: more,
      upgrade: 'https://clarity.example/plans',
    },
  };
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
};

/** Headers of an error in addition to those of every error. */
const MORE: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate?'],
  409: ['Retry-After?'],
  429: ['Retry-After', 'X-Should-Retry'],
  503: ['Retry-After'],
};
/** Node refuses by itself what does not arrive. */
const TIMEOUT = { invalid_request: { value: { error: 'invalid_request', message: MEANING[408] } } };

/** The error answers that operations refer to. */
export const ERROR_RESPONSES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(NAMES).map(([text, name]) => {
    const status = Number(text);
    const schema = { $ref: reference(status === 429 ? 'RateLimited' : 'Error') };
    const examples =
      status === 408 ? TIMEOUT : Object.fromEntries(codesOf(status).map((code) => [code, exampleOf(code)]));
    const headers = headersOf([...ERROR_HEADERS, ...(MORE[status] ?? [])]);
    return [name, { description: MEANING[status], headers, content: { 'application/json': { schema, examples } } }];
  }),
);

/**
 * References to the error answers of an operation by status.
 * @param codes those that it can give
 * @param takesBody whether there is a body that may not arrive
 */
export const errorResponses = (codes: readonly ErrorCode[], takesBody: boolean): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...codes.map((code) => ERROR_STATUS[code]), ...(takesBody ? [408] : [])].map((status) => [
      String(status),
      { $ref: `#/components/responses/${NAMES[status]}` },
    ]),
  );

/** Of every call. */
const ALWAYS = ['rate_limited', 'server_error', 'unavailable'] as const;
/** Of calls that are counted, by an account or an address. */
const COUNTED = ['invalid_key', 'insufficient_scope', 'quota_exhausted', ...ALWAYS] as const;
const KEYED = ['auth_required', ...COUNTED] as const;

/** What every call under /api/v1 can be answered with, by who may make it. */
export const COMMON_ERRORS: Readonly<Record<OperationAccess, readonly ErrorCode[]>> = {
  anonymous: ['invalid_key', ...ALWAYS],
  read: KEYED,
  ask: ['pro_required', 'ask_quota', ...COUNTED],
  account: KEYED,
  signed_in: KEYED,
  operator: KEYED,
};
