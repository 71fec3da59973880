/** GET /operate/brands: names in headlines that the catalogue lacks. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { decideBrand } from '../../../ingest/brand-decisions.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { provisionalBrands } from '../../../presentation/public-records.ts';
import { clip, formatCount, neutralise } from '../../../presentation/text.ts';
import { waitForOwnWrite } from '../../../projector/model-progress.ts';
import { type Unlisted, unlistedBrands } from '../../../projector/models/brands-queries.ts';
import type { BRAND_DECISIONS } from '../../../schemas/brand.ts';
import { type Form, form } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

const PATH = '/operate/brands';
const DAYS = 30;
const SHOWN = 100;

const shown = (name: string): string => clip(neutralise(name), 80);

const decisions = ({ reader }: Operator, slug: string, name: string): Markup =>
  html`<details><summary>Decide</summary>
  ${form(reader, `${PATH}/promote`, { slug }, html`${whyField(`promote-${slug}`)}<p><button class="plain" aria-label="Promote ${name}">Promote</button></p>`, 'narrow')}
  ${form(reader, `${PATH}/refuse`, { slug }, html`${whyField(`refuse-${slug}`)}<p><button class="plain" aria-label="Refuse ${name}">Refuse</button></p>`, 'narrow')}</details>`;

const row = (
  operator: Operator,
  { slug, name, stories, last_seen_at, signal_id, decision }: Unlisted,
  provisional: ReadonlySet<string>,
): Markup => html`<tr>
  <th scope="row">${provisional.has(slug) ? shown(name) : html`<a href="/brand/${slug}">${shown(name)}</a>`}<small>${slug}</small></th>
  <td>${decision ?? (provisional.has(slug) ? 'provisional' : 'second story')}</td>
  <td class="figure">${stories}</td>
  <td>${fullTime(last_seen_at.toISOString())}<small><a href="/signal/${signal_id}">latest</a></small></td>
  <td>${decisions(operator, slug, shown(name))}</td>
</tr>`;

/** Lines for a file of the catalogue. Names are JSON strings, which YAML accepts. */
const lines = (found: readonly Unlisted[]): string =>
  found.map(({ slug, name }) => `- slug: ${slug}\n  name: ${JSON.stringify(neutralise(name))}`).join('\n');

export function unlistedBrandsPage(server: FastifyInstance, site: Site): void {
  async function decide(decision: keyof typeof BRAND_DECISIONS, { by }: Operator, sent: Form): Promise<void> {
    await decideBrand(site, decision, sent.slug ?? '', { by, why: reasonIn(sent) });
    await waitForOwnWrite(site.database, ['brands'], await site.store.head());
  }
  operatorPage(server, site, {
    path: '/brands',
    title: 'Brands missing from the catalogue',
    async body(operator) {
      const known = site.directory.brands.flatMap(({ slug }) => site.directory.slugsOf(slug));
      const since = new Date(site.now().getTime() - DAYS * 86_400_000);
      const found = await unlistedBrands(site.database, { known, since, limit: SHOWN });
      const provisional = await provisionalBrands(
        site,
        found.map(({ slug }) => slug),
      );
      if (found.length === 0) return html`<p class="empty">The catalogue has every brand of the last ${DAYS} days.</p>`;
      return html`<p>${formatCount(found.length, 'name')} of the last ${DAYS} days from headlines. Add the brands among them to a
        file of the catalogue. A name that is not a brand is an error in <code>understand</code> and deserves a test. A provisional name
        has no page until a second story names it or it is promoted; a refused one has none, whatever is reported.</p>
      <div class="scroll" tabindex="0" role="region" aria-label="Brands missing from the catalogue"><table>
        <thead><tr><th scope="col">Name</th><th scope="col">Page</th><th scope="col" class="figure">Stories</th><th scope="col">Last mentioned</th><td></td></tr></thead>
        <tbody>${found.map((one) => row(operator, one, provisional))}</tbody></table></div>
      <details><summary>Lines for the catalogue</summary><pre tabindex="0"><code>${lines(found)}</code></pre></details>`;
    },
    actions: {
      promote: (operator, sent) => decide('promote', operator, sent),
      refuse: (operator, sent) => decide('refuse', operator, sent),
    },
  });
}
