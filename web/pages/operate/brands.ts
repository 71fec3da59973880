/** GET /operate/brands: names in headlines that the catalogue lacks. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, formatCount, neutralise } from '../../../presentation/text.ts';
import { type Unlisted, unlistedBrands } from '../../../projector/models/brands-queries.ts';
import type { Site } from '../../site.ts';
import { operatorPage } from './operator-page.ts';

const DAYS = 30;
const SHOWN = 100;

const row = ({ slug, name, stories, last_seen_at, signal_id }: Unlisted): Markup => html`<tr>
  <th scope="row"><a href="/brand/${slug}">${clip(neutralise(name), 80)}</a><small>${slug}</small></th>
  <td class="figure">${stories}</td>
  <td>${fullTime(last_seen_at.toISOString())}<small><a href="/signal/${signal_id}">latest</a></small></td>
</tr>`;

/** Lines for a file of the catalogue. Names are JSON strings, which YAML accepts. */
const lines = (found: readonly Unlisted[]): string =>
  found.map(({ slug, name }) => `- slug: ${slug}\n  name: ${JSON.stringify(neutralise(name))}`).join('\n');

export function unlistedBrandsPage(server: FastifyInstance, site: Site): void {
  const known = site.directory.brands.flatMap(({ slug }) => site.directory.slugsOf(slug));
  operatorPage(server, site, {
    path: '/brands',
    title: 'Brands missing from the catalogue',
    async body() {
      const since = new Date(site.now().getTime() - DAYS * 86_400_000);
      const found = await unlistedBrands(site.database, { known, since, limit: SHOWN });
      if (found.length === 0) return html`<p class="empty">The catalogue has every brand of the last ${DAYS} days.</p>`;
      return html`<p>${formatCount(found.length, 'name')} of the last ${DAYS} days from headlines. Add the brands among them to a
        file of the catalogue. A name that is not a brand is an error in <code>understand</code> and deserves a test.</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Brands missing from the catalogue"><table>
        <thead><tr><th scope="col">Name</th><th scope="col" class="figure">Stories</th><th scope="col">Last mentioned</th></tr></thead>
        <tbody>${found.map(row)}</tbody></table></div>
      <details><summary>Lines for the catalogue</summary><pre tabindex="0"><code>${lines(found)}</code></pre></details>`;
    },
  });
}
