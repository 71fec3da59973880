/** One call of a tool, from its arguments to its answer. Every error becomes an answer that a model can act on. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/identify-caller.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { readArguments } from './arguments.ts';
import type { ToolContext } from './context.ts';
import { type AnyTool, ToolRefusal } from './tool.ts';

export interface CallOptions {
  readonly context: ToolContext;
  readonly caller: Caller;
  /** Told of an error that is ours; the caller reads only that there was one. */
  readonly failed: (error: unknown) => Promise<string>;
}

/** A refusal that the model reads and can mend: the protocol wants it as a result, not as an error of its own. */
export const toolError = (text: string, meta?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(meta && { _meta: meta }),
});

const mayRead = ({ kind, scopes }: Caller): boolean => kind === 'anonymous' || scopes.includes('read');

/** @param given the arguments as they were sent */
export async function callTool(tool: AnyTool, given: unknown, options: CallOptions): Promise<CallToolResult> {
  const { context, caller, failed } = options;
  try {
    if (!mayRead(caller))
      return toolError(
        'The key or token lacks the scope "read", which every tool needs. Make another key, or sign in, with it.',
      );
    const args = readArguments(tool.input, given);
    const { text, structured } = await tool.run({ ...context, args, caller });
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    if (error instanceof ToolRefusal || error instanceof Refusal) return toolError(error.message);
    return toolError(await failed(error));
  }
}
