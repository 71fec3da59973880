/** GET /sources: how the roster does. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { healthSnapshot } from '../../projector/models/source_health/queries.ts';
import type { HealthSnapshot, SourceHealth } from '../../schemas/resources.ts';
import { layout } from '../layout.ts';
import { outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { sendPage } from '../send-page.ts';
import type { Frame, Site } from '../site.ts';
import { clip, neutralise } from '../text.ts';
import { fullTime } from '../time.ts';

/** What each word means, as the contract defines it. */
const MEANINGS: Readonly<Record<SourceHealth, string>> = {
  healthy: 'the last poll was good and items come as expected',
  degraded: 'some polls fail, or it is slower than its own normal',
  failing: 'three polls or more failed in a row',
  silent: 'polls succeed, but nothing new comes',
  paused: 'not polled at present',
};
const WORST_FIRST = ['failing', 'silent', 'degraded', 'paused', 'healthy'];

const every = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
};

const row = (source: HealthSnapshot['sources'][number]): Markup => html`<tr id="${source.id}">
  <th scope="row">${outwardLink(source.url, clip(neutralise(source.outlet), 80))}<small>${source.id}</small></th>
  <td><span class="health ${source.health}" title="${MEANINGS[source.health]}">${source.health}</span>
    ${source.last_error ? html`<small>${clip(neutralise(source.last_error), 120)}</small>` : null}</td>
  <td class="figure">${source.items_24h}</td>
  <td class="figure">${every(source.cadence_seconds)}</td>
  <td>${source.last_success_at ? fullTime(source.last_success_at) : 'not yet'}</td>
</tr>`;

const figure = (name: string, value: number): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** Renders it from a snapshot: what needs a look comes first. */
export function renderSources(site: Frame, { stats, sources }: HealthSnapshot): Promise<string> {
  const ordered = sources.toSorted(
    (one, other) =>
      WORST_FIRST.indexOf(one.health) - WORST_FIRST.indexOf(other.health) || one.outlet.localeCompare(other.outlet),
  );
  return layout(site, {
    title: 'Sources · Clarity',
    description: 'The outlets that Clarity reads, and how each of them is doing.',
    path: '/sources',
    body: html`<header class="subject"><p class="kicker">Sources</p><h1>What is read, and how it is doing</h1></header>
    <dl class="figures">${figure('sources', stats.sources)}${figure('healthy', stats.healthy)}${figure('need a look', stats.degraded + stats.failing + stats.silent)}${figure('items an hour', stats.items_per_hour)}${figure('signals in 24 hours', stats.signals_24h)}</dl>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of sources"><table>
      <thead><tr><th scope="col">Outlet</th><th scope="col">Health</th><th scope="col" class="figure">Items, 24 h</th><th scope="col" class="figure">Polled every</th><th scope="col">Last good poll</th></tr></thead>
      <tbody>${ordered.map(row)}</tbody>
    </table></div>
    ${sources.length === 0 ? html`<p class="empty">The roster is being read.</p>` : null}`,
  });
}

export function sourcesPage(server: FastifyInstance, site: Site): void {
  server.get('/sources', async (_request, reply) => {
    const { database, now } = site;
    return sendPage(reply, await renderSources(site, await healthSnapshot(database, now())));
  });
}
