/** MCP as a surface of the HTTP server: both endpoints, the discovery documents and the icons. */
import type { Server } from '@modelcontextprotocol/server';
import type { FastifyPluginCallback } from 'fastify';
import type { Identify } from '../access/identify-caller.ts';
import type { ToolCalls } from '../access/quota/tool-calls.ts';
import { protectedResourceRoute, type SignIn } from '../access/sign-in.ts';
import { registerDiscoveryRoutes } from './discovery.ts';
import { addLimitHeaders, identifyAccountHolder, identifyAnyone } from './http-admission.ts';
import { serveEndpoint } from './http-endpoint.ts';
import { handleError } from './http-errors.ts';
import { createServerFactory } from './mcp-server.ts';
import { SIGNAL_CARD } from './signal-resources.ts';
import type { AnyTool, ToolContext } from './tool.ts';
import { TOOLS } from './tool-catalogue.ts';
import { registerIconRoutes } from './tool-list.ts';

export interface McpOptions {
  readonly context: ToolContext;
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
  const { context, identify, calls, signIn, tools = TOOLS, extend } = options;
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
