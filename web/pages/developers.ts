/** GET /developers and /developers/api/{operation}, from the OpenAPI document that `bin` passes in. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Markup } from '../../presentation/markup.ts';
import { clip } from '../../presentation/text.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { showPage } from '../layout.ts';
import { inline, markdown } from '../markdown.ts';
import { listPart, part, subject, table } from '../parts.ts';
import type { Site } from '../site.ts';

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
type Parameter = z.infer<typeof Parameter>;

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

interface ReferenceOperation extends z.infer<typeof Operation> {
  readonly method: string;
  readonly path: string;
}

interface Reference {
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
function referenceOf(describeApi: () => unknown): () => Reference {
  let read: Reference | undefined;
  return () => {
    read ??= readReference(describeApi());
    return read;
  };
}

/** The description and examples of an answer, also of one that operations share. */
function answerOf({ shared }: Reference, answer: z.infer<typeof Answer>): { text: string; examples: unknown[] } {
  if ('$ref' in answer) return { text: shared[answer.$ref.split('/').at(-1) ?? ''] ?? '', examples: [] };
  const examples = Object.values(answer.content).flatMap(({ example }) => (example === undefined ? [] : [example]));
  return { text: answer.description, examples };
}

/** The tools and their results, as the contract lists them. */
const TOOLS = [
  ['latest_moves', 'Newest moves, by brand, theme or kind of move'],
  ['get_signal', 'One move in full: why it matters, what to watch, key facts, source'],
  ['brand_profile', "One brand's last 30 days against the 30 before, by kind"],
  ['compare_brands', 'Competitor Watch'],
  ['daily_brief', 'The morning brief'],
  ['get_expansion_map', 'Who is opening where, and who to pitch'],
  ['get_group', 'One group of businesses and its results season'],
  ['get_leadership_moves', 'Who joined, left or was promoted'],
  ['search', 'Find brands, themes and moves'],
  ['fetch', 'Full text of one search result'],
] as const;

/** How to set up an assistant. @param baseUrl the public address */
const mcpSetUp = (baseUrl: string): Markup => html`<section class="part" id="mcp"><h2>In an assistant: MCP</h2>
  <p>The record speaks the Model Context Protocol over Streamable HTTP at <code>${baseUrl}/mcp</code>. Without a key an
    assistant has 50 calls a day; with a key, the calls of its account.</p>
  <p>Claude Code:</p>
  <pre tabindex="0">claude mcp add --transport http clarity ${baseUrl}/mcp --header "Authorization: Bearer &lt;key&gt;"</pre>
  <p>Clients with a configuration file:</p>
  <pre tabindex="0">{
  "mcpServers": {
    "clarity": {
      "type": "http",
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer &lt;key&gt;" }
    }
  }
}</pre>
  <p>Clients that support sign-in use <code>${baseUrl}/mcp/account</code> and need no key.</p>
  ${table(
    'Tools',
    ['Tool', 'Answers'],
    TOOLS.map(([name, what]) => html`<tr><th scope="row"><code>${name}</code></th><td>${what}</td></tr>`),
  )}
</section>`;

const operations = ({ tags, operations: all }: Reference): Markup[] =>
  tags.map(({ name, description }) => {
    const own = all.filter((operation) => operation.tags.includes(name));
    return html`<section><h3>${name}</h3><p>${inline(description)}</p>
    <ul class="plain-list">${own.map(
      ({ method, path, summary, operationId }) =>
        html`<li><a href="/developers/api/${operationId}"><code>${method} ${path}</code></a><small>${inline(summary)}</small></li>`,
    )}</ul></section>`;
  });

export function developersPage(server: FastifyInstance, site: Site): void {
  const reference = referenceOf(site.describeApi);
  server.get('/developers', async (_request, reply) => {
    const described = reference();
    const kicker = html`<span>Developers</span><span>version ${described.version}</span>`;
    return showPage(reply, site, {
      title: 'Developers',
      description:
        'The record of Indian retail as an API and as tools for assistants: every operation with an example.',
      path: '/developers',
      body: html`${subject(kicker, 'The record, for programs')}
    <div class="prose">${markdown(described.introduction)}</div>
    <section class="part"><h2>Get started</h2>
      <p><a href="/keys">Apply for a key</a>; <a href="/plans">plans</a> list what it allows. Send it in a header.</p>
      <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
      <p><a href="/.well-known/openapi.yaml">OpenAPI 3.1 document</a> · <a href="/developers/changelog">Changes</a> · <a href="/feed.rss">RSS</a>, <a href="/feed.atom">Atom</a>, <a href="/feed.json">JSON Feed</a> · <a href="/llms.txt">llms.txt</a></p></section>
    ${part('Reference', operations(described), 'part prose')}
    ${mcpSetUp(site.baseUrl)}`,
    });
  });
}

const LONGEST_EXAMPLE = 6_000;

/** The credentials of an operation, in words. */
const ACCESS: Readonly<Record<string, string>> = { key: 'a key', keyHeader: 'X-API-Key', signIn: 'a sign-in' };
function accessOf({ security }: ReferenceOperation): string {
  const names = security.map((one) => Object.keys(one)[0]);
  if (names.includes(undefined)) return 'Public; a key is optional.';
  const needed = names.flatMap((name) => (name === undefined || name === 'keyHeader' ? [] : [ACCESS[name] ?? name]));
  return `Needs ${needed.join(' or ')}.`;
}

const typeOf = ({ type, enum: values, default: fallback, minimum, maximum }: Parameter['schema']): string =>
  [
    values ? values.map(String).join(', ') : [type ?? 'value'].flat().join(' or '),
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    fallback === undefined ? '' : `default ${String(fallback)}`,
  ]
    .filter(Boolean)
    .join('; ');

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Parameter['schema'];
  readonly description: string;
}

const fieldsPart = (heading: string, list: readonly Field[]): Markup | null =>
  listPart(heading, list, () =>
    table(
      heading,
      ['Name', 'Type', 'Description'],
      list.map(
        ({ name, required, schema, description }) =>
          html`<tr><th scope="row"><code>${name}</code>${required ? html`<small>required</small>` : null}</th><td>${typeOf(schema)}</td><td class="long">${inline(description)}</td></tr>`,
      ),
    ),
  );

const example = (value: unknown): Markup =>
  html`<pre tabindex="0"><code>${clip(typeof value === 'string' ? value : JSON.stringify(value, null, 2), LONGEST_EXAMPLE)}</code></pre>`;

const bodyOf = ({ requestBody }: ReferenceOperation): Markup | null => {
  if (!requestBody) return null;
  const { schema, example: sent } = requestBody.content['application/json'];
  const list = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    schema: property,
    description: property.description ?? '',
    required: schema.required.includes(name),
  }));
  return html`${fieldsPart('Body', list)}${example(sent)}`;
};

const answersPart = (described: Reference, { responses }: ReferenceOperation): Markup =>
  part(
    'Responses',
    Object.entries(responses).map(([status, answer]) => {
      const { text, examples } = answerOf(described, answer);
      return html`<h3>${status}</h3><p>${inline(text)}</p>${examples.slice(0, 1).map(example)}`;
    }),
  );

/** 404 for an unknown operation. */
export function operationPage(server: FastifyInstance, site: Site): void {
  const reference = referenceOf(site.describeApi);
  server.get<{ Params: { id: string } }>('/developers/api/:id', async (request, reply) => {
    const described = reference();
    const operation = described.operations.find(({ operationId }) => operationId === request.params.id);
    if (!operation) throw new Refusal('not_found', 'The API has no such operation.');
    const { method, path, summary, description, operationId, parameters, tags } = operation;
    return showPage(reply, site, {
      title: `${method} ${path}`,
      description: clip(summary, 300),
      path: `/developers/api/${operationId}`,
      body: html`<header class="subject"><p class="kicker"><a href="/developers">Developers</a><span>${tags.join(', ')}</span></p>
          <h1 class="address">${method} ${path}</h1><p>${inline(summary)}</p></header>
        <div class="prose">${description ? markdown(description) : null}<p>${accessOf(operation)}</p></div>
        ${fieldsPart('Parameters', parameters)}${bodyOf(operation)}${answersPart(described, operation)}`,
    });
  });
}
