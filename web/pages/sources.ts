/** GET /sources: the health of every source, and the reports that the record missed. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { fullTime, type Markup, outwardLink } from '../../presentation/markup.ts';
import { clip, formatNumber, neutralise } from '../../presentation/text.ts';
import { healthSnapshot, itemsByHour } from '../../projector/models/source-health-queries.ts';
import type { HealthSnapshot, SourceHealth } from '../../schemas/resources.ts';
import { sparkline } from '../charts.ts';
import { layout, sendPage } from '../layout.ts';
import type { Frame, Site } from '../site.ts';

const MAXIMUM_MISSES = 20;
const percent = (share: number): string => `${Math.round(share * 1_000) / 10}%`;

const miss = ({
  headline,
  url,
  outlet,
  published_at,
}: NonNullable<HealthSnapshot['oracle']>['misses'][number]): Markup =>
  html`<li>${outwardLink(url, clip(neutralise(headline), 200))}
  <small>${clip(neutralise(outlet), 60)}${published_at ? html` · ${fullTime(published_at)}` : null}</small></li>`;

/** The latest measurement of the Oracle with its misses. */
const oracleReport = (oracle: HealthSnapshot['oracle']): Markup =>
  oracle === null
    ? html`<section class="part" id="oracle"><h2>The Oracle</h2><p>Reference sources add no signals; the record is compared with them. No measurement yet.</p></section>`
    : html`<section class="part" id="oracle"><h2>The Oracle: what we missed</h2>
  <p>The record lacks ${oracle.missed} of ${oracle.checked} reports from reference sources in ${oracle.window_hours} hours: a miss-rate of <b class="${oracle.miss_rate <= oracle.slo ? 'met' : 'missed'}">${percent(oracle.miss_rate)}</b>. The target is at most ${percent(oracle.slo)}. Measured ${fullTime(oracle.measured_at)}.</p>
  ${oracle.misses.length === 0 ? null : html`<ul class="plain-list">${oracle.misses.slice(0, MAXIMUM_MISSES).map(miss)}</ul>`}</section>`;

const HOURS = 48;
/** More rows would make the page large; the API lists every source. */
const MAXIMUM_ROWS = 60;

/** The health states as the contract defines them. */
const MEANINGS: Readonly<Record<SourceHealth, string>> = {
  healthy: 'the last poll was good and items come as expected',
  degraded: 'some polls fail, or it is slower than its own normal',
  failing: 'three polls or more failed in a row',
  silent: 'polls succeed, but nothing new comes',
  paused: 'not polled at present',
};
const WORST_FIRST: readonly SourceHealth[] = ['failing', 'silent', 'degraded', 'paused', 'healthy'];

const every = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
};

const row = (source: HealthSnapshot['sources'][number], hours: readonly number[]): Markup => html`<tr id="${source.id}">
  <th scope="row">${outwardLink(source.url, clip(neutralise(source.outlet), 60))}<small>${source.id}</small></th>
  <td><span class="health ${source.health}">${source.health}</span>
    ${source.last_error ? html`<small>${clip(neutralise(source.last_error), 120)}</small>` : null}</td>
  <td class="figure">${source.items_24h}</td>
  <td>${sparkline(hours, `Items by hour, ${HOURS} hours, ${Math.max(0, ...hours)} at most`)}</td>
  <td class="figure">${every(source.cadence_seconds)}</td>
  <td>${source.last_success_at ? fullTime(source.last_success_at) : 'not yet'}</td>
</tr>`;

const figure = (name: string, value: number): Markup =>
  html`<div><dt>${name}</dt><dd>${formatNumber(value)}</dd></div>`;

const table = (sources: HealthSnapshot['sources'], hours: ReadonlyMap<string, readonly number[]>): Markup => {
  const ordered = sources.toSorted(
    (one, other) =>
      WORST_FIRST.indexOf(one.health) - WORST_FIRST.indexOf(other.health) || one.outlet.localeCompare(other.outlet),
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of sources"><table>
    <thead><tr><th scope="col">Outlet</th><th scope="col">Health</th><th scope="col" class="figure">Items, 24 h</th><th scope="col">${HOURS} hours</th><th scope="col" class="figure">Polled every</th><th scope="col">Last good poll</th></tr></thead>
    <tbody>${ordered.slice(0, MAXIMUM_ROWS).map((source) => row(source, hours.get(source.id) ?? []))}</tbody>
  </table></div>
  ${ordered.length > MAXIMUM_ROWS ? html`<p class="note">The ${MAXIMUM_ROWS} sources in the worst state; <a href="/api/v1/sources/health">all ${formatNumber(ordered.length)} as data</a>.</p>` : null}`;
};

/** Renders a snapshot, the worst state first. @param hours items by hour of each source */
function renderSources(
  site: Frame,
  { stats, sources, oracle }: HealthSnapshot,
  hours: ReadonlyMap<string, readonly number[]>,
): Promise<string> {
  return layout(site, {
    title: 'Sources · Clarity',
    description: 'The outlets that Clarity reads, the health of each, and what the record missed.',
    path: '/sources',
    body: html`<header class="subject"><p class="kicker">Sources</p><h1>Sources and their health</h1>
      <p class="act"><a class="button plain" href="/sources/propose">Propose a source</a></p></header>
    <dl class="figures">${figure('sources', stats.sources)}${figure('healthy', stats.healthy)}${figure('need attention', stats.degraded + stats.failing + stats.silent)}${figure('items an hour', stats.items_per_hour)}${figure('signals in 24 hours', stats.signals_24h)}</dl>
    ${sources.length === 0 ? html`<p class="empty">The roster is loading.</p>` : table(sources, hours)}
    <dl class="meanings note">${WORST_FIRST.map((health) => html`<div class="meaning"><dt class="health ${health}">${health}</dt><dd>${MEANINGS[health]}</dd></div>`)}</dl>
    ${oracleReport(oracle)}`,
  });
}

export function sourcesPage(server: FastifyInstance, site: Site): void {
  server.get('/sources', async (_request, reply) => {
    const { database, now } = site;
    const [snapshot, hours] = await Promise.all([healthSnapshot(database, now()), itemsByHour(database, now(), HOURS)]);
    return sendPage(reply, await renderSources(site, snapshot, hours));
  });
}
