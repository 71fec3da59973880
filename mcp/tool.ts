/** What a tool is, what it may use, and what its structured answers share. Each tool is a file in `tools/`. */
import { z } from 'zod';
import type { Caller } from '../access/identify-caller.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import { type Directory, directoryOf, type Entry } from '../schemas/directory.ts';
import { type Gazetteer, gazetteerOf } from '../schemas/gazetteer.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';
import { QUOTE_NOTICE } from './tool-text.ts';

// What tools are given. They reach nothing else.

/** What is known by name, whether or not the record tells anything of it yet. */
export interface NameLookup {
  /** Brands and themes by slug, and the slugs that were retired. */
  readonly directory: Directory;
  /** Companies, places and groups by whatever name they are given. */
  readonly gazetteer: Gazetteer;
  readonly themes: NameIndex<Entry>;
}

export interface ToolContext extends NameLookup {
  readonly database: Database;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** @param catalogue may be empty: then brands and themes are known by their stories alone */
export const createNameLookup = (
  catalogue: Pick<Catalogue, 'brands' | 'themes' | 'groups' | 'cities' | 'malls'>,
): NameLookup => ({
  directory: directoryOf(catalogue),
  gazetteer: gazetteerOf(catalogue),
  themes: nameIndex(
    catalogue.themes.map(({ slug, name, words }) => ({ thing: { slug, name }, names: [name, slug, ...words] })),
  ),
});

// What a tool is: a file each in `tools/`, thin over the queries that the API answers from.

/** A call with its arguments checked. */
interface ToolCall<Input> extends ToolContext {
  readonly args: Input;
  readonly caller: Caller;
}

/** An answer twice: as text that reads well alone, and as a structure that the output schema accepts. */
interface ToolAnswer<Output> {
  readonly text: string;
  readonly structured: Output;
}

interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
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

// What the structured answers of tools share.

/** In every structure that quotes outlets: clients may show a model the structure alone. */
export const NoticeField = { notice: z.string().describe('How to take quoted text') };
export const noticeField = { notice: QUOTE_NOTICE } as const;

/** A signal as a stored document. The store holds what the projector wrote, so its form is not checked again. */
export const readStored = <Document>(text: string): Document => JSON.parse(text) as Document;
