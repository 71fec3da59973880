/** Compresses responses for clients that accept it. */
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

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
  server.addHook('onSend', async (request, reply, payload) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    if (isPage && (request.headers.cookie !== undefined || reply.hasHeader('set-cookie')))
      request.headers['x-no-compression'] = 'true';
    return payload;
  });
  await server.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: MINIMUM,
    customTypes: COMPRESSED,
    globalDecompression: false,
  });
}
