/** Moves clients to another process before this one stops listening. */
import type { FastifyInstance } from 'fastify';

/**
 * Adds the hooks. After `beginDraining` every answer closes its connection, so that no client keeps one that is about to be
 * closed: a request on a connection that closes at the same moment would be lost.
 */
export function draining(server: FastifyInstance): void {
  let begun = false;
  server.decorate('beginDraining', () => {
    begun = true;
  });
  server.addHook('onRequest', async (_request, { raw }) => {
    if (begun) raw.setHeader('connection', 'close');
  });
  // For requests that came earlier.
  server.addHook('onSend', async (_request, { raw }, payload) => {
    if (begun && !raw.headersSent) raw.setHeader('connection', 'close');
    return payload;
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on, asks clients to close their connections after the answer. */
    beginDraining(): void;
  }
}
