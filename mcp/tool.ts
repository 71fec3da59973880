/** What a tool is: a file each in `tools/`, thin over the queries that the API answers from. */
import type { z } from 'zod';
import type { Caller } from '../access/identify-caller.ts';
import type { ToolContext } from './context.ts';

/** A call with its arguments checked. */
export interface ToolCall<Input> extends ToolContext {
  readonly args: Input;
  readonly caller: Caller;
}

/** An answer twice: as text that reads well alone, and as a structure that the output schema accepts. */
export interface ToolAnswer<Output> {
  readonly text: string;
  readonly structured: Output;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For a model that has to choose among tools. */
  readonly description: string;
  /** Every field described with what it allows, for models and for errors. */
  readonly input: Input;
  readonly output: Output;
  /** Drawing of its icon: the inside of an SVG of 24 by 24, in strokes. */
  readonly icon: string;
  /** `_meta` of the tool, such as the card that shows its answer. */
  readonly meta?: Readonly<Record<string, unknown>>;
  run(call: ToolCall<z.output<Input>>): Promise<ToolAnswer<z.output<Output>>>;
}

/** A tool whose types only its own file knows. */
export type AnyTool = Omit<Tool, 'run'> & {
  run(call: ToolCall<unknown>): Promise<ToolAnswer<Readonly<Record<string, unknown>>>>;
};

/** Keeps the types of input and output together within the file of a tool. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(one: Tool<Input, Output>): AnyTool =>
  one as unknown as AnyTool;

/** Says no to a call in words that help to make a better one. Every other error is ours, and its text is never shown. */
export class ToolRefusal extends Error {
  override name = 'ToolRefusal';
}
