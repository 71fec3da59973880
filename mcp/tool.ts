/**
 * What a tool is, what it may use, and what structured answers share. Each tool is a file in `tools/`, a thin layer over
 * the queries that the API uses too.
 */

import { z } from 'zod';
import type { Caller } from '../access/identify-caller.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import { type Directory, directoryOf, type Entry, type Gazetteer, gazetteerOf } from '../schemas/directory.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';
import { QUOTE_NOTICE } from './tool-text.ts';

/** Everything that the catalogue knows by name, with or without signals about it. */
export interface NameLookup {
  /** Brands and themes by slug, including retired slugs. */
  readonly directory: Directory;
  /** Companies, places and groups by any of their names. */
  readonly gazetteer: Gazetteer;
  readonly themes: NameIndex<Entry>;
}

/** What tools may use; nothing else is in their reach. */
export interface ToolContext extends NameLookup {
  readonly database: Database;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** @param catalogue may be empty: then brands and themes are known only from stories */
export const createNameLookup = (
  catalogue: Pick<Catalogue, 'brands' | 'themes' | 'groups' | 'cities' | 'malls'>,
): NameLookup => ({
  directory: directoryOf(catalogue),
  gazetteer: gazetteerOf(catalogue),
  themes: nameIndex(
    catalogue.themes.map(({ slug, name, words }) => ({ thing: { slug, name }, names: [name, slug, ...words] })),
  ),
});

/** A call with its arguments checked. */
interface ToolCall<Input> extends ToolContext {
  readonly args: Input;
  readonly caller: Caller;
}

/** An answer in two forms: as text that is complete on its own, and as a structure that matches the output schema. */
interface ToolAnswer<Output> {
  readonly text: string;
  readonly structured: Output;
}

interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** Name for users. */
  readonly title: string;
  /** What the tool is for and when to use it, for the model that chooses among the tools. */
  readonly description: string;
  /** The description of each field says what it allows; models and error messages use it. */
  readonly input: Input;
  readonly output: Output;
  /** Drawing of its icon: the inside of an SVG of 24 by 24, in strokes. */
  readonly icon: string;
  /** `_meta` of the tool, such as the card that shows its answer. */
  readonly meta?: Readonly<Record<string, unknown>>;
  run(call: ToolCall<z.output<Input>>): Promise<ToolAnswer<z.output<Output>>>;
}

/** A tool without the types of its input and output. */
export type AnyTool = Omit<Tool, 'run'> & {
  run(call: ToolCall<unknown>): Promise<ToolAnswer<Readonly<Record<string, unknown>>>>;
};

/** Keeps the types of input and output together within the file of a tool. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(one: Tool<Input, Output>): AnyTool =>
  one as unknown as AnyTool;

/** Refuses a call with a message that says how to correct it. The text of any other error is never shown. */
export class ToolRefusal extends Error {
  override name = 'ToolRefusal';
}

/** Part of every structure that quotes outlets: clients may give a model the structure alone. */
export const NoticeField = { notice: z.string().describe('How to take quoted text') };
/** The value of `NoticeField`. */
export const noticeField = { notice: QUOTE_NOTICE } as const;

/** Parses a stored document. The projector wrote it, so its form is not checked again. */
export const readStored = <Document>(text: string): Document => JSON.parse(text) as Document;
