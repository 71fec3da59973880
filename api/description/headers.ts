/** Headers that answers carry. */
import type { JsonSchema } from './json-schema.ts';

const header = (description: string, type: 'string' | 'integer', example: string | number): JsonSchema => ({
  description,
  schema: { type },
  example,
});

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-ID': header('Quote it when you write to support', 'string', 'req_5f2c91d07ab3e648'),
  'Idempotency-Replayed': header('`true` where the answer is that of an earlier request', 'string', 'true'),
  ETag: header('Send it back as `If-None-Match`: the answer is 304 while nothing changed', 'string', 'W/"q3Zb"'),
  'X-RateLimit-Limit': header('Calls allowed in the window: the day, unless a minute is full', 'integer', 5_000),
  'X-RateLimit-Remaining': header('Calls left in the window', 'integer', 4_987),
  'X-Rate-Limit-Remaining': header('The same as `X-RateLimit-Remaining`', 'integer', 4_987),
  'X-RateLimit-Reset': header('Unix time in seconds at which the window resets', 'integer', 1_795_235_400),
  RateLimit: header('What is left of every window', 'string', '"minute";r=59;t=60, "day";r=4987;t=86000'),
  'RateLimit-Policy': header('Every window', 'string', '"minute";q=60;w=60, "day";q=5000;w=86400'),
  'Retry-After': header('Seconds until a call is answered again', 'integer', 42),
  'WWW-Authenticate': header('What to send', 'string', 'Bearer realm="clarity"'),
};

const refer = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const LIMITS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-Rate-Limit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

/** References to the headers of every answer, those of limits where calls are counted, and others by name. */
export const headersOf = (isLimited: boolean, ...more: readonly string[]): JsonSchema =>
  refer(['X-Request-ID', ...(isLimited ? LIMITS : []), ...more]);
