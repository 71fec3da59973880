/** Caching of answers: ETags with 304, and what a shared cache, such as a CDN, may store of the public pages and feeds. */
import { hash as digest } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A weak entity tag of a text: the bytes may be compressed in transit, the meaning stays the same. */
export const entityTag = (text: string | Buffer): string => `W/"${digest('sha256', text, 'base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matchesEntityTag = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
};

/** Adds the tag to what routes send. A route whose text contains the current time sets its own `ETag`. */
export function entityTags(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
      return done(null, payload);
    const own = reply.getHeader('etag');
    const tag = typeof own === 'string' ? own : entityTag(payload);
    reply.header('etag', tag);
    if (!matchesEntityTag(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.code(304).removeHeader('content-length').removeHeader('content-type');
    done(null, null);
  });
}

/**
 * How long shared caches may store an answer: 30 seconds, 60 more while they fetch it again, a day while the service
 * gives errors.
 */
const SHARED = 's-maxage=30, stale-while-revalidate=60, stale-if-error=86400';

/** True for what is the same for every anonymous reader: nothing of a session, a cookie or a refused call is in it. */
function isShared(request: FastifyRequest, reply: FastifyReply): boolean {
  const control = String(reply.getHeader('cache-control') ?? 'no-cache');
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    [200, 301, 304].includes(reply.statusCode) &&
    request.headers.cookie === undefined &&
    request.headers.authorization === undefined &&
    !reply.hasHeader('set-cookie') &&
    !/no-store|private|max-age=[1-9]\d{3}/.test(control)
  );
}

/**
 * Lets shared caches store the answers of the routes that are registered after it, as far as they are the same for every
 * anonymous reader. Browsers ask as often as the route says, by default each time, which the ETag makes cheap.
 */
export function sharedCache(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isShared(request, reply)) return payload;
    const own = /max-age=\d+/.exec(String(reply.getHeader('cache-control')))?.[0] ?? 'max-age=0, must-revalidate';
    reply.header('cache-control', `public, ${own}, ${SHARED}`);
    return payload;
  });
}
