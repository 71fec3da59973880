/** What every page receives: the services of the site, and the reader who is signed in. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Authorise } from '../access/authorise.ts';
import type { Reader, WebSessions } from '../access/web-sessions.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { LiveCatalogue } from '../ingest/catalogue/effective-catalogue.ts';
import type { FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import type { SourcePreview } from '../ingest/preview-source.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { ModelStatus, Rebuild } from '../projector/model-progress.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import type { Parked } from '../projector/parked-events.ts';
import type { Retried } from '../projector/retry-parked.ts';
import type { Directory, Gazetteer } from '../schemas/directory.ts';
import type { Reason, Understanding } from '../schemas/story.ts';
import type { KnownReport } from '../signal/signal-reports.ts';

/** What operators' pages can do beyond the stores; passed in by the process that serves the pages. */
export interface Desk {
  /** Fetches with the guards and the politeness of the poller. */
  readonly fetchPage: FetchPage;
  /** Retries parked events in their read models. */
  retry(entries: readonly Parked[]): Promise<readonly Retried[]>;
  /** Polls an address without storing anything; unset where a process cannot. */
  preview?(address: string): Promise<SourcePreview>;
  /** Measures what the page of the pipeline shows; unset where a process cannot. */
  measure?(): Promise<PipelineState>;
  /** Begins to rebuild a read model next to the live one, and swaps later; unset where a process cannot. */
  rebuild?(model: string): Promise<void>;
  /** Understands the words of a report, with the reason of every field; unset where a process cannot. */
  understand?(report: KnownReport): Promise<UnderstoodReport>;
}

/** How the service works, as its metrics have it. */
export interface PipelineState {
  /** Servers that do not answer: what depends on them is left out. */
  readonly unreachable: readonly string[];
  readonly groups: readonly {
    readonly topic: string;
    readonly group: string;
    readonly lag: number;
    readonly seconds: number;
  }[];
  readonly models: readonly Pick<ModelStatus, 'model' | 'version' | 'live' | 'lag'>[];
  /** The newest rebuild of each read model, in whichever process. */
  readonly rebuilds: readonly Rebuild[];
  /** By read model. */
  readonly parked: readonly Skipped[];
  /** By consumer, topic and kind. */
  readonly dead_letters: readonly Skipped[];
  readonly mails: readonly { readonly of: 'brief' | 'search'; readonly state: string; readonly mails: number }[];
  /** Null without a language model. */
  readonly model: { readonly spent_usd: number; readonly budget_usd: number } | null;
  /** Connections of this process. */
  readonly pool: { readonly used: number; readonly idle: number; readonly waiting: number; readonly maximum: number };
  readonly processes: readonly { readonly name: string; readonly connections: number }[];
}

interface Skipped {
  readonly name: string;
  readonly many: number;
  /** The error of the newest one. */
  readonly cause: string | null;
}

/** What a report says by the present rules. */
export interface UnderstoodReport {
  readonly understanding: Understanding;
  readonly understood_by: string;
  readonly reasons: readonly Reason[];
}

/** The services that pages may use. */
export interface Site {
  readonly database: Database;
  readonly search: SignalSearch;
  /** Changes by readers are appended here; the projector makes them visible. */
  readonly store: EventStore;
  /** Brands, themes and cities by name, and retired slugs. */
  readonly directory: Directory;
  /** The catalogue in use; null where the process cannot change it. */
  readonly catalogue: LiveCatalogue | null;
  /** Cities, malls, companies and groups of the catalogue. */
  readonly gazetteer: Gazetteer;
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** True while the service reads the invented outlets of the demo newsroom; every page says so. */
  readonly demo: boolean;
  /** Applies the limits of the API to forms that anonymous readers may send. */
  readonly authorise: Authorise;
  /** Sign-in and the sessions of readers. */
  readonly sessions: WebSessions;
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  /** Null where the process cannot fetch and retry for operators. */
  readonly desk: Desk | null;
  /** The setting ALLOW_PRIVATE_SOURCES: sources may be on private networks. */
  readonly privateSources: boolean;
  /** True where the morning brief and digests of saved searches are mailed. */
  readonly mails: boolean;
  /** Where readers reach the operators; null where no address is set. */
  readonly contact: string | null;
  /** Folder with texts of the operators; null for those of the service. */
  readonly texts: string | null;
  /** Returns the OpenAPI document of the API. */
  readonly describeApi: () => unknown;
}

/** What rendering needs once everything is loaded. */
export type Frame = Pick<Site, 'baseUrl' | 'now' | 'demo'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The reader who is signed in, or null. */
    reader: Reader | null;
  }
}

/** Paths that are never refused: crawlers read their rules there. */
const UNCOUNTED: ReadonlySet<string> = new Set(['/robots.txt']);

/**
 * Counts each page against its limit and sets `request.reader`, on every page that is registered after it. Pages of a
 * reader who is signed in are never cached for others.
 */
export function identifyReaders(
  server: FastifyInstance,
  { sessions }: Pick<Site, 'sessions'>,
  { chargePage }: Pick<Access, 'chargePage'>,
): void {
  server.decorateRequest('reader', null);
  server.addHook('onRequest', async (request, reply) => {
    request.reader = await sessions.find(request.headers);
    if (!UNCOUNTED.has(request.routeOptions.url ?? '')) await chargePage(request, request.reader?.account.id ?? null);
    reply.header('vary', 'Cookie');
    if (request.reader) reply.header('cache-control', 'private, no-cache');
  });
}

/** The address of the sign-in page that returns to `path`. */
export const signInAddress = (path: string): string => `/sign-in?${new URLSearchParams({ to: path })}`;

/** Redirects a reader to the sign-in page, which returns to `path`. */
export const redirectToSignIn = (request: FastifyRequest, reply: FastifyReply, path = request.url): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(signInAddress(path), 303);

type ReaderHandler<Route extends RouteGenericInterface> = (
  reader: Reader,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/**
 * Routes for readers who are signed in. Others are led to the sign-in page.
 * @param back the page to return to after signing in; the requested one by default
 */
export function readerRoutes(server: FastifyInstance, back?: string | ((request: FastifyRequest) => string)) {
  const add = (method: 'GET' | 'POST', url: string, handle: ReaderHandler<RouteGenericInterface>): void => {
    server.route({
      method,
      url,
      handler: async (request, reply) =>
        request.reader
          ? handle(request.reader, request, reply)
          : redirectToSignIn(request, reply, typeof back === 'function' ? back(request) : back),
    });
  };
  return {
    get<Route extends RouteGenericInterface = RouteGenericInterface>(path: string, handle: ReaderHandler<Route>): void {
      add('GET', path, handle as ReaderHandler<RouteGenericInterface>);
    },
    post(path: string, handle: ReaderHandler<RouteGenericInterface>): void {
      add('POST', path, handle);
    },
  };
}
