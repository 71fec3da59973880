/**
 * What a tool is, what it may use, what structured answers share, and arguments: lenient about their form, strict
 * about their meaning. Each tool is a file in `tools/`, a thin layer over the queries that the API uses too.
 */
import { z } from 'zod';
import type { Caller } from '../access/authorise.ts';
import type { MeaningOf } from '../ingest/understand/encoder/item-encoder.ts';
import type { Database } from '../log/postgres/database.ts';
import { cursorRefusal } from '../presentation/public-records.ts';
import { CursorError } from '../projector/models/query-parts.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import { type Directory, directoryOf, type Entry, type Gazetteer, gazetteerOf } from '../schemas/directory.ts';
import { joinedSentences, quoted } from '../schemas/input-errors.ts';
import { LOOK_BACK } from '../schemas/moves-by-kind.ts';
import { type NameIndex, nameIndex } from '../schemas/name-search.ts';
import { Cursor, unstorableText } from '../schemas/parameters.ts';
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
  readonly search: SignalSearch;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly now: () => Date;
  /** What words say, for what says the same in others; null or unset to search by words alone. */
  readonly meaningOf?: MeaningOf | null | undefined;
}

/** @param catalogue may be empty: then brands and themes are known only from stories */
export const createNameLookup = (
  catalogue: Pick<Catalogue, 'brands' | 'themes' | 'groups' | 'cities' | 'malls'>,
): NameLookup => ({
  directory: directoryOf(catalogue),
  gazetteer: gazetteerOf(catalogue),
  themes: nameIndex(
    catalogue.themes.map(({ slug, retired_slugs = [], name, words }) => ({
      thing: { slug, name },
      names: [name, slug, ...retired_slugs, ...words],
    })),
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

interface FieldForm {
  readonly type?: 'integer' | 'number' | 'boolean' | 'array' | 'string';
  /** The allowed values, where the schema lists them. */
  readonly enum?: readonly unknown[];
}

const formOf = (field: z.ZodType): FieldForm =>
  z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as FieldForm;

const fieldForms = new WeakMap<z.ZodObject, ReadonlyMap<string, FieldForm>>();

function formsOf(schema: z.ZodObject): ReadonlyMap<string, FieldForm> {
  const known = fieldForms.get(schema);
  if (known) return known;
  const found = new Map(Object.entries(schema.shape).map(([name, field]) => [name, formOf(field as z.ZodType)]));
  fieldForms.set(schema, found);
  return found;
}

/** Coerces what models send: numbers and lists as text, and unused arguments as empty text. Neither is ambiguous. */
function coerceValue(value: unknown, { type, enum: values }: FieldForm): unknown {
  if (value === null) return undefined;
  if (type === 'array') return typeof value === 'string' ? splitList(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return values ? matchListedValue(text, values) : text;
}

const foldValue = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/s$/, '')
    .replace(/e$/, '');

/** Matches a listed value regardless of case, separators and plural: `Stores`, `C-suite`. */
const matchListedValue = (text: string, values: readonly unknown[]): unknown =>
  values.includes(text) ? text : (values.find((value) => foldValue(String(value)) === foldValue(text)) ?? text);

const splitList = (text: string): string[] | undefined => {
  const words = text.split(',').flatMap((word) => word.trim() || []);
  return words.length > 0 ? words : undefined;
};

/**
 * Checks the arguments of a call.
 * @throws ToolRefusal naming each argument, what was sent and what is allowed
 */
export function readArguments(schema: z.ZodObject, given: unknown): unknown {
  const sent = given !== null && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  const bad = unstorableText(sent);
  if (bad) throw new ToolRefusal(`The argument ${bad.path.slice(0, 80)} ${bad.fault}.`);
  const known = formsOf(schema);
  const args = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, coerceValue(value, known.get(name) ?? {})]),
  );
  for (const [name, value] of Object.entries(args)) if (value === undefined) delete args[name];
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  throw new ToolRefusal(joinedSentences(parsed.error.issues.flatMap((issue) => issueSentences(issue, schema, args))));
}

function issueSentences(issue: z.core.$ZodIssue, schema: z.ZodObject, sent: Record<string, unknown>): string[] {
  const known = Object.keys(schema.shape).join(', ');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `Unknown argument ${quoted(key)}; available: ${known}.`);
  const name = String(issue.path[0] ?? '');
  const allowed = (schema.shape[name] as z.ZodType | undefined)?.description ?? issue.message;
  if (sent[name] === undefined) return [`The argument ${name} is missing: ${allowed}.`];
  return [`The argument ${name} cannot be ${quoted(sent[name])}: ${allowed}.`];
}

const { minimum, maximum, default: usual } = LOOK_BACK;

/** The argument `days`: how far back a tool looks. */
export const daysArgument = z
  .int()
  .min(minimum)
  .max(maximum)
  .default(usual)
  .describe(`days to look back, ${minimum} to ${maximum}; default ${usual}`);

const MAX_PAGE_SIZE = 100;

/**
 * The argument `limit`.
 * @param what is listed, such as `openings`
 * @param usual rows of a page by default
 */
export const limitArgument = (what: string, usual: number) =>
  z.int().min(1).max(MAX_PAGE_SIZE).default(usual).describe(`${what} listed, 1 to ${MAX_PAGE_SIZE}; default ${usual}`);

/** The argument `cursor`. */
export const cursorArgument = Cursor.optional().describe(
  'next_cursor of the page before, with the same other arguments',
);

/** Turns the error about an invalid cursor into a refusal that names the cursor. */
export const refuseInvalidCursor =
  (cursor: string | undefined) =>
  (error: unknown): never => {
    throw error instanceof CursorError ? cursorRefusal(cursor) : error;
  };
