/** GET /operate/brands: names that headlines are about and the catalogue lacks. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, counted, neutralise } from '../../../presentation/text.ts';
import { type Unlisted, unlistedBrands } from '../../../projector/models/brands-queries.ts';
import type { Site } from '../../site.ts';
import { operatorPage } from './operator-page.ts';

const DAYS = 30;
const SHOWN = 100;

const row = ({ slug, name, stories, last_seen_at, signal_id }: Unlisted): Markup => html`<tr>
  <th scope="row"><a href="/brand/${slug}">${clip(neutralise(name), 80)}</a><small>${slug}</small></th>
  <td class="figure">${stories}</td>
  <td>${fullTime(last_seen_at.toISOString())}<small><a href="/signal/${signal_id}">the newest</a></small></td>
</tr>`;

/** Lines for a file of the catalogue, the names quoted as JSON, which YAML reads too. */
const lines = (found: readonly Unlisted[]): string =>
  found.map(({ slug, name }) => `- slug: ${slug}\n  name: ${JSON.stringify(neutralise(name))}`).join('\n');

export function unlistedBrandsPage(server: FastifyInstance, site: Site): void {
  const known = site.directory.brands.flatMap(({ slug }) => site.directory.slugsOf(slug));
  operatorPage(server, site, {
    path: '/brands',
    title: 'Brands that the catalogue lacks',
    async body() {
      const since = new Date(site.now().getTime() - DAYS * 86_400_000);
      const found = await unlistedBrands(site.database, { known, since, limit: SHOWN });
      if (found.length === 0)
        return html`<p class="empty">The catalogue knows every brand of the last ${DAYS} days.</p>`;
      return html`<p>${counted(found.length, 'name')} of the last ${DAYS} days, taken from headlines because they are what
        these are about. Add those that are brands to a file of the catalogue; a name that is no brand is a mistake of
        understanding, worth a test.</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Brands that the catalogue lacks"><table>
        <thead><tr><th scope="col">Name</th><th scope="col" class="figure">Stories</th><th scope="col">Last told</th></tr></thead>
        <tbody>${found.map(row)}</tbody></table></div>
      <details><summary>As lines for the catalogue</summary><pre tabindex="0"><code>${lines(found)}</code></pre></details>`;
    },
  });
}
