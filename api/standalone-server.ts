/** A server of MCP alone, for a process that answers assistants beside those of the API. */
import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginCallback,
  LogController,
} from 'fastify';
import type { Configuration } from '../schemas/configuration.ts';
import { answerBrokenRequest } from './plugins/broken-requests.ts';
import { limitsOnErrors } from './plugins/call-limits.ts';
import { compression } from './plugins/compression.ts';
import { crossOrigin } from './plugins/cross-origin.ts';
import { draining } from './plugins/draining.ts';
import { entityTags } from './plugins/entity-tags.ts';
import { answerError, errorAnswers } from './plugins/error-answers.ts';
import { requestIdOf, requestIds } from './plugins/request-ids.ts';
import { requestRecords } from './plugins/request-records.ts';
import { securityHeaders } from './plugins/security-headers.ts';
import { connectionLimits, connectionOptions, limitConnections } from './plugins/slow-clients.ts';
import { unknownPaths } from './plugins/unknown-paths.ts';
import { trusted } from './trusted.ts';

export interface StandaloneOptions {
  readonly configuration: Pick<Configuration, 'BASE_URL' | 'TRUST_PROXY'> &
    Partial<Pick<Configuration, 'CONNECTIONS_PER_CLIENT'>>;
  readonly logger: FastifyBaseLogger;
  readonly surface: FastifyPluginCallback;
}

const newRequestId = (): string => `req_${randomBytes(8).toString('hex')}`;

/** Builds it with the hooks that the server of the API has. It does not listen yet. */
export async function standaloneServer({
  configuration,
  logger,
  surface,
}: StandaloneOptions): Promise<FastifyInstance> {
  const connections = connectionLimits(configuration);
  const server: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trusted(configuration.TRUST_PROXY),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, newRequestId),
    frameworkErrors: answerError(),
    clientErrorHandler: answerBrokenRequest(newRequestId),
    return503OnClosing: false,
    ...connectionOptions(connections),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_000 },
  });
  draining(server);
  limitConnections(server, connections, configuration.TRUST_PROXY === undefined, newRequestId);
  requestIds(server);
  requestRecords(server);
  securityHeaders(server, configuration.BASE_URL);
  crossOrigin(server);
  entityTags(server);
  errorAnswers(server);
  limitsOnErrors(server);
  unknownPaths(server);
  await compression(server);
  server.register(surface);
  await server.ready();
  return server;
}
