/** The answer to `tools/list`, and the icons that it names. Models read the list before every choice, so schemas are shortened. */

import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AnyTool } from './tool.ts';

// Schemas as the list of tools shows them: models read the list before every choice, so each word costs.

type JsonSchema = { readonly [name: string]: unknown };

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
const MAX_ENUM_VALUES = 7;
/** The answer, what it holds, and no further: objects within those are named alone. */
const MAX_OUTPUT_DEPTH = 2;

const isObject = (value: unknown): value is JsonSchema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Applies a change to every schema within a schema, the innermost first; names of fields are no keywords. */
function mapSchemas(schema: unknown, change: (one: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((one) => mapSchemas(one, change));
  if (!isObject(schema)) return schema;
  const inner = Object.entries(schema).map(([name, value]) => [
    name,
    name === 'properties' && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([field, one]) => [field, mapSchemas(one, change)]))
      : mapSchemas(value, change),
  ]);
  return change(Object.fromEntries(inner));
}

const omitKeywords = (schema: JsonSchema, left: ReadonlySet<string>): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !left.has(name)));

/** `anyOf` something or null says the same as a type of both, in a third of the words. */
function shortenNullable(schema: JsonSchema): JsonSchema {
  const [one, other] = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf as JsonSchema[]) : [];
  if (other?.type !== 'null' || typeof one?.type !== 'string' || 'enum' in one) return schema;
  return { ...one, type: [one.type, 'null'] };
}

function shortenOutput(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = omitKeywords(schema, NOT_IN_ANSWERS);
  const values = rest.enum;
  const { enum: _, ...untold } = rest;
  const kept = Array.isArray(values) && values.length > MAX_ENUM_VALUES ? untold : rest;
  return shortenNullable(isObject(additionalProperties) ? { ...kept, additionalProperties } : kept);
}

/** Names objects within objects alone. @param depth of objects that are still told */
function limitDepth(schema: unknown, depth: number): unknown {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, ...rest } = schema;
  if (items !== undefined) return depth === 0 ? rest : { ...rest, items: limitDepth(items, depth) };
  if (additionalProperties !== undefined) return depth === 0 ? rest : schema;
  if (!isObject(properties)) return schema;
  if (depth === 0) return rest;
  const told = Object.entries(properties).map(([name, one]) => [name, limitDepth(one, depth - 1)]);
  return { ...rest, properties: Object.fromEntries(told) };
}

/** Arguments of a tool: every description stays. */
const listInputSchema = (schema: z.ZodObject): JsonSchema =>
  mapSchemas(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), (one) =>
    omitKeywords(one, NOT_IN_ARGUMENTS),
  ) as JsonSchema;

/** Rows of the same form as those of a list before are named as objects alone. */
function shortenRepeatedRows(properties: JsonSchema): JsonSchema {
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
function listOutputSchema(schema: z.ZodObject): JsonSchema {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const listed = limitDepth(mapSchemas(whole, shortenOutput), MAX_OUTPUT_DEPTH) as JsonSchema;
  const properties = isObject(listed.properties) ? shortenRepeatedRows(listed.properties) : listed.properties;
  return { ...listed, properties, required: whole.required };
}

// The answer to `tools/list`: the same words in the same order every time, so that clients may keep it.

/** Tools read what is public and change nothing; what they answer comes from the world, which goes on. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** @param baseUrl address that readers use, where the icons stand */
export const listTools = (tools: readonly AnyTool[], baseUrl: string): ListedTool[] =>
  tools.map(({ name, title, description, input, output, meta }) => ({
    name,
    title,
    description,
    inputSchema: listInputSchema(input) as ListedTool['inputSchema'],
    outputSchema: listOutputSchema(output) as NonNullable<ListedTool['outputSchema']>,
    annotations: ANNOTATIONS,
    icons: [{ src: `${baseUrl}/mcp/icons/${name}.svg`, mimeType: 'image/svg+xml' }],
    ...(meta && { _meta: { ...meta } }),
  }));

// An icon for each tool, drawn in strokes that are seen on light and dark.

const iconSvg = ({ title, icon }: AnyTool): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#b0413e" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><title>${title}</title>${icon}</svg>`;

/** Serves them where the list of tools says that they are. */
export function registerIconRoutes(server: FastifyInstance, tools: readonly AnyTool[]): void {
  for (const tool of tools)
    server.get(`/mcp/icons/${tool.name}.svg`, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=86400', 'cross-origin-resource-policy': 'cross-origin' })
        .type('image/svg+xml; charset=utf-8')
        .send(iconSvg(tool)),
    );
}
