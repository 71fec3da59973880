/**
 * MCP as a surface of the HTTP server: both endpoints, the discovery documents and the icons; and a server of it
 * alone, for processes that answer assistants next to those of the API.
 */
import type { Server } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Identify } from '../access/authorise.ts';
import type { ToolCalls } from '../access/quota/tool-calls.ts';
import { protectedResourceRoute, type SignIn } from '../access/sign-in.ts';
import { errorAnswers, unknownPaths } from '../presentation/http/error-answers.ts';
import { entityTags } from '../presentation/http/http-caching.ts';
import {
  createHttpServer,
  type HttpServerOptions,
  requestIds,
  requestRecords,
} from '../presentation/http/http-server.ts';
import { compression, crossOrigin, limitsOnErrors, securityHeaders } from '../presentation/http/response-headers.ts';
import { postgresSearch } from '../projector/models/search-queries.ts';
import { registerDiscoveryRoutes } from './discovery.ts';
import { addLimitHeaders, identifyAccountHolder, identifyAnyone } from './http-admission.ts';
import { handleError, serveEndpoint } from './http-endpoint.ts';
import { createServerFactory } from './mcp-server.ts';
import { SIGNAL_CARD } from './signal-resources.ts';
import type { AnyTool, ToolContext } from './tool.ts';
import { registerIconRoutes, TOOLS } from './tool-list.ts';

export interface McpOptions {
  /** `search` is that of `database` when unset. */
  readonly context: Omit<ToolContext, 'search'> & Partial<Pick<ToolContext, 'search'>>;
  readonly identify: Identify;
  readonly calls: ToolCalls;
  readonly signIn: SignIn;
  /** Default: all ten. */
  readonly tools?: readonly AnyTool[];
  /** Further handlers, for tests. */
  readonly extend?: (server: Server) => void;
}

/** The Fastify plugin that serves MCP; `buildServer` takes it among its surfaces. */
export function mcpSurface(options: McpOptions): FastifyPluginCallback {
  const { identify, calls, signIn, tools = TOOLS, extend } = options;
  const context = { search: postgresSearch(options.context.database), ...options.context };
  const { baseUrl } = context;
  const make = createServerFactory({ context, tools, resources: [SIGNAL_CARD], ...(extend && { extend }) });
  const endpoints: FastifyPluginCallback = (server, _options, done) => {
    // Bodies stay text until the caller is known, and are parsed as JSON whatever their content type.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, parsed) => parsed(null, body));
    server.setErrorHandler(handleError);
    addLimitHeaders(server, { identify, calls, baseUrl, now: context.now });
    serveEndpoint(server, { path: '/mcp', baseUrl, calls, make, callerOf: identifyAnyone(identify, baseUrl) });
    serveEndpoint(server, {
      path: '/mcp/account',
      baseUrl,
      calls,
      make,
      callerOf: identifyAccountHolder(identify, baseUrl, signIn),
    });
    done();
  };
  return (server, _options, done) => {
    server.register(endpoints);
    server.register(protectedResourceRoute(`${baseUrl}/mcp/account`, 'Clarity for assistants', signIn));
    registerDiscoveryRoutes(server, baseUrl, signIn);
    registerIconRoutes(server, tools);
    done();
  };
}

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
