/**
 * What a tool is, what it may use, what structured answers share, and arguments: lenient about their form, strict
 * about their meaning. What a model names becomes a brand, a theme or a signal: by a name, an alias, a current or
 * former slug, or a misspelling. Each tool is a file in `tools/`, a thin layer over the queries that the API uses too.
 */
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Database, Queryable } from '../log/postgres/database.ts';
import { cursorRefusal, provisionalBrands } from '../presentation/public-records.ts';
import { findTheme, namesOfBrands } from '../projector/models/brands-queries.ts';
import { findNames } from '../projector/models/names-queries.ts';
import { CursorError } from '../projector/models/query-parts.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import { type FoundSignal, findSignal } from '../projector/models/signals-queries.ts';
import type { Catalogue } from '../schemas/catalogue.ts';
import {
  type BrandEntry,
  type Directory,
  directoryOf,
  type Entry,
  type Gazetteer,
  gazetteerOf,
} from '../schemas/directory.ts';
import { joinedSentences, quoted } from '../schemas/input-errors.ts';
import { LOOK_BACK } from '../schemas/moves-by-kind.ts';
import { type Finding, type NameIndex, nameIndex } from '../schemas/name-search.ts';
import { Cursor, unstorableText } from '../schemas/parameters.ts';
import { BrandSlug, brandSlugOf, SignalId, Slug, StoredBrandSlug, slugify } from '../schemas/scalar.ts';
import type { MeaningOf } from '../schemas/story.ts';
import { plainLine, QUOTE_NOTICE } from './tool-text.ts';

const MAX_WORDS = 12;
const MAX_NAME_WORDS = 4;

/** All runs of up to four words of a text, the longest first: a query rarely contains a name alone. */
export function wordRuns(text: string): string[] {
  const words = text
    .split(/[^\p{L}\p{N}\p{M}&'’.-]+/u)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  return Array.from({ length: MAX_NAME_WORDS }, (_, index) => MAX_NAME_WORDS - index).flatMap((length) =>
    words.flatMap((_, at) => (at + length <= words.length ? [words.slice(at, at + length).join(' ')] : [])),
  );
}

/** Similarity from which the nearest name is taken for the one that was meant. */
const MIN_SIMILARITY = 0.75;
const MAX_SUGGESTIONS = 5;

/** What a name can mean. */
type NameKind = 'brand' | 'theme' | 'city' | 'region' | 'mall' | 'group' | 'category' | 'sector';

/** Sentences that say where a name of another kind can be used: `Zudio is a brand: …`. */
function otherUses({ gazetteer, themes }: NameLookup, what: NameKind, name: string): string[] {
  const { company, city, region, mall, group, category } = gazetteer.exactly(name);
  const theme = themes.exact(name)?.name ?? null;
  const placeUse = 'get_expansion_map takes it as the argument city, and search finds moves there';
  const uses: readonly (readonly [NameKind, string | null, string])[] = [
    ['brand', company, 'pass it as the argument brand (brand_profile, latest_moves) or company (get_leadership_moves)'],
    ['city', city, placeUse],
    ['region', city ? null : region, placeUse],
    ['mall', mall, 'get_expansion_map takes it as the argument mall'],
    ['group', group, 'get_group takes it'],
    ['category', group ? null : category, 'get_expansion_map takes it as category, get_leadership_moves as sector'],
    ['theme', theme, 'latest_moves takes it as the argument theme'],
  ];
  return uses.flatMap(([kind, own, use]) =>
    own !== null && kind !== what ? [`${plainLine(own, 80)} is a ${kind}: ${use}.`] : [],
  );
}

/**
 * The refusal of an unknown name.
 * @param nearest names, the nearest first
 */
export function unknownNameRefusal(
  names: NameLookup,
  what: NameKind,
  name: string,
  nearest: readonly string[],
): ToolRefusal {
  const offered = [...new Set(nearest)].slice(0, MAX_SUGGESTIONS).map((one) => plainLine(one, 80));
  const offer = offered.length > 0 ? ` The nearest: ${offered.join(', ')}.` : '';
  const other = otherUses(names, what, name);
  const help =
    other.length > 0
      ? other.join(' ')
      : what === 'brand' || what === 'theme'
        ? 'The tool "search" finds brands, themes and moves by words.'
        : 'Omit the argument for all, or use the tool "search".';
  return new ToolRefusal(`No ${what} is called ${quoted(name)}.${offer} ${help}`);
}

/**
 * Resolves a name. The exact name of a brand is never taken for a misspelling of something else.
 * @param all names to offer where none is near
 * @throws ToolRefusal offering the nearest names
 */
export function resolveFinding<Found>(
  names: NameLookup,
  what: Exclude<NameKind, 'brand'>,
  name: string,
  { found: match, nearest = [] }: Finding<Found>,
  all: readonly string[] = [],
): Found {
  if (match !== null && !isOnlyBrand(names, name)) return match;
  throw unknownNameRefusal(names, what, name, match === null && nearest.length === 0 ? all : nearest);
}

/** Whether a text is the exact name of a brand and of nothing else. */
function isOnlyBrand({ gazetteer, themes }: NameLookup, name: string): boolean {
  const { company, ...others } = gazetteer.exactly(name);
  return company !== null && Object.values(others).every((one) => one === null) && themes.exact(name) === null;
}

/** The one brand that is named among other words: `Tanishq jewelers`, `the Zudio chain`. */
function findBrandWithin(directory: Directory, text: string): BrandEntry | null {
  const named = wordRuns(text).flatMap((run) => directory.brandNamed(run) ?? []);
  const [longest] = named;
  return longest && named.every(({ slug, name }) => slug === longest.slug || longest.name.includes(name))
    ? longest
    : null;
}

/**
 * Resolves a brand of the catalogue, or one that only occurs in stories.
 * @throws ToolRefusal offering the nearest names
 */
export async function resolveBrand(context: ToolContext, name: string): Promise<BrandEntry> {
  const { database, directory, gazetteer } = context;
  const text = name.trim();
  const given = BrandSlug.safeParse(text.toLowerCase());
  const bySlug = given.success ? directory.brand(directory.currentSlug(given.data)) : null;
  const listed = bySlug ?? directory.brandNamed(text);
  if (listed) return { slug: listed.slug, name: listed.name };
  const slug = brandSlugOf(text);
  const [[fromStories], provisional] = await Promise.all([
    namesOfBrands(database, [slug]),
    provisionalBrands(context, [slug]),
  ]);
  if (fromStories && !provisional.has(slug) && !directory.brand(directory.currentSlug(slug))) return fromStories;
  const { found: company, nearest = [] } = gazetteer.findCompany(text);
  if (company) return { slug: company.slug, name: company.name };
  const within = findBrandWithin(directory, text);
  if (within) return within;
  const alike = (await findNames(database, text, { limit: MAX_SUGGESTIONS })).filter(({ type }) => type === 'brand');
  const [best] = alike;
  if (best && best.score >= MIN_SIMILARITY) return { slug: StoredBrandSlug.parse(best.slug), name: best.name };
  throw unknownNameRefusal(context, 'brand', name, [...alike.map((one) => one.name), ...nearest]);
}

/** Resolves several brands, each once, in the given order. @throws ToolRefusal for the first unknown one */
export async function resolveBrands(context: ToolContext, names: readonly string[]): Promise<BrandEntry[]> {
  const brands = await Promise.all(names.map((name) => resolveBrand(context, name)));
  return brands.filter(({ slug }, index) => brands.findIndex((one) => one.slug === slug) === index);
}

/**
 * Resolves a theme of the catalogue, or one that only occurs in stories.
 * @throws ToolRefusal offering the nearest names
 */
export async function resolveTheme(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, themes, baseUrl, now } = context;
  const slug = slugify(name);
  const listed = directory.theme(slug);
  if (listed) return listed;
  const finding = themes.find(name);
  if (finding.found && !isOnlyBrand(context, name)) return finding.found;
  const fromStories = slug === '' ? null : await findTheme(database, slug, { now: now(), baseUrl });
  if (fromStories) return { slug: fromStories.slug, name: fromStories.name };
  return resolveFinding(context, 'theme', name, finding);
}

/** Resolves several themes, in the given order. @throws ToolRefusal for the first unknown one */
export const resolveThemes = (context: ToolContext, names: readonly string[]): Promise<Entry[]> =>
  Promise.all(names.map((name) => resolveTheme(context, name)));

/** Reduces `[sig_…]` and `https://…/signal/slug` to the id or slug. */
const bareIdentifier = (text: string): string =>
  text
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .toLowerCase();

/**
 * Reports without resurfaced ones, oldest first: by the time that the outlet states, else by when it was first seen.
 */
function sortByTime(reports: FoundSignal['reports']): FoundSignal['reports'] {
  const timeOf = ({ published_at, first_seen_at }: FoundSignal['reports'][number]): number =>
    Date.parse(published_at ?? first_seen_at);
  return reports.filter(({ resurfaced }) => !resurfaced).toSorted((one, other) => timeOf(one) - timeOf(other));
}

/**
 * Resolves a public signal by its cite id, a current or former slug, or its address.
 * @throws ToolRefusal when there is none
 */
export async function resolveSignal(database: Queryable, text: string): Promise<FoundSignal> {
  const name = bareIdentifier(text);
  // Anything else cannot be found, and must not reach the database, which rejects some characters.
  const may = SignalId.safeParse(name).success || Slug.safeParse(name).success;
  const match = may ? await findSignal(database, name) : null;
  const signal = match && 'redirect' in match ? await findSignal(database, match.redirect) : match;
  if (signal && 'document' in signal) return { ...signal, reports: sortByTime(signal.reports) };
  throw new ToolRefusal(
    `No public signal has the id or slug ${quoted(text)}. Ids look like sig_0123456789abcdef; latest_moves and search return them.`,
  );
}

/** Everything that the catalogue knows by name, with or without signals about it. */
interface NameLookup {
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
  const cached = fieldForms.get(schema);
  if (cached) return cached;
  const forms = new Map(Object.entries(schema.shape).map(([name, field]) => [name, formOf(field as z.ZodType)]));
  fieldForms.set(schema, forms);
  return forms;
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
  const values = given !== null && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  const bad = unstorableText(values);
  if (bad) throw new ToolRefusal(`The argument ${bad.path.slice(0, 80)} ${bad.fault}.`);
  const forms = formsOf(schema);
  const args = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, coerceValue(value, forms.get(name) ?? {})]),
  );
  for (const [name, value] of Object.entries(args)) if (value === undefined) delete args[name];
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  throw new ToolRefusal(joinedSentences(parsed.error.issues.flatMap((issue) => issueSentences(issue, schema, args))));
}

function issueSentences(issue: z.core.$ZodIssue, schema: z.ZodObject, values: Record<string, unknown>): string[] {
  const argumentNames = Object.keys(schema.shape).join(', ');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `Unknown argument ${quoted(key)}; available: ${argumentNames}.`);
  const name = String(issue.path[0] ?? '');
  const allowed = (schema.shape[name] as z.ZodType | undefined)?.description ?? issue.message;
  if (values[name] === undefined) return [`The argument ${name} is missing: ${allowed}.`];
  return [`The argument ${name} cannot be ${quoted(values[name])}: ${allowed}.`];
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
export const cursorArgument = Cursor.optional().describe('next_cursor of the page before');

/** Turns the error about an invalid cursor into a refusal that names the cursor. */
export const refuseInvalidCursor =
  (cursor: string | undefined) =>
  (error: unknown): never => {
    throw error instanceof CursorError ? cursorRefusal(cursor) : error;
  };
