/** The server of the API and of everything else on its port, apart from the listener. */
import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginCallback,
  LogController,
} from 'fastify';
import type { Access } from '../access/access.ts';
import { answerServices } from '../answer/answer-services.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { callLimits } from '../presentation/http/call-limits.ts';
import { compression } from '../presentation/http/compression.ts';
import {
  answerBrokenRequest,
  type ConnectionLimits,
  connectionLimits,
  connectionOptions,
  limitConnections,
} from '../presentation/http/connections.ts';
import { crossOrigin } from '../presentation/http/cross-origin.ts';
import { draining } from '../presentation/http/draining.ts';
import { entityTags } from '../presentation/http/entity-tags.ts';
import { answerError, type ErrorPage, errorAnswers } from '../presentation/http/error-answers.ts';
import { proxyTrust } from '../presentation/http/http-server.ts';
import { requestIdOf, requestIds, requestRecords } from '../presentation/http/request-records.ts';
import { securityHeaders } from '../presentation/http/security-headers.ts';
import { unknownPaths } from '../presentation/http/unknown-paths.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf } from '../schemas/directory.ts';
import { descriptionText } from './description/document.ts';
import { idempotency } from './plugins/idempotency.ts';
import { jsonBodies } from './plugins/json-bodies.ts';
import { type Capacity, shedOverload } from './plugins/overload.ts';
import type { RouteContext } from './route.ts';
import { askRoutes } from './routes/ask.ts';
import { brandRoutes } from './routes/brands.ts';
import { briefRoutes } from './routes/brief.ts';
import { descriptionRoutes, guideRoutes } from './routes/documents.ts';
import { feedRoutes } from './routes/feeds.ts';
import { followRoutes } from './routes/follows.ts';
import { inboxRoutes } from './routes/inbox.ts';
import { keyApplicationRoutes } from './routes/key-applications.ts';
import { keyRoutes } from './routes/keys.ts';
import { researchRoutes } from './routes/research.ts';
import { signalRoutes } from './routes/signals.ts';
import { sourceRoutes } from './routes/sources.ts';
import { watchRoutes } from './routes/watch.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export interface ServerOptions {
  readonly database: Database;
  /** What questions to the record go to, such as a replica; `database` when unset. */
  readonly readers?: Database;
  readonly store: EventStore;
  /** Brands and themes by name; unset, they are known by their stories alone. */
  readonly directory?: Directory;
  readonly configuration: Pick<Configuration, 'BASE_URL' | 'TRUST_PROXY'> &
    Partial<Pick<Configuration, 'CONNECTIONS_PER_CLIENT'>>;
  /** What questions are answered with; unset, names are known by the record alone and no model is asked. */
  readonly answers?: AskServices & ResearchServices;
  /** A pino logger; silent when unset. */
  readonly logger?: FastifyBaseLogger;
  /** Who may call what, and how often. */
  readonly access: Access;
  readonly now?: () => Date;
  /** Requests that may wait at once. */
  readonly room?: Capacity;
  /** Of connections, where they differ from CONNECTION_LIMITS and from the configuration. */
  readonly connections?: Partial<ConnectionLimits>;
  readonly newRequestId?: () => string;
  /** What else answers on this port, such as the pages and MCP; registered under the server's hooks. */
  readonly surfaces?: readonly FastifyPluginCallback[];
  /** Renders errors for browsers; JSON for everybody when unset. */
  readonly errorPage?: ErrorPage;
}

const newRequestId = (): string => `req_${randomBytes(8).toString('hex')}`;

/** They read the record, from a replica where there is one. */
const ROUTES = [
  signalRoutes,
  sourceRoutes,
  brandRoutes,
  watchRoutes,
  briefRoutes,
  followRoutes,
  inboxRoutes,
  askRoutes,
  researchRoutes,
  webhookRoutes,
];
/** They read what they write, from the primary: keys and their use are not part of the record. */
const ACCOUNT_ROUTES = [keyRoutes, keyApplicationRoutes];

/**
 * Builds the server. It does not listen yet; `inject` works at once.
 * Plugins come before routes, because their hooks hold only for what is registered after them.
 */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { database, store, configuration, logger, errorPage, surfaces = [] } = options;
  const baseUrl = configuration.BASE_URL;
  const now = options.now ?? (() => new Date());
  const context: RouteContext = {
    database: options.readers ?? database,
    store,
    directory: options.directory ?? directoryOf({ brands: [], themes: [] }),
    baseUrl,
    authorise: options.access.authorise,
    giveBack: options.access.giveBack,
    answers: options.answers ?? answerServices({ database, store, baseUrl, now }),
    now,
  };
  const connections = connectionLimits(configuration, options.connections);
  const idOf = options.newRequestId ?? newRequestId;
  const server: FastifyInstance = Fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: proxyTrust(configuration.TRUST_PROXY),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, idOf),
    frameworkErrors: answerError(errorPage),
    clientErrorHandler: answerBrokenRequest(idOf),
    bodyLimit: 262_144,
    ...connectionOptions(connections),
    // What comes while the server closes is answered like any other: nobody is refused for a restart.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_000 },
  });
  draining(server);
  jsonBodies(server);
  limitConnections(server, connections, configuration.TRUST_PROXY === undefined, idOf);
  requestIds(server);
  requestRecords(server);
  shedOverload(server, options.room);
  securityHeaders(server, baseUrl);
  crossOrigin(server);
  entityTags(server);
  errorAnswers(server, errorPage);
  callLimits(server, options.access, now);
  idempotency(server, database);
  unknownPaths(server, options.access.authorise);
  await compression(server);

  for (const register of ROUTES) register(server, context);
  for (const register of ACCOUNT_ROUTES) register(server, { ...context, database });
  descriptionRoutes(server, context, descriptionText);
  // Feeds and files are read without a key, and limited as pages are.
  server.register(async (own) => {
    own.addHook('onRequest', (request) => options.access.chargePage(request, null));
    feedRoutes(own, context);
    guideRoutes(own, context);
  });
  for (const surface of surfaces) server.register(surface);
  await server.ready();
  return server;
}
