/** The server of the API and of everything else on its port: its plugins and routes. */
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Access } from '../access/access.ts';
import { answerServices } from '../answer/answer-question.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { errorAnswers, refuseBadKeys, unknownPaths } from '../presentation/http/error-answers.ts';
import { entityTags, sharedCache } from '../presentation/http/http-caching.ts';
import {
  createHttpServer,
  type HttpServerOptions,
  requestIds,
  requestRecords,
} from '../presentation/http/http-server.ts';
import { callLimits, compression, crossOrigin, securityHeaders } from '../presentation/http/response-headers.ts';
import { postgresSearch, type SignalSearch } from '../projector/models/search-queries.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf, type Gazetteer, gazetteerOf } from '../schemas/directory.ts';
import { describeApi, descriptionText } from './description/document.ts';
import { type Capacity, idempotency, jsonBodies, shedOverload } from './plugins.ts';
import type { RouteContext } from './route.ts';
import { askRoutes, researchRoutes } from './routes/ask.ts';
import { brandRoutes, watchRoutes } from './routes/brands.ts';
import { briefRoutes } from './routes/brief.ts';
import { descriptionRoutes, guideRoutes, qualityRoutes, webhookRoutes } from './routes/documents.ts';
import { feedRoutes } from './routes/feeds.ts';
import { followRoutes, inboxRoutes } from './routes/follows.ts';
import { keyApplicationRoutes, keyRoutes } from './routes/keys.ts';
import { searchRoutes } from './routes/searches.ts';
import { signalRoutes } from './routes/signals.ts';
import { sourceRoutes } from './routes/sources.ts';
import { tableRoutes } from './routes/tables.ts';

interface ServerOptions extends HttpServerOptions {
  readonly configuration: HttpServerOptions['configuration'] & Partial<Pick<Configuration, 'ALLOW_PRIVATE_SOURCES'>>;
  readonly database: Database;
  /** Database that questions to the record are read from, such as a replica; `database` when unset. */
  readonly readers?: Database;
  /** Search and filtered lists; those of `readers` when unset. */
  readonly search?: SignalSearch | undefined;
  readonly store: EventStore;
  /** Brands and themes by name; when unset, only those of stored signals are known. */
  readonly directory?: Directory;
  /** Categories of brands and states of cities; none when unset. */
  readonly gazetteer?: Gazetteer;
  /** Services that answer questions; when unset, names come from the record alone and no model is used. */
  readonly answers?: AskServices & ResearchServices;
  /** Decides who may call what, and how often. */
  readonly access: Access;
  readonly now?: () => Date;
  /** Requests that may wait at once. */
  readonly capacity?: Capacity;
  /** Other parts of the site on this port, such as the pages and MCP; registered after the plugins of the server. */
  readonly surfaces?: readonly FastifyPluginCallback[];
}

/** They read the record, from a replica where there is one. */
const ROUTES = [
  signalRoutes,
  tableRoutes,
  sourceRoutes,
  qualityRoutes,
  brandRoutes,
  watchRoutes,
  briefRoutes,
  followRoutes,
  inboxRoutes,
  searchRoutes,
  askRoutes,
  researchRoutes,
  webhookRoutes,
];
/** They read what they write, from the primary: keys and their use are not part of the record. */
const ACCOUNT_ROUTES = [keyRoutes, keyApplicationRoutes];

/**
 * Builds the server. It does not listen yet; `inject` works at once.
 * Plugins come before routes, because their hooks apply only to what is registered after them.
 */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { database, readers = database, store, configuration, errorPage, surfaces = [] } = options;
  const baseUrl = configuration.BASE_URL;
  const now = options.now ?? (() => new Date());
  const context: RouteContext = {
    database: readers,
    search: options.search ?? postgresSearch(readers),
    store,
    directory: options.directory ?? directoryOf({ brands: [], themes: [] }),
    gazetteer: options.gazetteer ?? gazetteerOf({ brands: [], groups: [], cities: [], malls: [] }),
    baseUrl,
    authorise: options.access.authorise,
    giveBack: options.access.giveBack,
    answers: options.answers ?? answerServices({ database, store, baseUrl, now }),
    now,
    privateSources: configuration.ALLOW_PRIVATE_SOURCES ?? false,
  };
  const server = createHttpServer(options);
  jsonBodies(server);
  requestIds(server);
  requestRecords(server);
  shedOverload(server, options.capacity);
  securityHeaders(server, baseUrl);
  crossOrigin(server);
  entityTags(server);
  errorAnswers(server, errorPage);
  callLimits(server, options.access, now);
  idempotency(server, database);
  refuseBadKeys(server, options.access.identify, baseUrl);
  unknownPaths(server, options.access);
  await compression(server);

  for (const register of ROUTES) register(server, context);
  for (const register of ACCOUNT_ROUTES) register(server, { ...context, database });
  descriptionRoutes(server, context, { yaml: descriptionText, json: () => JSON.stringify(describeApi()) });
  // Feeds and files are read without a key, and limited as pages are.
  server.register(async (own) => {
    own.addHook('onRequest', async (request) => void (await options.access.chargePage(request, null)));
    sharedCache(own);
    feedRoutes(own, context);
    guideRoutes(own, context);
  });
  for (const surface of surfaces) server.register(surface);
  await server.ready();
  return server;
}
