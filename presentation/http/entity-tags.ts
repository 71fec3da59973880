/** ETag on every successful GET and HEAD, and 304 for a client that has the same already. */
import type { FastifyInstance } from 'fastify';
import { entityTag, matches } from './error-answers.ts';

/** Tags what the routes send. A route that knows better, because its text holds the time, sets its own `ETag`. */
export function entityTags(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads || reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
      return payload;
    const own = reply.getHeader('etag');
    const tag = typeof own === 'string' ? own : entityTag(payload);
    reply.header('etag', tag);
    if (!matches(request.headers['if-none-match'], tag)) return payload;
    reply.code(304).removeHeader('content-length').removeHeader('content-type');
    return null;
  });
}
