/** GET /developers/api/{operation}: one operation of the API, from the OpenAPI document. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { Markup } from '../../../presentation/markup.ts';
import { clip } from '../../../presentation/text.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { layout, sendPage } from '../../layout.ts';
import { inline, markdown } from '../../markdown.ts';
import type { Site } from '../../site.ts';
import { answerOf, type Parameter, type Reference, type ReferenceOperation, referenceOf } from './reference.ts';

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

const fields = (heading: string, list: readonly Field[]): Markup | null =>
  list.length === 0
    ? null
    : html`<section class="part"><h2>${heading}</h2><div class="scroll" tabindex="0" role="region" aria-label="${heading}"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
    <tbody>${list.map(
      ({ name, required, schema, description }) =>
        html`<tr><th scope="row"><code>${name}</code>${required ? html`<small>required</small>` : null}</th><td>${typeOf(schema)}</td><td class="long">${inline(description)}</td></tr>`,
    )}</tbody></table></div></section>`;

const example = (value: unknown): Markup =>
  html`<pre tabindex="0"><code>${clip(typeof value === 'string' ? value : JSON.stringify(value, null, 2), LONGEST_EXAMPLE)}</code></pre>`;

const bodyOf = ({ requestBody }: ReferenceOperation): Markup | null => {
  if (!requestBody) return null;
  const { schema, example: sent } = requestBody.content['application/json'];
  const list = Object.entries(schema.properties).map(([name, property]) => ({
    ...{ name, schema: property, description: property.description ?? '' },
    required: schema.required.includes(name),
  }));
  return html`${fields('Body', list)}${example(sent)}`;
};

const answers = (described: Reference, { responses }: ReferenceOperation): Markup =>
  html`<section class="part"><h2>Responses</h2>${Object.entries(responses).map(([status, answer]) => {
    const { text, examples } = answerOf(described, answer);
    return html`<h3>${status}</h3><p>${inline(text)}</p>${examples.slice(0, 1).map(example)}`;
  })}</section>`;

/** 404 for an unknown operation. */
export function operationPage(server: FastifyInstance, site: Site): void {
  const reference = referenceOf(site.describeApi);
  server.get<{ Params: { id: string } }>('/developers/api/:id', async (request, reply) => {
    const described = reference();
    const operation = described.operations.find(({ operationId }) => operationId === request.params.id);
    if (!operation) throw new Refusal('not_found', 'The API has no such operation.');
    const { method, path, summary, description, operationId, parameters } = operation;
    return sendPage(
      reply,
      await layout(site, {
        title: `${method} ${path} · Clarity`,
        description: clip(summary, 300),
        path: `/developers/api/${operationId}`,
        body: html`<header class="subject"><p class="kicker"><a href="/developers">Developers</a><span>${operation.tags.join(', ')}</span></p>
          <h1 class="address">${method} ${path}</h1><p>${inline(summary)}</p></header>
        <div class="prose">${description ? markdown(description) : null}<p>${accessOf(operation)}</p></div>
        ${fields('Parameters', parameters)}${bodyOf(operation)}${answers(described, operation)}`,
      }),
    );
  });
}
