/** Sends a page. */
import type { FastifyReply } from 'fastify';

/** Browsers keep it but ask each time whether it is still the same; the ETag makes that cheap. */
export const sendPage = (reply: FastifyReply, page: string): FastifyReply => {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  return reply.type('text/html; charset=utf-8').send(page);
};
