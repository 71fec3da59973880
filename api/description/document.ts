/** The description of the API in OpenAPI 3.1, made of the schemas that the routes check with. */
import { stringify } from 'yaml';
import type { z } from 'zod';
import { COMMON_ERRORS, ERROR_RESPONSES, errorResponses } from './errors.ts';
import { commonHeaders, HEADERS, headersOf } from './headers.ts';
import { INFO, NOT_OFFERED, SECURITY_SCHEMES, securityOf, TAGS } from './introduction.ts';
import { componentSchemas, inputSchema, type JsonSchema, reference } from './json-schema.ts';
import type { Answer, Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { parametersOf } from './parameters.ts';
import { NAMED_SCHEMAS } from './schemas.ts';

const names = new Map<z.ZodType, string>(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]));

function named(schema: z.ZodType): JsonSchema {
  const name = names.get(schema);
  if (!name) throw new Error('a schema of an answer has no name in NAMED_SCHEMAS');
  return { $ref: reference(name) };
}

function answered(answer: Answer, { method, isLimited = true }: Operation, status: string): JsonSchema {
  const { description, schema, example, others = {}, headers = {} } = answer;
  const content = {
    ...(schema ? { 'application/json': { schema: named(schema), example } } : {}),
    ...Object.fromEntries(
      Object.entries(others).map(([type, form]) => [
        type,
        typeof form === 'string'
          ? { schema: { type: 'string' }, example: form }
          : { schema: named(form.schema), example: form.example },
      ]),
    ),
  };
  const tagged =
    method === 'get' && status === '200' ? ['ETag'] : method === 'post' && isLimited ? ['Idempotency-Replayed'] : [];
  return {
    description,
    headers: headersOf([...commonHeaders(isLimited), ...tagged], headers),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function described(operation: Operation): JsonSchema {
  const { id, tag, summary, description, access, body, answers, errors = [], isLimited = true, method } = operation;
  const common = isLimited ? COMMON_ERRORS[access] : (['server_error', 'unavailable'] as const);
  const parameters = parametersOf(operation);
  const responses: [string, JsonSchema][] = [
    ...Object.entries(answers).map(([status, answer]): [string, JsonSchema] => [
      status,
      answered(answer, operation, status),
    ]),
    ...(method === 'get'
      ? [
          [
            '304',
            {
              description: 'Nothing changed since the `ETag` that was sent.',
              headers: headersOf([...commonHeaders(isLimited), 'ETag']),
            },
          ] as [string, JsonSchema],
        ]
      : []),
    ...Object.entries(
      errorResponses(
        [...errors, ...common, ...(method === 'post' && isLimited ? (['conflict'] as const) : [])],
        body !== undefined,
      ),
    ),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: inputSchema(body.schema), example: body.example } },
          },
        }
      : {}),
    responses: Object.fromEntries(responses.sort(([one], [other]) => Number(one) - Number(other))),
  };
}

/** The whole document. It is the same wherever the service stands: its addresses begin at the server's root. */
export function describeApi(): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(operation) };
  Object.assign(paths, NOT_OFFERED);
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: TAGS,
    security: securityOf('read'),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      responses: ERROR_RESPONSES,
      schemas: componentSchemas(NAMED_SCHEMAS),
    },
  };
}

/** The document as YAML. */
export const descriptionText = (): string => stringify(describeApi(), { aliasDuplicateObjects: false, lineWidth: 110 });
