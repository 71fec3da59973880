/** Makes the server of one request: the same tools and resources for every revision of the protocol. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { INSTRUCTIONS, implementation } from './about.ts';
import { callTool, toolError } from './call-tool.ts';
import type { ToolContext } from './context.ts';
import type { ServedRequest } from './http/served-request.ts';
import { listTools } from './list-tools.ts';
import { PROMPTS, promptOf } from './prompts.ts';
import { isSignalUri, readSignalResource, SIGNAL_TEMPLATE } from './signal-resource.ts';
import type { AnyTool } from './tool.ts';

/** What clients may read besides calling tools, such as a card. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ServerParts {
  readonly context: ToolContext;
  readonly tools: readonly AnyTool[];
  readonly resources: readonly Resource[];
  /** More that a server does; tests add what the conformance suite asks of one. */
  readonly extend?: (server: Server) => void;
}

/** Lists are the same for everybody until the next release. */
const KEPT = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

/** Makes the maker; what is the same in every request is made once. */
export function serverMaker({ context, tools, resources, extend }: ServerParts): (request: ServedRequest) => Server {
  const { baseUrl } = context;
  const listed = { tools: listTools(tools, baseUrl) };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listedResources = {
    resources: resources.map(({ text, meta, ...about }) => ({
      ...about,
      size: Buffer.byteLength(text),
      ...(meta && { _meta: { ...meta } }),
    })),
  };
  const byUri = new Map(resources.map((resource) => [resource.uri, resource]));
  const options = {
    instructions: INSTRUCTIONS,
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      prompts: { listChanged: false },
      extensions: { 'io.modelcontextprotocol/ui': {} },
    },
    cacheHints: {
      'tools/list': KEPT,
      'resources/list': KEPT,
      'resources/templates/list': KEPT,
      'resources/read': KEPT,
      'prompts/list': KEPT,
      'server/discover': KEPT,
    },
  };
  const onlyPage = (cursor: string | undefined): void => {
    if (cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'cursor: the list has one page; leave the cursor out');
  };
  return (request) => {
    const server = new Server(implementation(baseUrl), options);
    server.setRequestHandler('tools/list', ({ params }) => {
      onlyPage(params?.cursor);
      return listed;
    });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }: ServerContext) => {
      const tool = byName.get(params.name);
      if (!tool)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${JSON.stringify(params.name).slice(0, 80)}; there are ${[...byName.keys()].join(', ')}`,
        );
      const refused = request.refusals.get(mcpReq.id);
      if (refused) return toolError(refused.text, refused.meta);
      return callTool(tool, params.arguments, {
        context,
        caller: request.caller,
        failed: (error) => request.failed(mcpReq.id, error),
      });
    });
    server.setRequestHandler('resources/list', ({ params }) => {
      onlyPage(params?.cursor);
      return listedResources;
    });
    server.setRequestHandler('resources/templates/list', ({ params }) => {
      onlyPage(params?.cursor);
      return { resourceTemplates: [SIGNAL_TEMPLATE] };
    });
    server.setRequestHandler('resources/read', async ({ params }) => {
      // A signal may be corrected or held at any time, so clients keep it for a minute.
      if (isSignalUri(params.uri))
        return {
          contents: [await readSignalResource(context, params.uri)],
          ttlMs: 60_000,
          cacheScope: 'public' as const,
        };
      const found = byUri.get(params.uri);
      if (!found) throw new ResourceNotFoundError(params.uri);
      const { uri, mimeType, text, meta } = found;
      return { contents: [{ uri, mimeType, text, ...(meta && { _meta: { ...meta } }) }] };
    });
    server.setRequestHandler('prompts/list', ({ params }) => {
      onlyPage(params?.cursor);
      return { prompts: PROMPTS };
    });
    server.setRequestHandler('prompts/get', ({ params }) => promptOf(params.name, params.arguments));
    extend?.(server);
    return server;
  };
}
