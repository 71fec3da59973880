/** ETag on every successful GET and HEAD, and 304 for a client that has the same version. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** A weak entity tag of a text: the bytes may be compressed in transit, the meaning stays the same. */
export const entityTag = (text: string | Buffer): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matchesEntityTag = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
};

/** Adds the tag to what routes send. A route whose text contains the current time sets its own `ETag`. */
export function entityTags(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
      return payload;
    const own = reply.getHeader('etag');
    const tag = typeof own === 'string' ? own : entityTag(payload);
    reply.header('etag', tag);
    if (!matchesEntityTag(request.headers['if-none-match'], tag)) return payload;
    reply.code(304).removeHeader('content-length').removeHeader('content-type');
    return null;
  });
}
