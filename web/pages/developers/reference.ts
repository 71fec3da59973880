/** The OpenAPI document as the reference pages read it: validated for what they show. */
import { z } from 'zod';

const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  description: z.string().optional(),
});

const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  description: z.string(),
  schema: Schema,
});
export type Parameter = z.infer<typeof Parameter>;

const Content = z.record(z.string(), z.looseObject({ example: z.unknown().optional() }));
const Body = z.object({
  schema: Schema.extend({
    properties: z.record(z.string(), Schema).default({}),
    required: z.array(z.string()).default([]),
  }),
  example: z.unknown(),
});
const Answer = z.union([
  z.object({ $ref: z.string() }),
  z.object({ description: z.string(), content: Content.default({}) }),
]);

const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': Body }) }).optional(),
  responses: z.record(z.string(), Answer),
});

/** The operations of a path by method; other fields of a path item are not shown. */
const PathItem = z
  .object({ get: Operation, post: Operation, put: Operation, patch: Operation, delete: Operation })
  .partial();

const Document = z.object({
  info: z.object({ version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), PathItem),
  components: z.object({ responses: z.record(z.string(), z.object({ description: z.string() })) }),
});

export interface ReferenceOperation extends z.infer<typeof Operation> {
  readonly method: string;
  readonly path: string;
}

export interface Reference {
  readonly version: string;
  /** Markdown. */
  readonly introduction: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly ReferenceOperation[];
  /** Descriptions of shared answers, by the last part of their `$ref`. */
  readonly shared: Readonly<Record<string, string>>;
}

function readReference(document: unknown): Reference {
  const { info, tags, paths, components } = Document.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const shared = Object.entries(components.responses).map(([name, { description }]) => [name, description] as const);
  return {
    version: info.version,
    introduction: info.description,
    tags,
    operations,
    shared: Object.fromEntries(shared),
  };
}

/**
 * Makes a function that reads the OpenAPI document at its first call.
 * @throws ZodError, from that function, when the document lacks what the pages show
 */
export function referenceOf(describeApi: () => unknown): () => Reference {
  let read: Reference | undefined;
  return () => {
    read ??= readReference(describeApi());
    return read;
  };
}

/** The description and examples of an answer, also of one that operations share. */
export function answerOf({ shared }: Reference, answer: z.infer<typeof Answer>): { text: string; examples: unknown[] } {
  if ('$ref' in answer) return { text: shared[answer.$ref.split('/').at(-1) ?? ''] ?? '', examples: [] };
  const examples = Object.values(answer.content).flatMap(({ example }) => (example === undefined ? [] : [example]));
  return { text: answer.description, examples };
}
