/** What pages are given: the services of the site, and who reads the page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Authorise } from '../access/authorise.ts';
import type { Reader, WebSessions } from '../access/web-sessions.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Parked } from '../projector/parked-events.ts';
import type { Retried } from '../projector/retry-parked.ts';
import type { Directory } from '../schemas/directory.ts';
import type { Gazetteer } from '../schemas/gazetteer.ts';

// What operators can do on pages that reaches beyond the stores: handed in by the process that serves them.

export interface Desk {
  /** Fetches under the guards and manners of the poller. */
  readonly fetchPage: FetchPage;
  /** Has the read model take parked events now. */
  retry(entries: readonly Parked[]): Promise<readonly Retried[]>;
}

// What pages are given. They reach nothing else.

export interface Site {
  readonly database: Database;
  /** What readers change is appended here; it comes back as a projection. */
  readonly store: EventStore;
  /** Brands, themes and cities by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Cities, malls, companies and groups of the catalogue, and what belongs to them. */
  readonly gazetteer: Gazetteer;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** True while the service reads the made-up outlets of the demo newsroom: pages say so. */
  readonly demo: boolean;
  /** Guards forms that anybody may send, by the limits of the API. */
  readonly authorise: Authorise;
  /** Who reads, and how they sign in. */
  readonly sessions: WebSessions;
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  /** What operators' pages need besides; null where the process cannot do it. */
  readonly desk: Desk | null;
  /** True where the morning brief is mailed. */
  readonly mails: boolean;
  /** Returns the OpenAPI document of the API. */
  readonly describeApi: () => unknown;
}

/** What a page needs that is rendered from what was loaded already. */
export type Frame = Pick<Site, 'baseUrl' | 'now' | 'demo'>;

// Who reads a page: looked up once for each request, before its page runs.

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
