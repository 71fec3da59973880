/** The Fastify server below the API, MCP and the pages: its limits, request ids and answers to requests that no route sees. */
import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Configuration } from '../../schemas/configuration.ts';
import {
  answerBrokenRequest,
  type ConnectionLimits,
  connectionLimits,
  connectionOptions,
  limitConnections,
} from './connections.ts';
import { draining } from './draining.ts';
import { answerError, type ErrorPage } from './error-answers.ts';
import { requestIdOf } from './request-records.ts';

/** Bytes. */
const MAXIMUM_BODY = 262_144;

export interface HttpServerOptions {
  readonly configuration: Pick<Configuration, 'BASE_URL' | 'TRUST_PROXY'> &
    Partial<Pick<Configuration, 'CONNECTIONS_PER_CLIENT'>>;
  /** A pino logger; silent when unset. */
  readonly logger?: FastifyBaseLogger;
  /** Limits that differ from the defaults and from the configuration. */
  readonly connections?: Partial<ConnectionLimits>;
  readonly newRequestId?: () => string;
  /** Renders errors for browsers; JSON for every client when unset. */
  readonly errorPage?: ErrorPage;
}

/**
 * The proxies that are trusted to report the address of a client, as Fastify takes them.
 * @param setting a number of hops from the socket, or a list of addresses; no proxy is trusted when unset
 */
function proxyTrust(setting: string | undefined): false | string | ((address: string, hop: number) => boolean) {
  if (setting === undefined) return false;
  return /^\d+$/.test(setting) ? (_address, hop) => hop < Number(setting) : setting;
}

const createRequestId = (): string => `req_${randomBytes(8).toString('hex')}`;

/** Creates the server without plugins for requests and without routes. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { configuration, logger, errorPage, newRequestId = createRequestId } = options;
  const connections = connectionLimits(configuration, options.connections);
  const server: FastifyInstance = Fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: proxyTrust(configuration.TRUST_PROXY),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, newRequestId),
    frameworkErrors: answerError(errorPage),
    clientErrorHandler: answerBrokenRequest(newRequestId),
    bodyLimit: MAXIMUM_BODY,
    ...connectionOptions(connections),
    // Requests that arrive while the server closes are answered as any others: a restart refuses none.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_000 },
  });
  draining(server);
  limitConnections(server, connections, configuration.TRUST_PROXY === undefined, newRequestId);
  return server;
}
