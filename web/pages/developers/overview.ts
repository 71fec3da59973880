/** GET /developers: the API and its operations, and how to set up an assistant. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { Markup } from '../../../presentation/markup.ts';
import { layout, sendPage } from '../../layout.ts';
import { inline, markdown } from '../../markdown.ts';
import type { Frame, Site } from '../../site.ts';
import { type Reference, referenceOf } from './reference.ts';

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
  <div class="scroll" tabindex="0" role="region" aria-label="Tools"><table><thead><tr><th scope="col">Tool</th><th scope="col">Answers</th></tr></thead>
    <tbody>${TOOLS.map(([name, what]) => html`<tr><th scope="row"><code>${name}</code></th><td>${what}</td></tr>`)}</tbody></table></div>
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

/** Renders the OpenAPI document of the service. */
const renderDevelopers = (site: Frame, described: Reference): Promise<string> =>
  layout(site, {
    title: 'Developers · Clarity',
    description: 'The record of Indian retail as an API and as tools for assistants: every operation with an example.',
    path: '/developers',
    body: html`<header class="subject"><p class="kicker"><span>Developers</span><span>version ${described.version}</span></p><h1>The record, for programs</h1></header>
    <div class="prose">${markdown(described.introduction)}</div>
    <section class="part"><h2>Get started</h2>
      <p><a href="/keys">Apply for a key</a>; <a href="/plans">plans</a> list what it allows. Send it in a header.</p>
      <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
      <p><a href="/.well-known/openapi.yaml">OpenAPI 3.1 document</a> · <a href="/developers/changelog">Changes</a> · <a href="/feed.rss">RSS</a>, <a href="/feed.atom">Atom</a>, <a href="/feed.json">JSON Feed</a> · <a href="/llms.txt">llms.txt</a></p></section>
    <section class="part prose"><h2>Reference</h2>${operations(described)}</section>
    ${mcpSetUp(site.baseUrl)}`,
  });

export function developersPage(server: FastifyInstance, site: Site): void {
  const reference = referenceOf(site.describeApi);
  server.get('/developers', async (_request, reply) => sendPage(reply, await renderDevelopers(site, reference())));
}
