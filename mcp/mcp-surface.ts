/** MCP as a surface of the HTTP server: both endpoints, discovery documents, icons; and a server of it alone. */
import { isUtf8 } from 'node:buffer';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Identify } from '../access/authorise.ts';
import type { ToolCalls } from '../access/quota/tool-calls.ts';
import { protectedResourceRoute, type SignIn } from '../access/sign-in.ts';
import { errorAnswers, refuseBadKeys, unknownPaths } from '../presentation/http/error-answers.ts';
import { entityTags } from '../presentation/http/http-caching.ts';
import {
  createHttpServer,
  type HttpServerOptions,
  requestIds,
  requestRecords,
} from '../presentation/http/http-server.ts';
import { compression, crossOrigin, limitsOnErrors, securityHeaders } from '../presentation/http/response-headers.ts';
import { postgresSearch } from '../projector/models/search-queries.ts';
import { VERSION } from '../schemas/configuration.ts';
import { addLimitHeaders, handleError, identifyAccountHolder, identifyAnyone, serveEndpoint } from './http-endpoint.ts';
import { createServerFactory, SERVER_DESCRIPTION, SERVER_NAME, SERVER_TITLE, serverIdentity } from './mcp-server.ts';
import type { AnyTool, ToolContext } from './tool.ts';
import { registerIconRoutes, TOOLS } from './tool-list.ts';
import { SIGNAL_CARD } from './tools/get-signal.ts';

/** The revision without sessions, and those of 2025, which the same endpoint answers. */
const PROTOCOL_VERSIONS: readonly string[] = [
  '2026-07-28',
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= '2025'),
];

const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname;

/** The service's name in the form of registries: its domain reversed, a slash and `clarity`. */
export const registeredName = (baseUrl: string): string =>
  `${hostOf(baseUrl)
    .replace(/^\[|\]$/g, '')
    .replaceAll(':', '-')
    .split('.')
    .reverse()
    .join('.')}/${SERVER_NAME}`;

const KEY_HEADER = {
  name: 'Authorization',
  description: 'Bearer and an API key, ck_live_…; without one 50 calls a day',
  isRequired: false,
  isSecret: true,
};

/** MCP Server Card (SEP-2127): identity and where to connect. Clients list the tools at run time. */
export function serverCard(baseUrl: string, signIn: SignIn): Record<string, unknown> {
  const { icons } = serverIdentity(baseUrl);
  const account = {
    type: 'streamable-http',
    url: `${baseUrl}/mcp/account`,
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: registeredName(baseUrl),
    version: VERSION,
    title: SERVER_TITLE,
    description: SERVER_DESCRIPTION,
    websiteUrl: baseUrl,
    icons,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}/mcp`,
        headers: [KEY_HEADER],
        supportedProtocolVersions: PROTOCOL_VERSIONS,
      },
      ...(signIn.kind === 'off' ? [] : [account]),
    ],
  };
}

/** The manifest that a client's configuration is made from. */
export const manifest = (baseUrl: string, signIn: SignIn): Record<string, unknown> => ({
  name: SERVER_NAME,
  title: SERVER_TITLE,
  version: VERSION,
  description: SERVER_DESCRIPTION,
  server_card: `${baseUrl}/mcp/server-card`,
  documentation: `${baseUrl}/developers`,
  protocol_versions: PROTOCOL_VERSIONS,
  mcpServers: { [SERVER_NAME]: { type: 'http', url: `${baseUrl}/mcp` } },
  account:
    signIn.kind === 'off'
      ? null
      : { type: 'http', url: `${baseUrl}/mcp/account`, authorization_servers: [signIn.issuer] },
});

/** AI Catalog: what this host offers to programs. */
export const aiCatalog = (baseUrl: string): Record<string, unknown> => {
  const host = hostOf(baseUrl);
  return {
    specVersion: '1.0',
    host: { displayName: SERVER_TITLE, identifier: host },
    entries: [
      {
        identifier: `urn:air:${host}:${SERVER_NAME}`,
        displayName: SERVER_TITLE,
        description: SERVER_DESCRIPTION,
        version: VERSION,
        type: 'application/mcp-server-card+json',
        mediaType: 'application/mcp-server-card+json',
        url: `${baseUrl}/mcp/server-card`,
      },
      {
        identifier: `urn:air:${host}:${SERVER_NAME}-api`,
        displayName: `${SERVER_TITLE} API`,
        type: 'application/vnd.oai.openapi',
        mediaType: 'application/vnd.oai.openapi',
        url: `${baseUrl}/.well-known/openapi.yaml`,
      },
    ],
  };
};

const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type',
  'cache-control': 'public, max-age=3600',
};

/** Registers one route per document, readable by pages of every site. The text is made once. */
function registerDiscoveryRoutes(server: FastifyInstance, baseUrl: string, signIn: SignIn): void {
  const card = serverCard(baseUrl, signIn);
  const documents: readonly (readonly [path: string, type: string, document: unknown])[] = [
    ['/mcp/server-card', 'application/mcp-server-card+json', card],
    ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json', card],
    ['/.well-known/mcp.json', 'application/json', manifest(baseUrl, signIn)],
    ['/.well-known/mcp/catalog.json', 'application/json', aiCatalog(baseUrl)],
    ['/.well-known/ai-catalog.json', 'application/ai-catalog+json', aiCatalog(baseUrl)],
  ];
  for (const [path, type, document] of documents) {
    const text = JSON.stringify(document, null, 2);
    server.get(path, async (_request, reply) => reply.headers(PUBLIC_HEADERS).type(type).send(text));
  }
}

export interface McpOptions {
  /** `search` is that of `database` when unset. */
  readonly context: Omit<ToolContext, 'search'> & Partial<Pick<ToolContext, 'search'>>;
  readonly identify: Identify;
  readonly calls: ToolCalls;
  readonly signIn: SignIn;
  /** Default: all ten. */
  readonly tools?: readonly AnyTool[];
}

/** The Fastify plugin that serves MCP; `buildServer` takes it among its surfaces. */
export function mcpSurface(options: McpOptions): FastifyPluginCallback {
  const { identify, calls, signIn, tools = TOOLS } = options;
  const context = { search: postgresSearch(options.context.database), ...options.context };
  const { baseUrl } = context;
  const make = createServerFactory({ context, tools, resources: [SIGNAL_CARD] });
  const endpoints: FastifyPluginCallback = (server, _options, done) => {
    // Bodies stay text until the caller is known, and are parsed as JSON whatever their content type; bytes that are no text
    // are refused then.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, parsed) =>
      parsed(null, isUtf8(bytes) ? bytes.toString('utf8') : bytes),
    );
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
  readonly identify: Identify;
}

/** Builds it with the plugins that it shares with the server of the API. It does not listen yet. */
export async function standaloneServer({
  configuration,
  logger,
  surface,
  identify,
}: StandaloneOptions): Promise<FastifyInstance> {
  const server = createHttpServer({ configuration, logger });
  requestIds(server);
  requestRecords(server);
  securityHeaders(server, configuration.BASE_URL);
  crossOrigin(server);
  entityTags(server);
  errorAnswers(server);
  limitsOnErrors(server);
  refuseBadKeys(server, identify, configuration.BASE_URL);
  unknownPaths(server);
  await compression(server);
  server.register(surface);
  await server.ready();
  return server;
}
