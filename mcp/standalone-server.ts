/** A server of MCP alone, for processes that answer assistants next to those of the API. */
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback } from 'fastify';
import { limitsOnErrors } from '../presentation/http/call-limits.ts';
import { compression } from '../presentation/http/compression.ts';
import { crossOrigin } from '../presentation/http/cross-origin.ts';
import { entityTags } from '../presentation/http/entity-tags.ts';
import { errorAnswers } from '../presentation/http/error-answers.ts';
import { createHttpServer, type HttpServerOptions } from '../presentation/http/http-server.ts';
import { requestIds, requestRecords } from '../presentation/http/request-records.ts';
import { securityHeaders } from '../presentation/http/security-headers.ts';
import { unknownPaths } from '../presentation/http/unknown-paths.ts';

export interface StandaloneOptions {
  readonly configuration: HttpServerOptions['configuration'];
  readonly logger: FastifyBaseLogger;
  readonly surface: FastifyPluginCallback;
}

/** Builds it with the plugins that it shares with the server of the API. It does not listen yet. */
export async function standaloneServer({
  configuration,
  logger,
  surface,
}: StandaloneOptions): Promise<FastifyInstance> {
  const server = createHttpServer({ configuration, logger });
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
