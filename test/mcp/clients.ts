/** Two clients of different ages, each as its users have it, behind one small face. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface Answer {
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
  readonly isError: boolean;
  readonly meta: Record<string, unknown> | undefined;
}

export interface AnyClient {
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
  tools(): Promise<{ name: string; [field: string]: unknown }[]>;
  read(
    uri: string,
  ): Promise<{ mimeType?: string | undefined; text?: string; _meta?: Record<string, unknown> | undefined }>;
  templates(): Promise<{ uriTemplate: string }[]>;
  prompts(): Promise<{ name: string }[]>;
  /** The text of a prompt's only message. */
  prompt(name: string, args: Record<string, string>): Promise<string>;
  /** The revision that both sides speak. */
  revision(): string | undefined;
  instructions(): string | undefined;
  close(): Promise<void>;
}

type Result = {
  content?: readonly { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
};

const answerOf = (result: Result): Answer => {
  const [first, ...others] = result.content ?? [];
  if (first?.type !== 'text' || others.length > 0) throw new Error('an answer is exactly one text');
  return {
    text: first.text ?? '',
    structured: result.structuredContent as Record<string, unknown> | undefined,
    isError: result.isError ?? false,
    meta: result._meta,
  };
};

const promptText = ({ messages }: { messages: { content: { type: string; text?: string } }[] }): string => {
  const [first, ...others] = messages;
  if (first?.content.type !== 'text' || others.length > 0) throw new Error('a prompt is exactly one text');
  return first.content.text ?? '';
};

const ABOUT = { name: 'test', version: '1.0.0' };

/** The client of the present revision; it checks every structured answer against the schema that was listed. */
export async function newClient(url: string, headers: Record<string, string> = {}): Promise<AnyClient> {
  const client = new NewClient(ABOUT, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new NewTransport(new URL(url), { requestInit: { headers } }));
  return {
    call: async (name, args = {}) => answerOf((await client.callTool({ name, arguments: args })) as Result),
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents[0] ?? {},
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    revision: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** The client that stops at the revision of November 2025. */
export async function oldClient(url: string, headers: Record<string, string> = {}): Promise<AnyClient> {
  const client = new OldClient(ABOUT);
  const transport = new OldTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return {
    call: async (name, args = {}) => answerOf((await client.callTool({ name, arguments: args })) as Result),
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents[0] ?? {},
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    revision: () => transport.protocolVersion,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

export const CLIENTS = [
  { age: '2.x', open: newClient, revision: '2026-07-28' },
  { age: '1.x', open: oldClient, revision: '2025-11-25' },
] as const;
