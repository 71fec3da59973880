/** Plugins that shape every response: rate-limit headers, compression, CORS, and headers for browsers. */

import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../access/access.ts';
import { noCalls } from '../../access/quota/limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by a route that sends the headers of limits itself, on errors too. */
    ownLimits?: boolean;
  }
}

const CALLED = /^\/(api|mcp)(\/|\?|$)/;

/**
 * Programs read the API and MCP, what a path allows, and JSON errors wherever they come from; pages and files are for
 * browsers and caches.
 */
const isForPrograms = (request: FastifyRequest, reply: FastifyReply): boolean =>
  CALLED.test(request.url) ||
  request.method === 'OPTIONS' ||
  (reply.statusCode >= 400 && String(reply.getHeader('content-type')).startsWith('application/json'));

/** Adds the headers where no guard set them; a preflight of a browser has them too, and counts nothing. */
export function callLimits(server: FastifyInstance, access: Access, now: () => Date): void {
  const complete = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      if (reply.statusCode >= 500) reply.headers(await access.giveBack(request));
      if (reply.hasHeader('x-ratelimit-limit')) return;
      // A database that is unreachable or too busy is not queried again: for now the caller has no calls left.
      reply.headers(reply.statusCode === 503 ? noCalls(now()) : await access.rateLimitHeaders(request));
    } catch (error) {
      request.log.error({ err: error, request_id: request.id }, 'the limits of a caller could not be read');
      if (!reply.hasHeader('x-ratelimit-limit')) reply.headers(noCalls(now()));
    }
  };
  server.addHook('onSend', (request, reply, payload, done) => {
    const isComplete = reply.statusCode < 500 && reply.hasHeader('x-ratelimit-limit');
    if (isComplete || request.routeOptions.config.ownLimits) return done(null, payload);
    if (!isForPrograms(request, reply)) return done(null, payload);
    // What `done` throws belongs to whoever sends, not to the limits.
    void complete(request, reply).then(() => process.nextTick(done, null, payload));
  });
}

/** For a server without access to accounts: an error without a guard in front of it leaves its caller no calls. */
export function limitsOnErrors(server: FastifyInstance, now: () => Date = () => new Date()): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const hasLimits = reply.hasHeader('x-ratelimit-limit') || request.routeOptions.config.ownLimits;
    if (reply.statusCode >= 400 && !hasLimits) reply.headers(noCalls(now()));
    return payload;
  });
}

/** Text; a stream of events is sent as it comes. */
const COMPRESSED = /^text\/(?!event-stream)|[+/](?:json|xml|yaml)(?:;|$)/;
/** Shorter responses fit one packet as they are. In bytes. */
const MINIMUM = 1_024;

/**
 * Compresses text by brotli or gzip, as `Accept-Encoding` prefers.
 * A page that depends on a cookie is not compressed: it may contain a form token next to text from the address. The length
 * of a compressed page would reveal the token, step by step, to a site that makes its visitor's browser request it often
 * (BREACH). The API takes its keys from headers, which no other site can make a browser send.
 * Must be called before the routes are registered.
 */
export async function compression(server: FastifyInstance): Promise<void> {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    if (isPage && (request.headers.cookie !== undefined || reply.hasHeader('set-cookie')))
      request.headers['x-no-compression'] = 'true';
    done(null, payload);
  });
  await server.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: MINIMUM,
    customTypes: COMPRESSED,
    globalDecompression: false,
  });
}

const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Rate-Limit-Remaining',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-ID',
].join(', ');
const ACCEPTED = 'Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, X-API-Key, X-Request-ID';

const OPEN = /^\/(?:api|\.well-known)\/|^[^?]*\/feed\.(?:rss|atom|json)\/?(?:\?|$)/;

/** Opens everything under `/api/` and `/.well-known/`, and the feeds, to other origins and answers their preflights. */
export function crossOrigin(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!OPEN.test(request.url)) return done();
    reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
    if (request.method !== 'OPTIONS') return done();
    reply.headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': ACCEPTED,
      'access-control-max-age': '86400',
    });
    reply.code(204).send();
  });
}

/** Pages run our own script file and load nothing from elsewhere; whatever a source's text smuggles in stays text. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets them on every answer.
 * @param baseUrl address that readers use: under https it also pins https
 */
export function securityHeaders(server: FastifyInstance, baseUrl: string): void {
  const secure = baseUrl.startsWith('https:');
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    reply.headers({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'cross-origin-opener-policy': 'same-origin',
    });
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', isPage ? PAGE_POLICY : DATA_POLICY);
    if (secure) reply.header('strict-transport-security', 'max-age=31536000');
    done(null, payload);
  });
}
