/**
 * All tools, and the answer to `tools/list`, identical to the byte every time so that clients can cache it, with the
 * icons that it names. Models read the list before every choice, so schemas are shortened.
 */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AnyTool } from './tool.ts';
import { brandProfile, compareBrands } from './tools/brand-profile.ts';
import { dailyBrief } from './tools/daily-brief.ts';
import { getExpansionMap } from './tools/get-expansion-map.ts';
import { getGroup } from './tools/get-group.ts';
import { getLeadershipMoves } from './tools/get-leadership-moves.ts';
import { getSignal } from './tools/get-signal.ts';
import { latestMoves } from './tools/latest-moves.ts';
import { fetch, search } from './tools/search-fetch.ts';

type JsonSchema = { readonly [name: string]: unknown };

/** Keywords omitted from arguments, because a model cannot use them. */
const NOT_IN_ARGUMENTS = new Set(['$schema', 'pattern', 'parameter', 'minLength', 'maxLength']);
/**
 * Keywords omitted from answers, which only the service produces: descriptions, bounds, required fields. Fields can be
 * added to answers, so they are not closed either.
 */
const NOT_IN_ANSWERS = new Set(
  ['$schema', 'pattern', 'propertyNames', 'description', 'format', 'required', 'minimum', 'maximum'].concat([
    'exclusiveMinimum',
    'maxItems',
    'minItems',
  ]),
);
/** Longer lists of values are replaced by their type. */
const MAX_ENUM_VALUES = 7;
/** Levels of an answer that are listed; objects below are named only. */
const MAX_OUTPUT_DEPTH = 2;

const isObject = (value: unknown): value is JsonSchema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Applies a change to every schema within a schema, the innermost first. Names of fields are not keywords. */
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

/** Writes `anyOf` a type or null as a list of two types, which is a third as long. */
function shortenNullable(schema: JsonSchema): JsonSchema {
  const [one, other] = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf as JsonSchema[]) : [];
  if (other?.type !== 'null' || typeof one?.type !== 'string' || 'enum' in one) return schema;
  return { ...one, type: [one.type, 'null'] };
}

function shortenOutput(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = omitKeywords(schema, NOT_IN_ANSWERS);
  const values = rest.enum;
  const { enum: _, ...withoutEnum } = rest;
  const kept = Array.isArray(values) && values.length > MAX_ENUM_VALUES ? withoutEnum : rest;
  return shortenNullable(isObject(additionalProperties) ? { ...kept, additionalProperties } : kept);
}

/** Omits the fields of objects below a depth, and marks, which have one value where they are set. @param depth levels that are still listed */
function limitDepth(schema: unknown, depth: number): unknown {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, ...rest } = schema;
  if (items !== undefined) return depth === 0 ? rest : { ...rest, items: limitDepth(items, depth) };
  if (additionalProperties !== undefined) return depth === 0 ? rest : schema;
  if (!isObject(properties)) return schema;
  if (depth === 0) return rest;
  const isMark = (one: unknown): boolean => isObject(one) && typeof one.const === 'string';
  const fields = Object.entries(properties).flatMap(([name, one]) =>
    isMark(one) ? [] : [[name, limitDepth(one, depth - 1)]],
  );
  return { ...rest, properties: Object.fromEntries(fields) };
}

/** The input schema of a tool as the list shows it, with every description. */
const listInputSchema = (schema: z.ZodObject): JsonSchema =>
  mapSchemas(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), (one) =>
    omitKeywords(one, NOT_IN_ARGUMENTS),
  ) as JsonSchema;

/** Lists rows of a form that an earlier field has as plain objects. */
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

/** The output schema of a tool as the list shows it: names and types, and the required fields of the top level. */
function listOutputSchema(schema: z.ZodObject): JsonSchema {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const listed = limitDepth(mapSchemas(whole, shortenOutput), MAX_OUTPUT_DEPTH) as JsonSchema;
  const properties = isObject(listed.properties) ? shortenRepeatedRows(listed.properties) : listed.properties;
  return { ...listed, properties, required: whole.required };
}

/** Tools read public data and change nothing; their answers change with the news. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** Lists the tools. @param baseUrl public address of the service, which serves the icons */
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

const iconSvg = ({ title, icon }: AnyTool): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#b0413e" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><title>${title}</title>${icon}</svg>`;

/** Serves the icons at the addresses that the list of tools names. */
export function registerIconRoutes(server: FastifyInstance, tools: readonly AnyTool[]): void {
  for (const tool of tools)
    server.get(`/mcp/icons/${tool.name}.svg`, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=86400', 'cross-origin-resource-policy': 'cross-origin' })
        .type('image/svg+xml; charset=utf-8')
        .send(iconSvg(tool)),
    );
}

export const TOOLS: readonly AnyTool[] = [
  latestMoves,
  getSignal,
  brandProfile,
  compareBrands,
  dailyBrief,
  getExpansionMap,
  getGroup,
  getLeadershipMoves,
  search,
  fetch,
];
