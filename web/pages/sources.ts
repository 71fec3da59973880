/**
 * GET /sources: the health of every source with a button that follows it, and the reports that the record missed. GET and POST /sources/propose: a
 * reader suggests a source.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Reader } from '../../access/web-sessions.ts';
import { type Proposed, proposeSource } from '../../ingest/roster/source-proposals.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { fullTime, type Markup, outwardLink } from '../../presentation/markup.ts';
import { followsOf } from '../../projector/models/follows-queries.ts';
import { healthSnapshot, itemsByHour, WORST_FIRST } from '../../projector/models/source-health-queries.ts';
import { isMeasured, ORACLE_ENOUGH, type OracleCheck } from '../../schemas/oracle.ts';
import { readParameters } from '../../schemas/parameters.ts';
import type { HealthSnapshot, SourceHealth } from '../../schemas/resources.ts';
import { ProposeBody } from '../../schemas/source.ts';
import { sparkline } from '../charts.ts';
import { type Form, followForm, form, orAgain, readForm, readQuery, registerForms, wrongFields } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { type Column, excerpt, figures, plainList, subject, table } from '../parts.ts';
import { type Site, signInAddress } from '../site.ts';

const MAXIMUM_MISSES = 20;
const MAXIMUM_SAMPLE = 30;
const percent = (share: number): string => `${Math.round(share * 1_000) / 10}%`;

type Oracle = NonNullable<HealthSnapshot['oracle']>;

const miss = ({ headline, url, outlet, published_at }: Oracle['misses'][number]): Markup =>
  html`<li>${outwardLink(url, excerpt(headline, 200))}
  <small>${excerpt(outlet)}${published_at ? html` · ${fullTime(published_at)}` : null}</small></li>`;

const READINGS: Readonly<Record<OracleCheck['reading'], string>> = {
  understanding: 'a move by the rules',
  section: 'a move by its section',
  several_outlets: 'reported by several outlets',
  operator: 'a move by the word of an operator',
};

/** An item that was checked: what says that it is a move, and the signal that reports it. */
const checkedItem = ({ headline, url, outlet, reading, signal_id }: OracleCheck): Markup =>
  html`<li>${outwardLink(url, excerpt(headline, 160))}
  <small>${excerpt(outlet)} · ${READINGS[reading]} · ${signal_id ? html`<a href="/signal/${signal_id}">on record</a>` : 'missed'}</small></li>`;

const measurement = (oracle: Oracle): Markup => {
  if (!isMeasured(oracle))
    return html`<p>Reference sources add no signals; the record is compared with them. <b>Not measured yet</b>: ${formatCount(oracle.checked, 'report')} could be compared so far, at least ${ORACLE_ENOUGH} are needed. Last look ${fullTime(oracle.measured_at)}.</p>`;
  const { missed, checked, window_hours, miss_rate, slo, measured_at } = oracle;
  return html`<p>The record lacks ${missed} of ${checked} reports from reference sources in ${window_hours} hours: a miss-rate of <b class="${miss_rate <= slo ? 'met' : 'missed'}">${percent(miss_rate)}</b>. The target is at most ${percent(slo)}. Measured ${fullTime(measured_at)}.</p>`;
};

/** The latest measurement of the Oracle with its misses. */
function oraclePart(oracle: HealthSnapshot['oracle']): Markup {
  if (oracle === null)
    return html`<section class="part" id="oracle"><h2>Missed stories</h2><p>Reference sources add no signals; the record is compared with them. No measurement yet.</p></section>`;
  const sample = oracle.sample.slice(0, MAXIMUM_SAMPLE);
  return html`<section class="part" id="oracle"><h2>Missed stories</h2>
  ${measurement(oracle)}
  ${oracle.misses.length === 0 ? null : plainList(oracle.misses.slice(0, MAXIMUM_MISSES).map(miss))}
  ${sample.length === 0 ? null : html`<details><summary>What was checked, the newest ${sample.length}</summary>${plainList(sample.map(checkedItem))}</details>`}</section>`;
}

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

const every = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
};

type Source = HealthSnapshot['sources'][number];

type FollowSource = (source: Source) => Markup;

const sourceRow = (
  source: Source,
  hours: readonly number[],
  follow: FollowSource,
): Markup => html`<tr id="${source.id}">
  <th scope="row">${outwardLink(source.url, excerpt(source.outlet))}<small>${source.id}</small></th>
  <td>${follow(source)}</td>
  <td><span class="health ${source.health}">${source.health}</span>
    ${source.last_error ? html`<small>${excerpt(source.last_error, 120)}</small>` : null}</td>
  <td class="figure">${source.items_24h}</td>
  <td>${sparkline(hours, `Items by hour, ${HOURS} hours, ${Math.max(0, ...hours)} at most`)}</td>
  <td class="figure">${every(source.cadence_seconds)}</td>
  <td>${source.last_success_at ? fullTime(source.last_success_at) : 'not yet'}</td>
</tr>`;

const COLUMNS: readonly Column[] = [
  'Outlet',
  'Follow',
  'Health',
  { figure: 'Items, 24 h' },
  `${HOURS} hours`,
  { figure: 'Polled every' },
  'Last good poll',
];

const sourceTable = (
  sources: readonly Source[],
  hours: ReadonlyMap<string, readonly number[]>,
  follow: FollowSource,
): Markup => {
  const ordered = sources.toSorted(
    (one, other) =>
      WORST_FIRST.indexOf(one.health) - WORST_FIRST.indexOf(other.health) || one.outlet.localeCompare(other.outlet),
  );
  const rows = ordered.slice(0, MAXIMUM_ROWS).map((source) => sourceRow(source, hours.get(source.id) ?? [], follow));
  return html`${table('Table of sources', COLUMNS, rows)}
  ${ordered.length > MAXIMUM_ROWS ? html`<p class="note">The ${MAXIMUM_ROWS} sources in the worst state. Find others by name above; <a href="/api/v1/sources/health">all ${formatNumber(ordered.length)} as data</a>.</p>` : null}`;
};

const SourcesQuery = z.object({
  outlet: z.string().trim().max(120).describe('a part of the name of an outlet').optional(),
});

/** The button for each source: for readers who are not signed in, a link to the sign-in page and back. */
async function followButtons(site: Pick<Site, 'database'>, { reader, url }: FastifyRequest): Promise<FollowSource> {
  const follows = reader ? await followsOf(site.database, reader.account.id) : [];
  const followIds = new Map(
    follows.flatMap(({ type, slug, id, removed_at }) => (type === 'source' && !removed_at ? [[slug, id]] : [])),
  );
  return ({ id: slug, outlet }) => {
    const name = excerpt(outlet);
    return reader
      ? followForm(reader, { type: 'source', slug, name }, followIds.get(slug) ?? null, url)
      : html`<a class="button plain" href="${signInAddress(url)}" rel="nofollow" aria-label="Sign in to follow ${name}">Follow</a>`;
  };
}

/** The sources whose outlet or id has a text. */
const sourcesNamed = (sources: HealthSnapshot['sources'], text: string): HealthSnapshot['sources'] => {
  const wanted = text.toLowerCase();
  return sources.filter(({ outlet, id }) => outlet.toLowerCase().includes(wanted) || id.includes(wanted));
};

const finder = (
  text: string | undefined,
): Markup => html`<form class="row" action="/sources" method="get" role="search" aria-label="Sources">
  <div class="field"><label for="outlet">Outlet</label><input id="outlet" name="outlet" type="search" maxlength="120" value="${text ?? ''}"></div>
  <button>Find</button></form>`;

interface Shown extends HealthSnapshot {
  readonly hours: ReadonlyMap<string, readonly number[]>;
  readonly follow: FollowSource;
  /** A part of the names of the sources that are shown; all when unset. */
  readonly outlet: string | undefined;
}

/** The sources, the worst state first. */
function sourcesView({ stats, sources, oracle, hours, follow, outlet }: Shown): Page {
  const listed = outlet === undefined ? sources : sourcesNamed(sources, outlet);
  const actions = html`<a class="button plain" href="/sources/propose">Propose a source</a> <a class="button plain" href="/quality">Quality of the record</a>`;
  return {
    title: 'Sources',
    description: 'The outlets that Clarity reads, the health of each, and what the record missed.',
    path: '/sources',
    body: html`${subject(null, 'Sources and their health', null, actions)}
    ${figures([
      ['sources', formatNumber(stats.sources)],
      ['healthy', formatNumber(stats.healthy)],
      ['need attention', formatNumber(stats.degraded + stats.failing + stats.silent)],
      ['items an hour', formatNumber(stats.items_per_hour)],
      ['signals in 24 hours', formatNumber(stats.signals_24h)],
    ])}
    ${sources.length === 0 ? html`<p class="empty">The roster is loading.</p>` : finder(outlet)}
    ${sources.length > 0 && listed.length === 0 ? html`<p class="empty">No source has this name. <a href="/sources">All sources</a>, or <a href="/sources/propose">propose one</a>.</p>` : null}
    ${listed.length > 0 ? sourceTable(listed, hours, follow) : null}
    <dl class="meanings note">${WORST_FIRST.map((health) => html`<div class="meaning"><dt class="health ${health}">${health}</dt><dd>${MEANINGS[health]}</dd></div>`)}</dl>
    ${oraclePart(oracle)}`,
  };
}

export function sourcesPage(server: FastifyInstance, site: Site): void {
  server.get('/sources', async (request, reply) => {
    const { database, now } = site;
    const { outlet } = readQuery(SourcesQuery, request.query);
    const [snapshot, hours, follow] = await Promise.all([
      healthSnapshot(database, now()),
      itemsByHour(database, now(), HOURS),
      followButtons(site, request),
    ]);
    return showPage(reply, site, sourcesView({ ...snapshot, hours, follow, outlet }));
  });
}

const field = (name: string, label: string, typed: Form, attributes: Markup): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${typed[name] ?? ''}" ${attributes}></div>`;

/** The form that proposes a source. @param typed values to correct after an error @param wrong the error */
const proposeForm = (reader: Reader | null, typed: Form, wrong: string | null): Markup =>
  html`<p>A feed is best: RSS, Atom or JSON Feed. A page that lists news works too. An operator reviews every proposal.</p>
    ${wrongFields(wrong)}
    ${form(
      reader,
      '/sources/propose',
      {},
      html`${field('url', 'Address of a feed or page', typed, html`type="url" maxlength="2048" required placeholder="https://"`)}
    ${field('outlet', 'Publisher (optional)', typed, html`maxlength="120"`)}
    <div class="field"><label for="reason">Why it matters (optional)</label><textarea id="reason" name="reason" rows="3" maxlength="1000">${typed.reason ?? ''}</textarea></div>
    ${field('email', 'Your e-mail address for questions (optional)', typed, html`type="email" maxlength="320" autocomplete="email"`)}
    <div><button type="submit">Propose</button></div>`,
      'narrow',
    )}`;

const proposeView = (body: Markup): Page => ({
  title: 'Propose a source',
  description: 'Suggest a feed or page of Indian retail news that Clarity should read.',
  path: '/sources/propose',
  body: html`${subject(html`<a href="/sources">Sources</a>`, 'Propose a source')}${body}`,
});

const THANKS: Readonly<Record<Proposed['status'], string>> = {
  pending: 'Thank you. An operator will review it.',
  listed: 'Thank you. Clarity already reads this source.',
  rejected: 'This source was proposed before and rejected.',
};

const thanked = ({ id, url, status }: Proposed): Markup => html`<p role="status">${THANKS[status]}</p>
    <p class="note">${excerpt(url, 200)}<br>Proposal <code>${id}</code></p>
    <p><a href="/sources">All sources</a></p>`;

/** Three proposals an hour, counted together with those of the API. */
export function proposePage(server: FastifyInstance, site: Site): void {
  server.get('/sources/propose', async (request, reply) =>
    showPage(reply, site, proposeView(proposeForm(request.reader, {}, null))),
  );
  registerForms(server, site, (own) => {
    own.post('/sources/propose', { preHandler: site.authorise('anonymous') }, async (request, reply) => {
      const { form_token: _, ...typed } = readForm(request);
      const body = await orAgain(
        reply,
        async () => thanked(await proposeSource(site, readParameters(ProposeBody, typed))),
        (wrong) => proposeForm(request.reader, typed, wrong),
      );
      return showPage(reply, site, proposeView(body));
    });
  });
}
