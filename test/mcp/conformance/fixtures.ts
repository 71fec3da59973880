/** A build of the service's server, for tests alone, that has the tools, resources and prompts that the suite names. */
import { ResourceNotFoundError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { ASKING, asks } from './asking.ts';
import { image, RESOURCES, SCHEMA_2020_12, STEADY, templateData, text } from './content.ts';

const NOTHING = { type: 'object' as const, properties: {} };
const SPEAKING = ['test_tool_with_logging', 'test_tool_with_progress', 'test_logging_tool'];

const schemaOf = (name: string) => (name === 'json_schema_2020_12_tool' ? SCHEMA_2020_12 : NOTHING);

async function speak(name: string, { mcpReq }: ServerContext) {
  const token = mcpReq._meta?.progressToken;
  if (name === 'test_tool_with_progress' && token !== undefined)
    for (const progress of [0, 50, 100])
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress, total: 100 } });
  if (name !== 'test_tool_with_progress')
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.log('info', said);
  return text(`${name} is done`);
}

function prompt(name: string, args: Record<string, string>, { mcpReq }: ServerContext) {
  const says = (content: object) => ({ messages: [{ role: 'user' as const, content: content as never }] });
  const said = (words: string) => ({ type: 'text', text: words });
  switch (name) {
    case 'test_prompt_with_arguments':
      return says(said(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`));
    case 'test_prompt_with_embedded_resource':
      return says({ type: 'resource', resource: { uri: args.resourceUri, mimeType: 'text/plain', text: 'Embedded.' } });
    case 'test_prompt_with_image':
      return says(image);
    case 'test_input_required_result_prompt':
      return mcpReq.inputResponses?.user_context === undefined
        ? ASKING_CONTEXT
        : says(said(`In context: ${JSON.stringify(mcpReq.inputResponses.user_context)}`));
    default:
      return says(said('This is a simple prompt for testing.'));
  }
}

const ASKING_CONTEXT = {
  resultType: 'input_required' as const,
  inputRequests: { user_context: asks('What context should the prompt use?', 'context') },
};

const PROMPTS = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: name, required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt that holds a resource',
    arguments: [{ name: 'resourceUri', description: 'its address', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt that holds an image' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks back' },
];

/** Puts them in place of those of the service; protocol, transport and guards stay. */
export function withFixtures(server: Server): void {
  server.registerCapabilities({ prompts: {}, completions: {}, logging: {}, resources: { subscribe: true } });
  const names = [...Object.keys(STEADY), ...SPEAKING, ...Object.keys(ASKING)];
  server.setRequestHandler('tools/list', () => ({
    tools: names.map((name) => ({
      name,
      description: `${name} of the suite`,
      inputSchema: schemaOf(name) as typeof NOTHING,
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const [steady, asking] = [STEADY[params.name], ASKING[params.name]];
    if (steady) return steady;
    return asking ? asking(context.mcpReq) : speak(params.name, context);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri, description: `${uri} of the suite` })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
    const resource = id === undefined ? RESOURCES.find((one) => one.uri === uri) : templateData(id);
    if (!resource) throw new ResourceNotFoundError(uri);
    return { contents: [resource] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    prompt(params.name, params.arguments ?? {}, context),
  );
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
}
