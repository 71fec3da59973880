/** MCP as a surface of the server: both endpoints, the documents of discovery, the icons. */
import type { Server } from '@modelcontextprotocol/server';
import type { FastifyPluginCallback } from 'fastify';
import type { Identify } from '../access/identify-caller.ts';
import type { ToolCalls } from '../access/quota/tool-calls.ts';
import { protectedResourceRoute, type SignIn } from '../access/sign-in.ts';
import { SIGNAL_CARD } from './cards/signal-card.ts';
import type { ToolContext } from './context.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { accountHolder, anybody } from './http/callers.ts';
import { serveEndpoint } from './http/endpoint.ts';
import { rpcErrors } from './http/errors.ts';
import { limitsOnEveryAnswer } from './http/limit-headers.ts';
import { iconRoutes } from './icons.ts';
import { serverMaker } from './server.ts';
import type { AnyTool } from './tool.ts';
import { TOOLS } from './tools.ts';

export interface McpOptions {
  readonly context: ToolContext;
  readonly identify: Identify;
  readonly calls: ToolCalls;
  readonly signIn: SignIn;
  /** All ten when unset. */
  readonly tools?: readonly AnyTool[];
  /** More that the server does; for tests. */
  readonly extend?: (server: Server) => void;
}

/** What `buildServer` takes among its surfaces. */
export function mcpSurface(options: McpOptions): FastifyPluginCallback {
  const { context, identify, calls, signIn, tools = TOOLS, extend } = options;
  const { baseUrl } = context;
  const make = serverMaker({ context, tools, resources: [SIGNAL_CARD], ...(extend && { extend }) });
  const endpoints: FastifyPluginCallback = (server, _options, done) => {
    // Bodies stay text until it is known who sends them, and are JSON whatever a faulty one is called.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, parsed) => parsed(null, body));
    server.setErrorHandler(rpcErrors);
    limitsOnEveryAnswer(server, { identify, calls, baseUrl, now: context.now });
    serveEndpoint(server, { path: '/mcp', baseUrl, calls, make, callerOf: anybody(identify, baseUrl) });
    serveEndpoint(server, {
      path: '/mcp/account',
      baseUrl,
      calls,
      make,
      callerOf: accountHolder(identify, baseUrl, signIn),
    });
    done();
  };
  return (server, _options, done) => {
    server.register(endpoints);
    server.register(protectedResourceRoute(`${baseUrl}/mcp/account`, 'Clarity for assistants', signIn));
    discoveryRoutes(server, baseUrl, signIn);
    iconRoutes(server, tools);
    done();
  };
}
