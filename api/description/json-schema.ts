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

/** Where a named schema stands. */
export const reference = (id: string): string => `#/components/schemas/${id}`;

/** What a caller sends: the schema before its transformations. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  tidied(z.toJSONSchema(schema, { io: 'input' })) as JsonSchema;

/**
 * Leaves out what helps no reader: patterns that repeat a format, bounds that every number of JavaScript has, the
 * promise of never adding a field. Counts by kind of move become plain properties.
 */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (value === null || typeof value !== 'object') return value;
  const schema = value as JsonSchema;
  const { $schema: _schema, $id: _id, parameter: _parameter, ...rest } = schema;
  if (typeof rest.format === 'string') delete rest.pattern;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.additionalProperties === false) delete rest.additionalProperties;
  const { propertyNames, additionalProperties, ...record } = rest;
  if (!propertyNames || !Array.isArray(rest.required))
    return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, tidied(inner)]));
  const counts = rest.required.map((key) => [key, tidied(additionalProperties)]);
  return { ...record, properties: Object.fromEntries(counts) };
}
