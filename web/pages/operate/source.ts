/** GET /operate/sources/{id}: a source with the reason of its state, its last polls and changes, and a form for every command. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { readKnownEvents } from '../../../ingest/roster/roster.ts';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import type { StoredEvent } from '../../../log/event-store.ts';
import { latestPollRequest } from '../../../log/postgres/poll-requests.ts';
import { edit, pauseSource, pollNow, resumeSource, retireSource } from '../../../operations/sources.ts';
import { fullTime, type Markup, outwardLink } from '../../../presentation/markup.ts';
import { failureInWords, spanInWords } from '../../../presentation/quality.ts';
import {
  DESK_DAYS,
  type OperatedSource,
  operatedSource,
  type RecentPoll,
} from '../../../projector/models/source-health-queries.ts';
import { restatesItems } from '../../../projector/models/source-health-read-model.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { SourceId, sourceStream } from '../../../schemas/source.ts';
import { excerpt, figures, part, plainList, table } from '../../parts.ts';
import type { Site } from '../../site.ts';
import { actionForm, foldedForm, type Operator, type PageAction } from './operator-forms.ts';
import { operatorPage, type PageParameters } from './operator-page.ts';
import { ago, ahead, duplicateShare, itemsLine, medianDelay, signalShare, stateWithReason } from './sources.ts';

const PATH = '/operate/sources';
/** Seconds that a request waits for the poll that it parameters for. */
const POLL_WAIT = '5';
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
  return html`<p role="status">Polled ${ago(answered_at.toISOString(), now)}: ${excerpt(result, 300)}.</p>`;
}

const figuresOf = (source: OperatedSource, now: Date): Markup => {
  const { polls, health, yield: made } = source;
  return figures([
    [`items in ${DESK_DAYS} days`, formatNumber(made.items)],
    ['by day', itemsLine(source)],
    ['became signals', signalShare(made)],
    ['duplicates', duplicateShare(made)],
    ['median delay', medianDelay(made)],
    ['last poll', ago(polls?.last_polled_at ?? null, now)],
    ['next poll', health === 'paused' ? '–' : ahead(polls?.next_poll_at ?? null, now)],
  ]);
};

const poll = (one: RecentPoll): Markup => html`<tr>
  <th scope="row">${fullTime(one.started_at)}</th>
  <td class="long">${one.outcome === 'failed' ? html`<b class="failing">failed</b> <small>${excerpt(one.error ?? failureInWords(one), 300)}</small>` : one.outcome}</td>
  <td class="figure">${one.http_status ?? '–'}</td>
  <td class="figure">${one.items_found}</td>
  <td class="figure">${one.items_new}</td>
  <td class="figure">${one.items_refused}</td>
  <td class="figure">${one.bytes === undefined ? '–' : formatNumber(one.bytes)}</td>
  <td class="figure">${formatNumber(one.duration_ms)}</td>
  <td>${one.trigger ?? '–'}</td>
</tr>`;

const POLL_FIGURES = ['Status', 'Items', 'New', 'Refused', 'Bytes', 'Milliseconds'];

const polls = (recent: readonly RecentPoll[]): Markup =>
  recent.length === 0
    ? html`<p class="empty">No polls yet.</p>`
    : table(
        'Last polls',
        ['Started', 'Result', ...POLL_FIGURES.map((figure) => ({ figure })), 'Why'],
        recent.toReversed().map(poll),
      );

/** The fields that the form has; an empty one is unset. */
const EDITED = ['url', 'outlet', 'kind', 'authority', 'language', 'country', 'cadence_seconds', 'articles'] as const;

const commands = (operator: Operator, { id, source, health }: OperatedSource): Markup => {
  const at = `${PATH}/${id}`;
  const plain = (action: PageAction, button: string): Markup =>
    foldedForm(operator, action, button, { at, button, isPlain: true });
  const shown = Object.fromEntries(EDITED.map((name) => [name, String(source?.[name] ?? '')]));
  return html`
  ${health === 'paused' ? null : actionForm(operator, pollNow, { at, button: 'Poll now' })}
  ${source ? foldedForm(operator, edit, 'Edit', { at, shown, button: 'Save' }) : null}
  ${health === 'paused' ? plain(resumeSource, 'Resume') : plain(pauseSource, 'Pause')}
  ${plain(retireSource, 'Retire')}`;
};

const CHANGES: Readonly<Record<string, string>> = {
  SourceAdded: 'added',
  SourceChanged: 'changed',
  SourceMoved: 'moved',
  SourceRetired: 'retired',
};

const changes = (stored: readonly StoredEvent[]): Markup =>
  plainList(
    [...readKnownEvents(stored)]
      .reverse()
      .slice(0, MAXIMUM_CHANGES)
      .map(({ event }) => {
        const { by, why } = event.data as { by: string; why: string };
        return html`<li>${CHANGES[event.type] ?? event.type} by ${excerpt(by, 80)}: ${excerpt(why, 300)} <small>${fullTime(event.time)}</small></li>`;
      }),
  );

export function operatedSourcePage(server: FastifyInstance, site: Site): void {
  const { database, store, now } = site;
  const named = ({ id }: PageParameters): SourceId => {
    const parsed = SourceId.safeParse(id);
    if (parsed.success) return parsed.data;
    throw new Refusal('not_found', `No source has the id ${quoted(id)}.`);
  };
  const load = async (parameters: PageParameters): Promise<OperatedSource> => {
    const source = await operatedSource(database, now(), named(parameters));
    if (source) return source;
    throw new Refusal('not_found', `The roster has no source ${quoted(parameters.id)}.`);
  };
  const given = ({ id }: PageParameters) => ({ id: String(id) });
  operatorPage(server, site, {
    path: '/sources/:id',
    title: ({ id }) => excerpt(String(id)),
    above: { path: PATH, name: 'Sources' },
    async refreshAfter(parameters) {
      const request = await latestPollRequest(database, named(parameters));
      return isRecent(request, now()) && !request.answered_at ? RELOAD_SECONDS : undefined;
    },
    async body(operator, parameters) {
      const source = await load(parameters);
      const { id, outlet, url, facts, polls: history } = source;
      const [request, stored] = await Promise.all([latestPollRequest(database, id), store.read(sourceStream(id))]);
      const gap = facts.usual_gap_seconds;
      return html`<p>${outwardLink(url, excerpt(outlet, 120))} <small>${excerpt(url, 300)}</small></p>
        <p>${stateWithReason(source, now())}</p>
        ${facts.last_error ? html`<p class="wrong">${excerpt(facts.last_error, 500)}</p>` : null}
        ${requested(request, now())}
        ${figuresOf(source, now())}
        ${gap === null ? null : html`<p class="note">Usually a new item every ${spanInWords(gap * 1_000)}.</p>`}
        <div>${commands(operator, source)}</div>
        <section><h2>Last polls</h2>${restatesItems(history?.recent ?? []) ? html`<p role="status">This source gives its items other ids or dates at every poll. Only changed words count as edits.</p>` : null}${polls(history?.recent ?? [])}</section>
        ${part('Changes', changes(stored), null)}`;
    },
    forms: [
      // A slow outlet takes longer, and the page reloads.
      { action: pollNow, given: (parameters) => ({ ...given(parameters), wait: POLL_WAIT }) },
      { action: edit, given, shows: EDITED },
      { action: pauseSource, given },
      { action: resumeSource, given },
      { action: retireSource, given, to: () => PATH },
    ],
  });
}
