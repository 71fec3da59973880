/** JSON Schema of our zod schemas, as readers of the description like it. */
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Named schemas with references between them. @param named by the name in `#/components/schemas/` */
export function componentSchemas(named: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: reference, reused: 'inline' });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidied(schema) as JsonSchema]));
}

/** Reference to a named schema. */
export const reference = (id: string): string => `#/components/schemas/${id}`;

/** What a caller sends: the schema before its transformations, closed and with its patterns, as the server checks it. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  tidied(z.toJSONSchema(schema, { io: 'input' }), true) as JsonSchema;

/**
 * Leaves out what helps no reader: patterns that repeat a format, bounds that every number of JavaScript has, the
 * promise of never adding a field to answers. Counts by kind of move become plain properties.
 */
function tidied(value: unknown, isInput = false): unknown {
  if (Array.isArray(value)) return value.map((one) => tidied(one, isInput));
  if (value === null || typeof value !== 'object') return value;
  const schema = value as JsonSchema;
  const { $schema: _schema, $id: _id, parameter: _parameter, ...rest } = schema;
  if (typeof rest.format === 'string' && !isInput) delete rest.pattern;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.additionalProperties === false && !isInput) delete rest.additionalProperties;
  const { propertyNames, additionalProperties, ...record } = rest;
  if (!propertyNames || !Array.isArray(rest.required))
    return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, tidied(inner, isInput)]));
  const counts = rest.required.map((key) => [key, tidied(additionalProperties, isInput)]);
  return { ...record, properties: Object.fromEntries(counts) };
}
