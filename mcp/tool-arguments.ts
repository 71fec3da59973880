/**
 * Arguments of tools: lenient about their form, strict about their meaning; and the arguments that several tools share.
 */
import { z } from 'zod';
import { cursorRefusal } from '../presentation/public-records.ts';
import { CursorError } from '../projector/models/query-parts.ts';
import { LOOK_BACK } from '../schemas/expansion.ts';
import { joinedSentences, quoted } from '../schemas/input-errors.ts';
import { Cursor, unstorableText } from '../schemas/parameters.ts';
import { ToolRefusal } from './tool.ts';

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
