/** Who reads a page: looked up once for each request, before its page runs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Reader } from '../access/web-sessions.ts';
import type { Site } from './site.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null for everybody else. */
    reader: Reader | null;
  }
}

/** What says how to crawl is never refused. */
const UNCOUNTED: ReadonlySet<string> = new Set(['/robots.txt']);

/** Counts the page against its limit, and sets `request.reader` on every page that is registered after it. What a reader sees is kept for nobody else. */
export function readers(
  server: FastifyInstance,
  { sessions }: Pick<Site, 'sessions'>,
  chargePage: Access['chargePage'],
): void {
  server.decorateRequest('reader', null);
  server.addHook('onRequest', async (request, reply) => {
    request.reader = await sessions.find(request.headers);
    if (!UNCOUNTED.has(request.routeOptions.url ?? '')) await chargePage(request, request.reader?.account.id ?? null);
    reply.header('vary', 'Cookie');
    if (request.reader) reply.header('cache-control', 'private, no-cache');
  });
}

/** The address that leads to signing in and back to `path`. */
export const signInAddress = (path: string): string => `/sign-in?${new URLSearchParams({ to: path })}`;

/** Leads somebody who is not signed in to where they can be, and back to `path` after that. */
export const askToSignIn = (request: FastifyRequest, reply: FastifyReply, path = request.url): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(signInAddress(path), 303);
