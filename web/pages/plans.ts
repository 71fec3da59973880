/** GET /plans: what the API allows on which plan, and how to get a key. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { ANONYMOUS_MCP, CALLS, QUESTIONS_DAY } from '../../access/quota/limits.ts';
import type { Markup } from '../../presentation/markup.ts';
import { formatNumber } from '../../presentation/text.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const row = (access: string, calls: { minute: number; day: number }, price: string, more: string): Markup => html`<tr>
  <th scope="row">${access}</th>
  <td class="figure">${formatNumber(calls.day)}</td>
  <td class="figure">${formatNumber(calls.minute)}</td>
  <td>${price}</td>
  <td>${more}</td>
</tr>`;

/** Renders the plans with the limits that are enforced. */
export const renderPlans = (site: Frame): Promise<string> =>
  layout(site, {
    title: 'API and plans · Clarity',
    description: 'The record as an API: what a key allows on each plan, and how to get one.',
    path: '/plans',
    body: html`<header class="subject"><p class="kicker">API</p><h1>The record, for programs</h1></header>
    <p>With a key you can read every page of the record as JSON. The pages need no key.</p>
    <pre tabindex="0">curl -H 'Authorization: Bearer &lt;key&gt;' '${site.baseUrl}/api/v1/signals?limit=5'</pre>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of plans"><table>
      <thead><tr><th scope="col">Access</th><th scope="col" class="figure">Calls a day</th><th scope="col" class="figure">A minute</th><th scope="col">Price</th><th scope="col">Allows</th></tr></thead>
      <tbody>
      ${row('No key, in an assistant', ANONYMOUS_MCP, 'none', 'all tools')}
      ${row('Free key', CALLS.free, 'none, after review', 'reading; Competitor Watch of 5 brands over 7 days')}
      ${row('Pro key', CALLS.pro, '₹999 a month', `reading; ${formatNumber(QUESTIONS_DAY)} questions a day; Competitor Watch of 25 brands over 7, 30 or 90 days`)}
      </tbody>
    </table></div>
    <p>A window starts at its first call and counts all keys of an account together. A call that a limit refuses
    is not counted, and the headers of every answer show how many calls are left.</p>
    <p>A free key needs an application: sign in and <a href="/keys">apply on the keys page</a>; an operator reviews it.
    To change plans, contact the operators of this service.</p>`,
  });

export function plansPage(server: FastifyInstance, site: Site): void {
  server.get('/plans', async (_request, reply) => sendPage(reply, await renderPlans(site)));
}
