/** A tool call as a client of the present protocol sends it. */
const REVISION = '2026-07-28';

export interface ToolCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

const CLIENT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What `fetch` takes to make it at `/mcp`. @param id of the call, among those of the client */
export const toolRequest = ({ tool, args }: ToolCall, id: number, key: string) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': tool,
    'x-api-key': key,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, _meta: CLIENT },
  }),
});

/** True for an answer that holds what was asked for. */
export const isToolAnswer = (text: string): boolean =>
  text.includes('"structuredContent"') && !text.includes('"isError":true');
