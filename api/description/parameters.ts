/** Query and path parameters of an operation. */
import { z } from 'zod';
import { inputSchema, type JsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';

/** The schema under `optional` and `default`, with what a reader should see in its place. */
function shown(field: z.ZodType): { schema: JsonSchema; isRequired: boolean; description: string } {
  if (field instanceof z.ZodOptional) return { ...shown(field.unwrap() as z.ZodType), isRequired: false };
  if (field instanceof z.ZodDefault) {
    const inner = shown(field.unwrap() as z.ZodType);
    const given = field.def.defaultValue;
    return { ...inner, isRequired: false, schema: { ...inner.schema, default: given } };
  }
  const { description, ...schema } = inputSchema(field);
  const told = field.meta()?.parameter;
  const text = String(description ?? '');
  return { schema: told ? { ...(told as JsonSchema) } : schema, isRequired: true, description: text };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Carries the request out once: for 24 hours a repetition with the same key and body answers what the first one ' +
    'answered, and is not counted. A UUID is a good key.',
  // No example: a key that tools send with everything they try is used for one request alone.
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

/** As the description lists them, path first. */
export function parametersOf(operation: Operation): JsonSchema[] {
  const { method, isLimited = true, pathParameters = {}, query, queryExamples = {} } = operation;
  const inPath = Object.entries(pathParameters).map(([name, { description, example, schema }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: schema ? inputSchema(schema) : { type: 'string', minLength: 1 },
    example,
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const { schema, isRequired, description } = shown(field as z.ZodType);
    return {
      name,
      in: 'query',
      required: isRequired,
      description: sentence(description),
      ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
      schema,
      ...(name in queryExamples ? { example: queryExamples[name] } : {}),
    };
  });
  return [...inPath, ...inQuery, ...(method === 'post' && isLimited ? [IDEMPOTENCY_KEY] : [])];
}
