/** Compresses responses for clients that accept it. */
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Text that shrinks; a stream of events is sent as it comes. */
const COMPRESSED = /^text\/(?!event-stream)|[+/](?:json|xml|yaml)(?:;|$)/;
/** Shorter responses fit one packet as they are. In bytes. */
const LEAST = 1_024;

/**
 * Compresses text by brotli or gzip, as `Accept-Encoding` prefers.
 * A page that depends on a cookie stays as it is: it may contain a form token next to text from the address, and the
 * length of a compressed page would tell the token by and by to a site that makes its reader's browser ask for it often
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
    threshold: LEAST,
    customTypes: COMPRESSED,
    globalDecompression: false,
  });
}
