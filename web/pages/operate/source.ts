/** GET /operate/sources/{id}: a source with the reason of its state, its last polls and changes, and a form for every command. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { readKnownEvents } from '../../../ingest/roster/roster.ts';
import { changeSource, editSource, type SourceCommand } from '../../../ingest/roster/source-commands.ts';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import { pause } from '../../../log/backoff.ts';
import { recordOperation, type StoredEvent } from '../../../log/event-store.ts';
import { mayBeSourceAddress } from '../../../log/guarded-connection.ts';
import { latestPollRequest, requestPoll } from '../../../log/postgres/poll-requests.ts';
import { fullTime, type Markup, outwardLink } from '../../../presentation/markup.ts';
import { failureInWords, spanInWords } from '../../../presentation/quality.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { waitForOwnWrite } from '../../../projector/model-progress.ts';
import {
  DESK_DAYS,
  type OperatedSource,
  operatedSource,
  type RecentPoll,
} from '../../../projector/models/source-health-queries.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { SOURCE_KINDS, type Source, SourceId, sourceStream } from '../../../schemas/source.ts';
import { choiceField, type Form, form, plainChoices } from '../../forms.ts';
import type { Site } from '../../site.ts';
import { type Asked, type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';
import { ago, ahead, duplicateShare, itemsLine, medianDelay, signalShare, stateWithReason } from './sources.ts';

const PATH = '/operate/sources';
/** Milliseconds that a request waits for the poll that it asked for; a slow outlet takes longer, and the page reloads. */
const POLL_WAIT = 5_000;
const POLL_CHECK = 100;
/** Seconds after which the browser reloads the page while a poll is waited for. */
const RELOAD_SECONDS = 3;
/** Milliseconds for which the result of a requested poll is shown, and a request without an answer is waited for. */
const SHOWN_FOR = 600_000;
const MAXIMUM_CHANGES = 20;

type Request = Awaited<ReturnType<typeof latestPollRequest>>;

const isRecent = (request: Request, now: Date): request is NonNullable<Request> =>
  request !== null && now.getTime() - request.requested_at.getTime() < SHOWN_FOR;

function requested(request: Request, now: Date): Markup | null {
  if (!isRecent(request, now)) return null;
  const { answered_at, poll } = request;
  if (!answered_at || !poll)
    return html`<p role="status">A poll was requested ${ago(request.requested_at.toISOString(), now)}. This page reloads until the poller answers.</p>`;
  const result = poll.error
    ? `failed: ${poll.error.code}: ${poll.error.message}`
    : `HTTP ${poll.http_status}, ${formatCount(poll.items_found, 'item')}, ${poll.items_new} new`;
  return html`<p role="status">Polled ${ago(answered_at.toISOString(), now)}: ${clip(neutralise(result), 300)}.</p>`;
}

const figure = (name: string, value: string | Markup): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const figures = (source: OperatedSource, now: Date): Markup => {
  const { polls, health, yield: made } = source;
  return html`<dl class="figures">${figure(`items in ${DESK_DAYS} days`, formatNumber(made.items))}
    ${figure('by day', itemsLine(source))}${figure('became signals', signalShare(made))}${figure('duplicates', duplicateShare(made))}${figure('median delay', medianDelay(made))}
    ${figure('last poll', ago(polls?.last_polled_at ?? null, now))}${figure('next poll', health === 'paused' ? '–' : ahead(polls?.next_poll_at ?? null, now))}</dl>`;
};

const poll = (one: RecentPoll): Markup => html`<tr>
  <th scope="row">${fullTime(one.started_at)}</th>
  <td class="long">${one.outcome === 'failed' ? html`<b class="failing">failed</b> <small>${clip(neutralise(one.error ?? failureInWords(one)), 300)}</small>` : one.outcome}</td>
  <td class="figure">${one.http_status ?? '–'}</td>
  <td class="figure">${one.items_found}</td>
  <td class="figure">${one.items_new}</td>
  <td class="figure">${one.items_refused}</td>
  <td class="figure">${one.bytes === undefined ? '–' : formatNumber(one.bytes)}</td>
  <td class="figure">${formatNumber(one.duration_ms)}</td>
  <td>${one.trigger ?? '–'}</td>
</tr>`;

const polls = (recent: readonly RecentPoll[]): Markup =>
  recent.length === 0
    ? html`<p class="empty">No polls yet.</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Last polls"><table>
    <thead><tr><th scope="col">Started</th><th scope="col">Result</th><th scope="col" class="figure">Status</th><th scope="col" class="figure">Items</th>
      <th scope="col" class="figure">New</th><th scope="col" class="figure">Refused</th><th scope="col" class="figure">Bytes</th><th scope="col" class="figure">Milliseconds</th><th scope="col">Why</th></tr></thead>
    <tbody>${recent.toReversed().map(poll)}</tbody></table></div>`;

/** The fields that the form has; an empty one is unset. */
const EDITED = ['url', 'outlet', 'kind', 'authority', 'language', 'country', 'cadence_seconds', 'articles'] as const;
const NUMBERS: ReadonlySet<string> = new Set(['authority', 'cadence_seconds']);

const field = (source: Source, name: (typeof EDITED)[number], label: string, attributes: Markup): Markup =>
  html`<p class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${source[name] ?? ''}" ${attributes}></p>`;

const editForm = ({ reader }: Operator, source: Source): Markup =>
  form(
    reader,
    `${PATH}/${source.id}/edit`,
    {},
    html`${field(source, 'url', 'Address', html`type="url" maxlength="2048" required`)}
    ${field(source, 'outlet', 'Outlet', html`maxlength="120" required`)}
    ${choiceField('kind', 'Kind', plainChoices(SOURCE_KINDS), source.kind)}
    ${field(source, 'authority', 'Authority, 0 to 1', html`type="number" min="0" max="1" step="any" required`)}
    ${field(source, 'language', 'Language, two letters', html`maxlength="2" required`)}
    ${field(source, 'country', 'Country, two capital letters', html`maxlength="2"`)}
    ${field(source, 'cadence_seconds', 'Seconds between polls; empty: learned', html`type="number" min="1" max="86400"`)}
    ${choiceField('articles', 'Articles of items without date or summary', plainChoices(['when_needed', 'never']), source.articles)}
    ${whyField('edit')}<p><button>Save</button></p>`,
    'narrow',
  );

const command = ({ reader }: Operator, id: string, name: 'pause' | 'resume' | 'retire', title: string): Markup =>
  html`<details><summary>${title}</summary>${form(reader, `${PATH}/${id}/${name}`, {}, html`${whyField(name)}<p><button class="plain">${title}</button></p>`, 'narrow')}</details>`;

const commands = (operator: Operator, { id, source, health }: OperatedSource): Markup => html`
  ${health === 'paused' ? null : form(operator.reader, `${PATH}/${id}/poll`, {}, html`<button>Poll now</button>`)}
  ${source ? html`<details><summary>Edit</summary>${editForm(operator, source)}</details>` : null}
  ${health === 'paused' ? command(operator, id, 'resume', 'Resume') : command(operator, id, 'pause', 'Pause')}
  ${command(operator, id, 'retire', 'Retire')}`;

const CHANGES: Readonly<Record<string, string>> = {
  SourceAdded: 'added',
  SourceChanged: 'changed',
  SourceMoved: 'moved',
  SourceRetired: 'retired',
};

const changes = (stored: readonly StoredEvent[]): Markup =>
  html`<ul class="plain-list">${[...readKnownEvents(stored)]
    .reverse()
    .slice(0, MAXIMUM_CHANGES)
    .map(({ event }) => {
      const { by, why } = event.data as { by: string; why: string };
      return html`<li>${CHANGES[event.type] ?? event.type} by ${clip(neutralise(by), 80)}: ${clip(neutralise(why), 300)} <small>${fullTime(event.time)}</small></li>`;
    })}</ul>`;

/** The fields of the form, numbers as such, and undefined for what was emptied. */
const fieldsIn = (sent: Form): Record<string, unknown> =>
  Object.fromEntries(EDITED.map((name) => [name, NUMBERS.has(name) && sent[name] ? Number(sent[name]) : sent[name]]));

export function operatedSourcePage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  const named = ({ id }: Asked): SourceId => {
    const found = SourceId.safeParse(id);
    if (found.success) return found.data;
    throw new Refusal('not_found', `No source has the id ${quoted(id)}.`);
  };
  const load = async (asked: Asked): Promise<OperatedSource> => {
    const found = await operatedSource(database, now(), named(asked));
    if (found) return found;
    throw new Refusal('not_found', `The roster has no source ${quoted(asked.id)}.`);
  };
  const seen = async (): Promise<void> => waitForOwnWrite(database, ['source_health'], await store.head());
  const change = async (what: 'pause' | 'resume' | 'retire', { by }: Operator, sent: Form, asked: Asked) => {
    const wanted: SourceCommand = { do: what, id: named(asked) };
    await changeSource(store, wanted, { by, why: reasonIn(sent) }, now);
    await seen();
  };

  operatorPage(server, site, {
    path: '/sources/:id',
    title: ({ id }) => clip(neutralise(String(id)), 60),
    above: { path: PATH, name: 'Sources' },
    async refreshAfter(asked) {
      const request = await latestPollRequest(database, named(asked));
      return isRecent(request, now()) && !request.answered_at ? RELOAD_SECONDS : undefined;
    },
    async body(operator, asked) {
      const source = await load(asked);
      const { id, outlet, url, facts, polls: history } = source;
      const [request, stored] = await Promise.all([latestPollRequest(database, id), store.read(sourceStream(id))]);
      const gap = facts.usual_gap_seconds;
      return html`<p>${outwardLink(url, clip(neutralise(outlet), 120))} <small>${clip(neutralise(url), 300)}</small></p>
        <p>${stateWithReason(source, now())}</p>
        ${facts.last_error ? html`<p class="wrong">${clip(neutralise(facts.last_error), 500)}</p>` : null}
        ${requested(request, now())}
        ${figures(source, now())}
        ${gap === null ? null : html`<p class="note">Usually a new item every ${spanInWords(gap * 1_000)}.</p>`}
        <section>${commands(operator, source)}</section>
        <section><h2>Last polls</h2>${polls(history?.recent ?? [])}</section>
        <section><h2>Changes</h2>${changes(stored)}</section>`;
    },
    actions: {
      async poll({ by }, _sent, asked) {
        const { id, health } = await load(asked);
        if (health === 'paused') throw new Refusal('invalid_request', 'This source is paused. Resume it first.');
        await requestPoll(database, id, 'operator', now());
        await recordOperation(site, { operation: 'source_polled', subject: id, by, why: null });
        for (let waited = 0; waited < POLL_WAIT; waited += POLL_CHECK) {
          if ((await latestPollRequest(database, id))?.answered_at) break;
          await pause(POLL_CHECK);
        }
        return `${PATH}/${id}`;
      },
      async edit({ by }, sent, asked) {
        const { id, url } = await load(asked);
        const fields = fieldsIn(sent);
        if (sent.url && sent.url !== url && !mayBeSourceAddress(sent.url, site.privateSources))
          throw new Refusal('invalid_request', `url: ${quoted(sent.url)} is on a private or internal network.`);
        await editSource(store, id, fields, { by, why: reasonIn(sent) }, now);
        await seen();
      },
      pause: (operator, sent, asked) => change('pause', operator, sent, asked),
      resume: (operator, sent, asked) => change('resume', operator, sent, asked),
      async retire(operator, sent, asked) {
        await change('retire', operator, sent, asked);
        return PATH;
      },
    },
  });
}
