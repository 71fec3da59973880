/** GET /operate/sources: the roster and OPML; /operate/add-source: what an address brings; /operate/proposals. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { PollError } from '../../../ingest/poll/poll-error.ts';
import type { Becoming, SourcePreview } from '../../../ingest/preview-source.ts';
import { writeOpml } from '../../../ingest/roster/roster-file.ts';
import { SourceRefused } from '../../../ingest/roster/source-commands.ts';
import { loadProposals, type Proposal } from '../../../ingest/roster/source-proposals.ts';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import { accept, reject } from '../../../operations/proposals.ts';
import { importOnPage, usedSources } from '../../../operations/roster-exchange.ts';
import { add, pollNow } from '../../../operations/sources.ts';
import { addressWith, fullTime, type Markup, outwardLink, timeTag } from '../../../presentation/markup.ts';
import { healthReason, spanInWords } from '../../../presentation/quality.ts';
import {
  DESK_DAYS,
  type OperatedSource,
  operatedSources,
  type SourceYield,
  WORST_FIRST,
} from '../../../projector/models/source-health-queries.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { sparkline } from '../../charts.ts';
import { choiceField, plainChoices, readQuery, wrongFields } from '../../forms.ts';
import { excerpt, table } from '../../parts.ts';
import type { Desk, Site } from '../../site.ts';
import { actionForm, foldedForm, type Operator } from './operator-forms.ts';
import { forRole, goLive, operatorPage } from './operator-page.ts';

const PATH = '/operate/sources';
const ADD_PATH = '/operate/add-source';
/** Sources of one page of the table. */
const ROWS = 50;
/** Bytes of a form with an OPML file of some thousand feeds. */
const OPML_BYTES = 1_000_000;

/** `4 minutes ago`, with the moment as its tip. */
export const ago = (instant: string | null, now: Date): Markup =>
  instant === null ? html`never` : timeTag(instant, `${spanInWords(now.getTime() - Date.parse(instant))} ago`);

/** `in 4 minutes`, or that the source is due. */
export const ahead = (instant: string | null, now: Date): Markup => {
  const wait = instant === null ? 0 : Date.parse(instant) - now.getTime();
  return instant === null || wait <= 0 ? html`due now` : timeTag(instant, `in ${spanInWords(wait)}`);
};

const ofItems = (part: number, { items }: SourceYield): string =>
  items === 0 ? '–' : `${Math.round((Math.min(part, items) / items) * 100)} %`;
/** The share of a source's items that became signals. */
export const signalShare = (made: SourceYield): string => ofItems(made.signals, made);
/** The share that another source had reported before. */
export const duplicateShare = (made: SourceYield): string => ofItems(made.duplicates, made);
export const medianDelay = ({ median_delay_seconds }: SourceYield): string =>
  median_delay_seconds === null ? '–' : spanInWords(median_delay_seconds * 1_000);

/** The items of a source by day as a line. */
export const itemsLine = ({ items_by_day }: OperatedSource): Markup =>
  sparkline(items_by_day, `Items by day, ${DESK_DAYS} days: ${items_by_day.join(', ')}`);

/** The state of a source with its reason. */
export const stateWithReason = ({ health, cause, facts, polls }: OperatedSource, now: Date): Markup =>
  html`<span class="health ${health}">${health}</span> <small>${excerpt(healthReason(cause, facts, polls?.recent ?? [], now), 200)}.</small>`;

const row = (operator: Operator, source: OperatedSource, now: Date): Markup => {
  const { id, outlet, health, polls, yield: made } = source;
  return html`<tr id="${id}">
    <th scope="row"><a href="${PATH}/${id}">${excerpt(outlet)}</a><small>${id}</small></th>
    <td class="long">${stateWithReason(source, now)}</td>
    <td>${ago(polls?.last_polled_at ?? null, now)}</td>
    <td>${health === 'paused' ? '–' : ahead(polls?.next_poll_at ?? null, now)}</td>
    <td>${itemsLine(source)}</td>
    <td class="figure">${formatNumber(made.items)}</td>
    <td class="figure">${signalShare(made)}</td>
    <td class="figure">${duplicateShare(made)}</td>
    <td class="figure">${medianDelay(made)}</td>
    <td>${health === 'paused' ? null : actionForm(operator, pollNow, { at: `${PATH}/${id}`, button: 'Poll now', label: `Poll now: ${excerpt(outlet)}`, isPlain: true })}</td>
  </tr>`;
};

const sourceTable = (operator: Operator, sources: readonly OperatedSource[], now: Date): Markup =>
  html`${table(
    'Table of sources',
    [
      'Outlet',
      'State and reason',
      'Last poll',
      'Next poll',
      `${DESK_DAYS} days`,
      ...['Items', 'Signals', 'Duplicates', 'Median delay'].map((figure) => ({ figure })),
      null,
    ],
    sources.map((source) => row(operator, source, now)),
  )}
  <p class="note">Of ${DESK_DAYS} days: <b>signals</b> is the share of items that this source was the first to report as a signal, <b>duplicates</b>
  the share that another report had made a signal before; the rest is noise. <b>Median delay</b>: from the date of a report to the poll
  that found it.</p>`;

const Query = z.object({
  health: z.enum(['healthy', 'degraded', 'failing', 'silent', 'paused']).optional(),
  q: z.string().max(200).optional(),
  page: z.coerce.number().int().min(1).max(10_000).default(1),
  added: z.coerce.number().int().min(0).optional(),
  known: z.coerce.number().int().min(0).optional(),
});
type Query = z.infer<typeof Query>;

const search = ({
  q,
  health,
}: Query): Markup => html`<form class="row" method="get" action="${PATH}" role="search" aria-label="Sources of the roster">
  <p class="field"><label for="q">Outlet, id or address</label><input id="q" name="q" maxlength="200" value="${q ?? ''}"></p>
  ${choiceField('health', 'State', [{ value: '', name: 'Every state' }, ...plainChoices(WORST_FIRST)], health ?? '')}
  <p><button class="plain">Show</button></p></form>`;

const pages = ({ page, q, health }: Query, total: number): Markup | null => {
  const link = (other: number, name: string): Markup =>
    html`<a href="${addressWith(PATH, { q, health, page: String(other) })}">${name}</a> `;
  return total <= ROWS
    ? null
    : html`<p>${page > 1 ? link(page - 1, 'Previous') : null}${page * ROWS < total ? link(page + 1, 'Next') : null}</p>`;
};

const exchange = (operator: Operator): Markup => html`<details><summary>Import and export</summary>
  <p><a href="${PATH}/roster.opml" download>Export the feeds as OPML</a></p>
  ${actionForm(operator, importOnPage, { at: PATH, shown: { file: '' }, button: 'Add the sources that the roster lacks', isPlain: true })}
</details>`;

export function operatedSourcesPage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  operatorPage(server, site, {
    path: '/sources',
    title: 'Sources in the roster',
    formBytes: OPML_BYTES,
    async body(operator, parameters) {
      const query = readQuery(Query, parameters);
      const { health, q, page, added, known: listed } = query;
      const wanted = { health, text: q, offset: (page - 1) * ROWS, limit: ROWS };
      const { counts, found: total, sources } = await operatedSources(database, now(), wanted);
      return html`${goLive(site)}
        ${added === undefined ? null : html`<p role="status">${formatCount(added, 'source')} added; the roster had ${listed ?? 0} already.</p>`}
        <p class="act"><a class="button" href="${ADD_PATH}">Add a source</a></p>
        <p>${WORST_FIRST.map((state) => html`<a href="${addressWith(PATH, { health: state })}">${formatNumber(counts[state])} ${state}</a> `)}</p>
        ${search(query)}
        ${sources.length === 0 ? html`<p class="empty">No sources found.</p>` : sourceTable(operator, sources, now())}
        ${pages(query, total)}
        ${exchange(operator)}`;
    },
    forms: [
      {
        action: importOnPage,
        to: ({ added, known: listed }) => addressWith(PATH, { added: String(added), known: String(listed) }),
      },
    ],
  });
  server.get(`${PATH}/roster.opml`, forRole('operator'), async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/x-opml; charset=utf-8');
    return reply.send(writeOpml(await usedSources(store), 'Clarity'));
  });
}

const FATES: Readonly<Record<Becoming['fate'], string>> = {
  signal: 'a move',
  held: 'held for review',
  'old news': 'old news',
  noise: 'noise',
  'checks coverage': 'checks coverage',
};

/** Entries that a preview shows. */
const SHOWN = 50;

const previewRow = ({ entry: given, item, refused, becomes }: SourcePreview['entries'][number]): Markup =>
  item
    ? html`<tr><th scope="row">${outwardLink(item.url, excerpt(item.title, 200))}</th>
      <td>${item.published_at ? fullTime(item.published_at.toISOString()) : 'no date'}</td>
      <td class="long"><b>${becomes ? FATES[becomes.fate] : ''}</b> <small>${excerpt(becomes?.why ?? '', 200)}</small></td></tr>`
    : html`<tr><th scope="row">${excerpt(given.title ?? given.link ?? 'an entry', 200)}</th><td></td><td class="long"><b>refused</b> <small>${refused}</small></td></tr>`;

function previewed(operator: Operator, { trial, entries, feeds }: SourcePreview): Markup {
  if (trial === null)
    return html`<section><h2>${formatCount(feeds.length, 'feed')} of this page</h2><ul>${feeds.map(
      ({ url, title, entries: count, source }) =>
        html`<li>${source ? html`${excerpt(url, 300)}: in the roster already, as <a href="${PATH}/${source.id}">${source.id}</a>` : html`<a href="${addressWith(ADD_PATH, { url })}">${excerpt(title ?? url, 200)}</a> <small>${excerpt(url, 300)} · ${formatCount(count, 'entry', 'entries')}</small>`}</li>`,
    )}</ul></section>`;
  const fates = entries.map(({ becomes }) => becomes?.fate ?? 'refused');
  const counts = [...new Set(fates)].map((fate) => `${fates.filter((one) => one === fate).length} ${fate}`);
  const url = trial.moved_to ?? trial.url;
  return html`<section><h2>${excerpt(trial.title ?? url, 120)}</h2>
    <p>${excerpt(url, 300)}: ${trial.kind}, ${formatCount(entries.length, 'entry', 'entries')}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}.${trial.cut_off ? ` ${trial.cut_off}.` : ''}</p>
    ${actionForm(operator, add, {
      at: ADD_PATH,
      hidden: { url },
      shown: { outlet: excerpt(trial.title ?? '', 120), authority: '0.5' },
      button: 'Add it',
    })}
    </section><section><h2>Entries</h2>${table(
      'Entries and what becomes of them',
      ['Entry', 'Published', 'It would be'],
      entries.slice(0, SHOWN).map(previewRow),
    )}</section>`;
}

const askAddress = (typed: string, wrong: string | null): Markup => html`
  ${wrongFields(wrong)}
  <form class="narrow" method="get" action="${ADD_PATH}">
    <p class="field"><label for="url">Address of a feed, a page or a site</label><input id="url" name="url" type="url" maxlength="2048" required placeholder="https://" value="${typed}"></p>
    <p><button>Preview</button></p></form>`;

/** Errors of a preview that are shown above the form. */
const refusalOf = (error: unknown): string => {
  if (error instanceof SourceRefused) return error.message;
  if (error instanceof PollError) return `${error.code}: ${error.message}`;
  throw error;
};

export function addSourcePage(server: FastifyInstance, site: Site): void {
  /** @throws Refusal where this process cannot poll */
  const desk = (): Desk & Required<Pick<Desk, 'preview'>> => {
    const { preview } = site.desk ?? {};
    if (site.desk && preview) return { ...site.desk, preview };
    throw new Refusal(
      'invalid_request',
      'This process cannot poll. Use "clarity sources test" and "clarity sources add".',
    );
  };
  operatorPage(server, site, {
    path: '/add-source',
    title: 'Add a source',
    above: { path: PATH, name: 'Sources' },
    async body(operator, { url }) {
      const typed = typeof url === 'string' ? url.trim() : '';
      if (typed === '') return askAddress('', null);
      try {
        const preview = await desk().preview(typed);
        return html`${askAddress(typed, null)}${previewed(operator, preview)}`;
      } catch (error) {
        return askAddress(typed, refusalOf(error));
      }
    },
    forms: [{ action: add, to: ({ id }) => `${PATH}/${id}` }],
  });
}

const PROPOSALS_PATH = '/operate/proposals';
const proposalEntry = (operator: Operator, { id, url, outlet, reason, email, submitted_at }: Proposal): Markup =>
  html`<article class="case">
    <h2>${outwardLink(url, excerpt(outlet ?? url, 120))}</h2>
    <p class="said">${fullTime(submitted_at)} · ${excerpt(url, 300)}${email ? html` · contact ${excerpt(email, 120)}` : null} · <code>${id}</code></p>
    ${reason ? html`<blockquote>${excerpt(reason, 1_000)}</blockquote>` : null}
    ${actionForm(operator, accept, { at: PROPOSALS_PATH, hidden: { proposal: id, why: 'accepted on the page' }, shown: { outlet: excerpt(outlet ?? '', 120) }, key: id, why: false, button: 'Poll it once, and add it if that works' })}
    ${foldedForm(operator, reject, 'Reject', { at: PROPOSALS_PATH, hidden: { proposal: id }, key: id, button: 'Reject', isPlain: true })}
  </article>`;

export function proposalsPage(server: FastifyInstance, site: Site): void {
  const { store } = site;
  operatorPage(server, site, {
    path: '/proposals',
    title: 'Proposed sources',
    async body(operator) {
      const waiting = (await loadProposals(store)).filter(({ status }) => status === 'pending');
      if (waiting.length === 0) return html`<p class="empty">No open proposals.</p>`;
      return html`${waiting.map((one) => proposalEntry(operator, one))}`;
    },
    forms: [{ action: accept }, { action: reject }],
  });
}
