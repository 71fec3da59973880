/** Turns requests away while more are under way than can be answered soon: those that are let in are answered. */
import type { FastifyInstance } from 'fastify';
import { tooBusy } from '../unavailable.ts';

/**
 * Requests under way at once. Each waits for one of the 16 connections of the pool for some milliseconds, at worst for
 * hundreds: so many are done before the pool gives up on the last of them, and they bound the memory of a crowd. The
 * streams that an MCP client may keep open are among them.
 */
export const MOST_UNDER_WAY = 512;

/** Refuses before anything is read or counted. @param most requests that are under way at once */
export function shedOverload(server: FastifyInstance, most = MOST_UNDER_WAY): void {
  let underWay = 0;
  server.addHook('onRequest', async (_request, reply) => {
    if (underWay >= most) throw tooBusy();
    underWay += 1;
    let isOver = false;
    const over = (): void => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    // The one without the other, when the caller leaves before the answer.
    reply.raw.once('finish', over).once('close', over);
  });
}
