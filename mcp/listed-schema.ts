/** Schemas as the list of tools shows them: models read the list before every choice, so each word costs. */
import { z } from 'zod';

type Json = { readonly [name: string]: unknown };

/** Left out of arguments: what a model cannot use. */
const NOT_IN_ARGUMENTS = new Set(['$schema', 'pattern', 'parameter', 'minLength', 'maxLength']);
/**
 * Left out of answers, which the service makes and nobody has to get right: words, bounds, what must be there. Fields
 * may be added to answers, so they are not closed either.
 */
const NOT_IN_ANSWERS = new Set(
  ['$schema', 'pattern', 'propertyNames', 'description', 'format', 'required', 'minimum', 'maximum'].concat([
    'exclusiveMinimum',
    'maxItems',
    'minItems',
  ]),
);
/** A longer list of values says no more than its type. */
const MOST_VALUES = 7;
/** The answer, what it holds, and no further: objects within those are named alone. */
const DEPTH = 2;

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Applies a change to every schema within a schema, the innermost first; names of fields are no keywords. */
function changed(schema: unknown, change: (one: Json) => Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => changed(one, change));
  if (!isObject(schema)) return schema;
  const inner = Object.entries(schema).map(([name, value]) => [
    name,
    name === 'properties' && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([field, one]) => [field, changed(one, change)]))
      : changed(value, change),
  ]);
  return change(Object.fromEntries(inner));
}

const without = (schema: Json, left: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !left.has(name)));

/** `anyOf` something or null says the same as a type of both, in a third of the words. */
function shortened(schema: Json): Json {
  const [one, other] = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf as Json[]) : [];
  if (other?.type !== 'null' || typeof one?.type !== 'string' || 'enum' in one) return schema;
  return { ...one, type: [one.type, 'null'] };
}

function answered(schema: Json): Json {
  const { additionalProperties, ...rest } = without(schema, NOT_IN_ANSWERS);
  const values = rest.enum;
  const { enum: _, ...untold } = rest;
  const kept = Array.isArray(values) && values.length > MOST_VALUES ? untold : rest;
  return shortened(isObject(additionalProperties) ? { ...kept, additionalProperties } : kept);
}

/** Names objects within objects alone. @param depth of objects that are still told */
function shallow(schema: unknown, depth: number): unknown {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, ...rest } = schema;
  if (items !== undefined) return depth === 0 ? rest : { ...rest, items: shallow(items, depth) };
  if (additionalProperties !== undefined) return depth === 0 ? rest : schema;
  if (!isObject(properties)) return schema;
  if (depth === 0) return rest;
  const told = Object.entries(properties).map(([name, one]) => [name, shallow(one, depth - 1)]);
  return { ...rest, properties: Object.fromEntries(told) };
}

/** Arguments of a tool: every description stays. */
export const listedInput = (schema: z.ZodObject): Json =>
  changed(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), (one) =>
    without(one, NOT_IN_ARGUMENTS),
  ) as Json;

/** Rows of the same form as those of a list before are named as objects alone. */
function withoutRepeats(properties: Json): Json {
  const seen = new Set<string>();
  const entries = Object.entries(properties).map(([name, field]) => {
    if (!isObject(field) || !isObject(field.items) || !isObject(field.items.properties)) return [name, field];
    const form = JSON.stringify(field.items);
    if (seen.has(form)) return [name, { ...field, items: { type: 'object' } }];
    seen.add(form);
    return [name, field];
  });
  return Object.fromEntries(entries);
}

/** Answer of a tool: names and types, and which fields of the whole are always there. */
export function listedOutput(schema: z.ZodObject): Json {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const listed = shallow(changed(whole, answered), DEPTH) as Json;
  const properties = isObject(listed.properties) ? withoutRepeats(listed.properties) : listed.properties;
  return { ...listed, properties, required: whole.required };
}
