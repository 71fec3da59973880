/** GET /developers: the API and its operations, and how an assistant is set up. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { layout } from '../../layout.ts';
import type { Markup } from '../../markup.ts';
import { inline, markdown } from '../../parts/markdown.ts';
import { type Reference, reference } from '../../reference.ts';
import { sendPage } from '../../send-page.ts';
import type { Frame, Site } from '../../site.ts';
import { mcpSetUp } from './mcp.ts';

const operations = ({ tags, operations: all }: Reference): Markup[] =>
  tags.map(({ name, description }) => {
    const own = all.filter((operation) => operation.tags.includes(name));
    return html`<section><h3>${name}</h3><p>${inline(description)}</p>
    <ul class="plain-list">${own.map(
      ({ method, path, summary, operationId }) =>
        html`<li><a href="/developers/api/${operationId}"><code>${method} ${path}</code></a><small>${inline(summary)}</small></li>`,
    )}</ul></section>`;
  });

/** Renders it from the description that the service serves. */
export const renderDevelopers = (site: Frame, described: Reference): Promise<string> =>
  layout(site, {
    title: 'Developers · Clarity',
    description: 'The record of Indian retail as an API and as tools for assistants: every operation with an example.',
    path: '/developers',
    body: html`<header class="subject"><p class="kicker"><span>Developers</span><span>version ${described.version}</span></p><h1>The record, for programs</h1></header>
    <div class="prose">${markdown(described.introduction)}</div>
    <section class="part"><h2>Begin</h2>
      <p>A key is yours after <a href="/keys">an application</a>; <a href="/plans">plans</a> say what it allows. It travels in a header.</p>
      <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
      <p><a href="/.well-known/openapi.yaml">OpenAPI 3.1 document</a> · <a href="/developers/changelog">What changed</a> · <a href="/feed.rss">RSS</a>, <a href="/feed.atom">Atom</a>, <a href="/feed.json">JSON Feed</a> · <a href="/llms.txt">llms.txt</a></p></section>
    <section class="part prose"><h2>Reference</h2>${operations(described)}</section>
    ${mcpSetUp(site.baseUrl)}`,
  });

export function developersPage(server: FastifyInstance, site: Site): void {
  server.get('/developers', async (_request, reply) => sendPage(reply, await renderDevelopers(site, reference())));
}
