/** GET /developers, from the OpenAPI document that `bin` passes in. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Markup } from '../../presentation/markup.ts';
import { showPage } from '../layout.ts';
import { inline, markdown } from '../markdown.ts';
import { part, subject, table } from '../parts.ts';
import type { Site } from '../site.ts';

const Operation = z.object({ tags: z.array(z.string()), summary: z.string() });

/** The operations of a path by method; other fields of a path item are not shown. */
const PathItem = z
  .object({ get: Operation, post: Operation, put: Operation, patch: Operation, delete: Operation })
  .partial();

const Document = z.object({
  info: z.object({ version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), PathItem),
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
}

function readReference(document: unknown): Reference {
  const { info, tags, paths } = Document.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return { version: info.version, introduction: info.description, tags, operations };
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

const REFERENCE_NOTE = html`<p>The <a href="/.well-known/openapi.yaml">OpenAPI document</a> has the parameters, the body and the responses of every operation, with examples.</p>`;

const operations = ({ tags, operations: all }: Reference): Markup[] =>
  tags.map(({ name, description }) => {
    const own = all.filter((operation) => operation.tags.includes(name));
    return html`<section><h3>${name}</h3><p>${inline(description)}</p>
    <ul class="plain-list">${own.map(
      ({ method, path, summary }) => html`<li><code>${method} ${path}</code><small>${inline(summary)}</small></li>`,
    )}</ul></section>`;
  });

/** The document is read at the first request. */
export function developersPage(server: FastifyInstance, site: Site): void {
  let read: Reference | undefined;
  server.get('/developers', async (_request, reply) => {
    read ??= readReference(site.describeApi());
    const described = read;
    const kicker = html`<span>Developers</span><span>version ${described.version}</span>`;
    return showPage(reply, site, {
      title: 'Developers',
      description: 'The record of Indian retail as an API and as tools for assistants: every operation and every tool.',
      path: '/developers',
      body: html`${subject(kicker, 'The record, for programs')}
    <div class="prose">${markdown(described.introduction)}</div>
    <section class="part"><h2>Get started</h2>
      <p><a href="/keys">Apply for a key</a>; <a href="/plans">plans</a> list what it allows. Send it in a header.</p>
      <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
      <p><a href="/.well-known/openapi.yaml">OpenAPI 3.1 document</a> · <a href="/developers/changelog">Changes</a> · <a href="/feed.rss">RSS</a>, <a href="/feed.atom">Atom</a>, <a href="/feed.json">JSON Feed</a> · <a href="/llms.txt">llms.txt</a></p></section>
    ${part('Reference', html`${REFERENCE_NOTE}${operations(described)}`, 'part prose')}
    ${mcpSetUp(site.baseUrl)}`,
    });
  });
  // Each operation had a page once.
  server.get('/developers/api/:id', async (_request, reply) => reply.redirect(`${site.baseUrl}/developers`, 301));
}
