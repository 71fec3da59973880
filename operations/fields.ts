/** The arguments of an action as fields, for options and for forms; and arguments that arrived as text, read by the schema. */
import { z } from 'zod';
import { inputErrorMessage, quoted, Refusal } from '../schemas/input-errors.ts';
import type { OperatorAction } from './operator-action.ts';

/** What `meta` of a field may say in addition to its description. */
export interface FieldMeta {
  readonly description?: string;
  /** On a form. */
  readonly label?: string;
  /** Name of the option; that of the field, with hyphens, by default. */
  readonly option?: string;
  /** What `--help` shows for the value. */
  readonly placeholder?: string;
  /** Of a map: what separates names from values. */
  readonly separator?: string;
  /** True for a text of several lines. */
  readonly isLong?: boolean;
}

export interface Field extends FieldMeta {
  readonly name: string;
  /** `file` is a file on the command line, and its text in a form. */
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'map' | 'file';
  readonly isRequired: boolean;
  /** Whether an empty text means that the field has no value. */
  readonly isNullable: boolean;
  readonly choices: readonly string[];
  /** What JSON Schema says about numbers and texts, for the attributes of a form. */
  readonly limits: Readonly<Record<string, unknown>>;
}

/** A file: its name and its text. */
export const TextFile = z.object({ name: z.string(), text: z.string() });
export type TextFile = z.infer<typeof TextFile>;

const KINDS: Readonly<Record<string, Field['kind']>> = {
  number: 'number',
  boolean: 'flag',
  enum: 'choice',
  array: 'list',
  record: 'map',
  object: 'file',
};

type Definition = {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
};
const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'default', 'nullable', 'pipe']);

/** The fields of a schema, in its order. */
export function fieldsOf(schema: z.ZodObject): Field[] {
  return Object.entries(schema.shape).map(([name, declared]) => {
    let inner = declared as z.ZodType;
    let meta: FieldMeta = {};
    const wrappers = new Set<string>();
    for (;;) {
      meta = { ...(inner.meta() as FieldMeta | undefined), ...meta };
      const { type, innerType, in: before, out: after } = inner.def as Definition;
      const next = innerType ?? (before?.def.type === 'transform' ? after : before);
      if (!WRAPPERS.has(type) || !next) break;
      wrappers.add(type);
      inner = next;
    }
    return {
      ...meta,
      name,
      kind: KINDS[inner.def.type] ?? 'text',
      isRequired: !wrappers.has('optional') && !wrappers.has('default'),
      isNullable: wrappers.has('nullable'),
      choices: inner instanceof z.ZodEnum ? inner.options.map(String) : [],
      limits: z.toJSONSchema(inner, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
    };
  });
}

/** What a front end has for a field: texts, several of them, a flag, or a file. */
export type Given = string | readonly string[] | boolean | TextFile | undefined;

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const TRUE: ReadonlySet<unknown> = new Set([true, 'true', 'yes', 'on']);

const entriesOf = ({ name, separator = '=' }: Field, texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const place = text.indexOf(separator);
      if (place < 1) throw new Refusal('invalid_request', `${name}: it must be name${separator}value.`);
      return [text.slice(0, place).trim(), text.slice(place + 1).trim()];
    }),
  );

const lines = (given: string | readonly string[]): string[] =>
  (typeof given === 'string' ? given.split(/\r?\n/) : given).map((one) => one.trim()).filter((one) => one !== '');

function valueIn(field: Field, given: Given): unknown {
  if (given === undefined) return undefined;
  if (field.kind === 'flag') return TRUE.has(given);
  if (typeof given === 'boolean') return given;
  if (field.kind === 'file') return typeof given === 'string' ? { name: 'the text', text: given } : given;
  if (given === '' && field.kind !== 'list') return field.isNullable ? null : field.kind === 'text' ? '' : undefined;
  if (typeof given === 'object' && 'text' in given) return given;
  if (field.kind === 'list') return lines(given);
  if (field.kind === 'map') return entriesOf(field, lines(given));
  return field.kind === 'number' && typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
}

/**
 * Reads the arguments of an action.
 * @param given by name of the field; other names are ignored
 * @throws Refusal that names each wrong field, its value and what is allowed
 */
export function readInput<Input extends z.ZodObject>(
  { input }: Pick<OperatorAction<Input>, 'input'>,
  given: Readonly<Record<string, Given>>,
): z.output<Input> {
  const fields = fieldsOf(input);
  const values = Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueIn(field, given[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
  for (const { name, choices } of fields)
    if (choices.length > 0 && values[name] !== undefined && !choices.includes(String(values[name])))
      throw new Refusal(
        'invalid_request',
        `${name}: ${quoted(values[name])} cannot be used. Allowed: ${choices.join(', ')}.`,
      );
  const read = input.safeParse(values);
  if (read.success) return read.data;
  const isInList = read.error.issues.some(({ path }) => Array.isArray(values[String(path[0])]));
  throw new Refusal('invalid_request', inputErrorMessage(read.error, input, values, isInList ? 'body' : 'query'));
}
