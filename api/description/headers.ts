/** Headers that answers carry. */
import type { JsonSchema } from './json-schema.ts';

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
export const ERROR_HEADERS = ['X-Request-ID', ...LIMITS, ...WINDOWS.map((name) => `${name}?`)];

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
  const known = names.map((name): [string, JsonSchema] => {
    const bare = name.replace(/\?$/, '');
    return [name, name === bare ? { $ref: `#/components/headers/${name}` } : { ...HEADERS[bare] }];
  });
  return Object.fromEntries(
    [...known, ...own].map(([name, one]) =>
      name.endsWith('?') ? [name.slice(0, -1), { ...one, required: false }] : [name, one],
    ),
  );
};
