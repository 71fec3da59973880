/**
 * Errors meant for the caller, and messages for input that a schema refuses: the field, what was sent, what is allowed.
 */

import { z } from 'zod';
import type { ErrorCode } from './resources.ts';
import { characters } from './scalar.ts';

/** Says no to a request: a code of the contract and a sentence that says what happened and what to do. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: ErrorCode;
  /** Seconds after which the same request may succeed; null where time changes nothing. */
  readonly retryAfter: number | null;
  constructor(code: ErrorCode, message: string, retryAfter: number | null = null) {
    super(bounded(message));
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

const MAXIMUM_SHOWN = 60;

/** Characters of a message: whatever a caller sends, the answer stays small. */
const MAXIMUM_MESSAGE = 2_000;

/** Names and sentences that a message lists one by one; the rest are counted. */
const MAXIMUM_LISTED = 5;

/**
 * A message of at most 2,000 characters.
 * @param message may repeat what a caller sent, any number of times
 */
const bounded = (message: string): string =>
  message.length > MAXIMUM_MESSAGE ? `${message.slice(0, MAXIMUM_MESSAGE - 1)}…` : message;

/**
 * Joins sentences about what a caller sent: the first five, and how many more there are.
 * @param sentences may repeat; each is written once
 */
export function joinedSentences(sentences: Iterable<string>): string {
  const unique = [...new Set(sentences)];
  const more = unique.length - MAXIMUM_LISTED;
  return bounded([...unique.slice(0, MAXIMUM_LISTED), ...(more > 0 ? [`And ${more} more like these.`] : [])].join(' '));
}

/** The user and password of an address. */
const CREDENTIALS = /(?<slashes>:\/\/)[^/?#\s"]*@/g;

/**
 * What was sent, as a message may repeat it: without the credentials of addresses, quoted, escaped and cut, because it is a stranger's text.
 * @param value anything, JSON or not
 */
export function quoted(value: unknown): string {
  const text = (JSON.stringify(value) ?? 'nothing').replace(CREDENTIALS, '$<slashes>…@');
  return text.length > MAXIMUM_SHOWN ? `${text.slice(0, MAXIMUM_SHOWN)}…` : text;
}

/** Where input comes from: in a query, a list is a parameter that was sent more than once. */
export type InputPlace = 'query' | 'body';

/** Faults that one message lists, and unknown fields that it names; the rest is counted. */
const MAXIMUM_FIELDS_LISTED = 5;
const MAXIMUM_ALLOWED_CHARACTERS = 300;

type JsonSchema = Record<string, unknown>;
type Path = readonly PropertyKey[];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * The faults of an input in plain sentences.
 * @param schema that refused it; its descriptions say what fields allow
 * @param given what was sent
 */
export function inputErrorMessage(error: z.ZodError, schema: z.ZodObject, given: unknown, place: InputPlace): string {
  // A field that fails two checks is named once.
  const byPath = new Map(error.issues.map((issue) => [JSON.stringify(issue.path), issue] as const).reverse());
  const issues = error.issues.filter((issue) => byPath.get(JSON.stringify(issue.path)) === issue);
  const sentences = issues.map((issue) => sentenceOf(issue, schema, given, place));
  const more = sentences.length - MAXIMUM_FIELDS_LISTED;
  return [
    ...sentences.slice(0, MAXIMUM_FIELDS_LISTED),
    ...(more > 0 ? [`${more} more errors are not listed.`] : []),
  ].join(' ');
}

function sentenceOf(issue: z.core.$ZodIssue, schema: z.ZodObject, given: unknown, place: InputPlace): string {
  // A parameter of a query is one text, also where it lists several values.
  const path = place === 'query' ? issue.path.slice(0, 1) : issue.path;
  const field = schemaAt(schema, path, given);
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys, path, field, valueAt(given, path));
  if (path.length === 0)
    return `The body must be a JSON object. Its fields are ${Object.keys(schema.shape).join(', ')}.`;
  const name = pathText(path);
  const value = valueAt(given, path);
  const allowed = allowedText(issue, field);
  if (value === undefined) return `${name} is missing. Allowed: ${allowed}.`;
  if (place === 'query' && Array.isArray(value) && !takesLists(field))
    return `${name} was sent ${value.length} times. Allowed: once, ${allowed}.`;
  const length = lengthFault(issue, value, field);
  return length ? `${name} ${length}.` : `${name}: ${quoted(value)} cannot be used. Allowed: ${allowed}.`;
}

/** Whether a parameter of a query may be repeated. */
const takesLists = (field: z.ZodType | undefined): boolean => field !== undefined && bare(field) instanceof z.ZodUnion;

function unknownFields(keys: readonly string[], path: Path, schema: z.ZodType | undefined, given: unknown): string {
  const allowed = fieldsOf(schema, given);
  const names = keys.slice(0, MAXIMUM_FIELDS_LISTED).map((key) => quoted(key));
  const more = keys.length - names.length;
  const listed = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
  const where = path.length > 0 ? `${pathText(path)}: the field` : 'The parameter';
  const subject = keys.length > 1 ? `${where}s ${listed} are unknown.` : `${where} ${listed} is unknown.`;
  return `${subject} ${allowed.length > 0 ? `Allowed are ${allowed.join(', ')}.` : 'None is allowed here.'}`;
}

/** `messages[0].content`; names that are no plain words are quoted and cut, because a caller chose them. */
const pathText = (path: Path): string =>
  path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      const plain = /^\w{1,60}$/.test(name);
      if (!plain) return `[${quoted(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join('');

const valueAt = (given: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, part) => {
    if (Array.isArray(at)) return at[Number(part)];
    return isRecord(at) && Object.hasOwn(at, part) ? at[String(part)] : undefined;
  }, given);

/** The schema without what makes it optional or transforms its output. */
function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return bare(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? bare(schema.in as z.ZodType) : schema;
}

/** The schema of a field as it was declared, with its description; undefined for a field that no schema has. */
function schemaAt(schema: z.ZodType, path: Path, given: unknown): z.ZodType | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return schema;
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    const field: unknown = Object.hasOwn(inner.shape, part) ? inner.shape[String(part)] : undefined;
    return field instanceof z.ZodType ? schemaAt(field, rest, valueAt(given, [part])) : undefined;
  }
  if (inner instanceof z.ZodArray) return schemaAt(inner.element as z.ZodType, rest, valueAt(given, [part]));
  if (inner instanceof z.ZodUnion) {
    const chosen = chosenOption(inner, given);
    return chosen && schemaAt(chosen, path, given);
  }
  return undefined;
}

/** The option of a union that the input is meant for; the first where none fits. */
function chosenOption(union: z.ZodUnion, given: unknown): z.ZodType | undefined {
  const options = union.options as z.ZodType[];
  return options.find((option) => isChosen(option, given)) ?? options[0];
}

/** Whether the constant fields of an option of a union have the values that were sent. */
const isChosen = (option: z.ZodType, given: unknown): boolean =>
  option instanceof z.ZodObject &&
  Object.entries(option.shape).every(
    ([name, field]) => !(field instanceof z.ZodLiteral) || field.values.has(valueAt(given, [name]) as never),
  );

function fieldsOf(schema: z.ZodType | undefined, given: unknown): string[] {
  const declared = schema && bare(schema);
  const inner = declared instanceof z.ZodUnion ? chosenOption(declared, given) : declared;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

const jsonSchemaOf = (schema: z.ZodType | undefined): JsonSchema =>
  schema ? (z.toJSONSchema(bare(schema), { io: 'input', unrepresentable: 'any' }) as JsonSchema) : {};

/** The description of a field, also when it is wrapped as optional or with a default. */
function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  if (!schema || schema.description) return schema?.description;
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? descriptionOf(schema.unwrap() as z.ZodType) : undefined;
}

/** What a field allows: as it is described, else by its schema, else in the words of the check that failed. */
function allowedText(issue: z.core.$ZodIssue, field: z.ZodType | undefined): string {
  const described = descriptionOf(field);
  if (described) return described;
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(', ');
  const { options } = issue as { options?: unknown };
  if (issue.code === 'invalid_union' && Array.isArray(options))
    return options.map((value) => JSON.stringify(value)).join(', ');
  if (issue.code === 'invalid_format' && !/^Invalid/.test(issue.message)) return issue.message.replace(/^must be /, '');
  if (issue.code === 'custom') return issue.message;
  return schemaText(jsonSchemaOf(field)) ?? issue.message.slice(0, MAXIMUM_ALLOWED_CHARACTERS);
}

function schemaText(schema: JsonSchema): string | undefined {
  const { type, enum: values, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  const options = [schema.oneOf ?? schema.anyOf ?? []].flat() as JsonSchema[];
  if (options.length > 0) return options[0] && schemaText(options[0]);
  if (type === 'object')
    return `an object with the fields ${Object.keys((schema.properties ?? {}) as object).join(', ')}`;
  if (type === 'array') return `a list of ${range(minItems, maxItems)} items`;
  if (type === 'boolean') return 'true or false';
  if (type === 'integer' || type === 'number') return `a number, ${range(minimum, maximum)}`;
  return type === 'string' ? `a text of ${range(minLength, maxLength)} characters` : undefined;
}

function range(minimum: unknown, maximum: unknown): string {
  if (typeof maximum !== 'number') return `${typeof minimum === 'number' ? minimum : 0} or more`;
  return minimum === maximum ? String(maximum) : `${typeof minimum === 'number' ? minimum : 0} to ${maximum}`;
}

/** `has 501 characters; allowed: 1 to 500`, for a text or list that is too short or too long. */
function lengthFault(issue: z.core.$ZodIssue, value: unknown, field: z.ZodType | undefined): string | undefined {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return undefined;
  const { minLength, maxLength, minItems, maxItems } = jsonSchemaOf(field);
  // Where the schema of the field is one of several, the check that failed says its own limit.
  const allowed = (minimum: unknown, maximum: unknown): string =>
    issue.code === 'too_small' ? range(minimum ?? issue.minimum, maximum) : range(minimum, maximum ?? issue.maximum);
  if (issue.origin === 'string' && typeof value === 'string') {
    // As `trimmedText` counts.
    const length = characters(issue.code === 'too_big' ? value : value.trim());
    return `has ${length} character${length === 1 ? '' : 's'}; allowed: ${allowed(minLength, maxLength)}`;
  }
  if (issue.origin === 'array' && Array.isArray(value))
    return `has ${value.length} item${value.length === 1 ? '' : 's'}; allowed: ${allowed(minItems, maxItems)}`;
  return undefined;
}
