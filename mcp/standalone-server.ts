/** A server of MCP alone, for a process that answers assistants beside those of the API. */
import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginCallback,
  LogController,
} from 'fastify';
import { limitsOnErrors } from '../presentation/http/call-limits.ts';
import { compression } from '../presentation/http/compression.ts';
import {
  answerBrokenRequest,
  connectionLimits,
  connectionOptions,
  limitConnections,
} from '../presentation/http/connections.ts';
import { crossOrigin } from '../presentation/http/cross-origin.ts';
import { draining } from '../presentation/http/draining.ts';
import { entityTags } from '../presentation/http/entity-tags.ts';
import { answerError, errorAnswers } from '../presentation/http/error-answers.ts';
import { proxyTrust } from '../presentation/http/http-server.ts';
import { requestIdOf, requestIds, requestRecords } from '../presentation/http/request-records.ts';
import { securityHeaders } from '../presentation/http/security-headers.ts';
import { unknownPaths } from '../presentation/http/unknown-paths.ts';
import type { Configuration } from '../schemas/configuration.ts';

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
    trustProxy: proxyTrust(configuration.TRUST_PROXY),
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
