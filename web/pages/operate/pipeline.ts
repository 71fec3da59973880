/**
 * GET /operate/pipeline: how the service works: delays by step, backlogs, read models, what was skipped, spend, mail,
 * connections. GET /operate/parked: parked events and dead letters, with their retries.
 */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { formatCount, formatNumber } from '../../../language/prose.ts';
import { type DeadLetter, listDeadLetters } from '../../../log/dead-letters.ts';
import { messageOf } from '../../../log/errors.ts';
import { recordOperation } from '../../../log/event-store.ts';
import { drop, retryOnPage } from '../../../operations/parked.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { spanInWords } from '../../../presentation/quality.ts';
import { clip } from '../../../presentation/text.ts';
import { latestRebuilds, type Rebuild } from '../../../projector/model-progress.ts';
import { type StepDelays, stepDelays } from '../../../projector/models/review-queries.ts';
import { listParked, type Parked } from '../../../projector/parked-events.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { shareBar } from '../../charts.ts';
import { form } from '../../forms.ts';
import { excerpt, table } from '../../parts.ts';
import type { Desk, PipelineState, Site } from '../../site.ts';
import { actionForm, foldedForm, type Operator } from './operator-forms.ts';
import { operatorPage } from './operator-page.ts';

/** Milliseconds that a request waits for a retry. Most retries take less; a rebuild takes longer and goes on. */
const RETRY_WAIT = 2_000;

/** The state of the last retry of an event: running, or failed. */
interface RetryState {
  readonly since: Date;
  /** Null while it runs. */
  readonly error: string | null;
}

/** Retries of parked events from a page. */
interface Retries {
  /**
   * Starts a retry and waits for a moment.
   * @throws Refusal when it failed by then, or while another retry of the same read model runs
   */
  start(parked: Parked): Promise<void>;
  /** Null for an event without a retry since this process started, or after a successful one. */
  stateOf(parked: Pick<Parked, 'model' | 'event_id'>): RetryState | null;
  /** True while any retry runs. */
  isBusy(): boolean;
}

const keyOf = ({ model, event_id }: Pick<Parked, 'model' | 'event_id'>): string => `${model} ${event_id}`;

/** @param timeout milliseconds that `start` waits */
export function parkedRetries(desk: Pick<Desk, 'retry'>, now: () => Date, timeout = RETRY_WAIT): Retries {
  const retries = new Map<string, RetryState>();
  /** Read models with a running retry: two rebuilds of one model would conflict. */
  const busy = new Set<string>();

  async function run(parked: Parked): Promise<string | null> {
    const { model } = parked;
    const since = now();
    busy.add(model);
    retries.set(keyOf(parked), { since, error: null });
    let error: string | null;
    try {
      const [outcome] = await desk.retry([parked]);
      error = outcome ? outcome.error : `No read model ${model} is live.`;
    } catch (failure) {
      error = messageOf(failure);
    }
    busy.delete(model);
    if (error === null) retries.delete(keyOf(parked));
    else retries.set(keyOf(parked), { since, error });
    return error;
  }

  return {
    async start(parked) {
      const { model } = parked;
      if (busy.has(model))
        throw new Refusal('invalid_request', `Another event of ${model} is being retried. Wait until it is done.`);
      const { promise: enough, resolve } = Promise.withResolvers<null>();
      const timer = setTimeout(resolve, timeout, null);
      const error = await Promise.race([run(parked), enough]).finally(() => clearTimeout(timer));
      if (error !== null) throw new Refusal('invalid_request', `${model} still cannot process it: ${clip(error, 300)}`);
    },
    stateOf: (parked) => retries.get(keyOf(parked)) ?? null,
    isBusy: () => busy.size > 0,
  };
}

const PARKED_PATH = '/operate/parked';
/** Seconds after which the browser reloads the page while a retry runs or a read model is rebuilt. */
const RELOAD_SECONDS = 3;

const dropped = ({ dropped_by, dropped_why }: Parked): Markup =>
  html`<p>Dropped by ${excerpt(dropped_by ?? '')}: ${excerpt(dropped_why ?? '', 300)}</p>`;

/** The button, or the state of the last retry. */
const retryState = (state: RetryState | null, button: Markup): Markup => {
  if (state === null) return button;
  const since = fullTime(state.since.toISOString());
  return state.error === null
    ? html`<p role="status">Retry running since ${since}. A read model that also reads topics is rebuilt next to the live one. This page reloads by itself.</p>`
    : html`<p class="wrong">Retry failed at ${since}: ${excerpt(state.error, 500)}</p>${button}`;
};

const entry = (operator: Operator, parked: Parked, index: number, state: RetryState | null): Markup => {
  const { model, event_id, type, input, error, event, parked_at, skipped } = parked;
  return html`<article class="case">
    <h2>${excerpt(type)}, in ${model}</h2>
    <p class="said">${fullTime(parked_at.toISOString())} · from ${excerpt(input)} · <code>${excerpt(event_id)}</code></p>
    <pre tabindex="0"><code>${excerpt(error, 1_000)}</code></pre>
    <details><summary>Show the event</summary><pre tabindex="0"><code>${excerpt(event, 4_000)}</code></pre></details>
    ${
      skipped
        ? dropped(parked)
        : html`${retryState(state, actionForm(operator, retryOnPage, { at: PARKED_PATH, hidden: { id: event_id, model }, button: 'Retry' }))}
    ${foldedForm(operator, drop, 'Drop permanently', { at: PARKED_PATH, hidden: { id: event_id, model }, key: String(index), button: 'Drop', isPlain: true })}`
    }
  </article>`;
};

const DEAD_LETTERS_SHOWN = 100;

const deadLetter = (operator: Operator, letter: DeadLetter, index: number): Markup => {
  const { group_name, topic, message_id, type, kind, error, attempts, body, failed_at } = letter;
  const hidden = { id: message_id, group: group_name, topic };
  return html`<article class="case">
    <h2>${excerpt(type || 'message without an event')}, in ${clip(group_name, 60)}</h2>
    <p class="said">${fullTime(failed_at.toISOString())} · ${kind}, ${attempts} ${attempts === 1 ? 'try' : 'tries'} · topic ${clip(topic, 60)} · <code>${excerpt(message_id)}</code></p>
    <pre tabindex="0"><code>${excerpt(error, 1_000)}</code></pre>
    <details><summary>Show the message</summary><pre tabindex="0"><code>${excerpt(body, 4_000)}</code></pre></details>
    ${
      letter.dropped_at
        ? html`<p>Dropped by ${excerpt(letter.dropped_by ?? '')}: ${excerpt(letter.dropped_why ?? '', 300)}</p>`
        : html`${
            letter.retry_requested_at
              ? html`<p role="status">A retry was requested at ${fullTime(letter.retry_requested_at.toISOString())}. A running ${clip(group_name, 60)} handles it within seconds.</p>`
              : actionForm(operator, retryOnPage, { at: PARKED_PATH, hidden, button: 'Retry' })
          }
    ${foldedForm(operator, drop, 'Drop permanently', { at: PARKED_PATH, hidden, key: `letter${index}`, button: 'Drop', isPlain: true })}`
    }
  </article>`;
};

export function parkedPage(server: FastifyInstance, site: Site): void {
  const { database, desk, now } = site;
  const retried = desk ? parkedRetries(desk, now) : null;
  const context = {
    async retryParked(entries: readonly Parked[]) {
      if (!retried) throw new Refusal('invalid_request', 'This process cannot retry. Use "clarity parked retry".');
      for (const parked of entries) await retried.start(parked);
      return [];
    },
  };
  operatorPage(server, site, {
    path: '/parked',
    title: 'Parked events',
    refreshAfter: () => (retried?.isBusy() ? RELOAD_SECONDS : undefined),
    async body(operator) {
      const parked = await listParked(database);
      const letters = await listDeadLetters(database);
      return html`${
        parked.length === 0
          ? html`<p class="empty">No parked events: the read models processed everything.</p>`
          : parked.slice(0, 100).map((one, index) => entry(operator, one, index, retried?.stateOf(one) ?? null))
      }
      <h2>Dead letters</h2>
      ${
        letters.length === 0
          ? html`<p class="empty">No dead letters: the consumers handled every message.</p>`
          : html`<p>Messages that a consumer could not handle, newest first${letters.length > DEAD_LETTERS_SHOWN ? html`; ${DEAD_LETTERS_SHOWN} of ${letters.length}, <code>clarity parked list</code> shows all` : ''}.</p>
        ${letters.slice(0, DEAD_LETTERS_SHOWN).map((letter, index) => deadLetter(operator, letter, index))}`
      }`;
    },
    forms: [{ action: retryOnPage, context }, { action: drop }],
  });
}

const PATH = '/operate/pipeline';
const DELAY_DAYS = 7;
/** A rebuild reports every second. One that has not for so long hangs, or its machine does. */
const SILENT_SECONDS = 30;

const runningIn = (rebuilds: readonly Rebuild[]): Rebuild | undefined =>
  rebuilds.find(({ state }) => state === 'running');

const metric = (...names: readonly string[]): Markup =>
  html`<p class="note">Metrics: ${names.map((name) => html`<code>${name}</code> `)}</p>`;

const figure = (value: string | number): Markup =>
  html`<td class="figure">${typeof value === 'number' ? formatNumber(value) : value}</td>`;

const span = (seconds: number): string => spanInWords(seconds * 1_000);

function delays({ signals, steps }: StepDelays): Markup {
  const row = (name: string, [p50, p90, p99]: readonly number[]): Markup =>
    html`<tr><th scope="row">${name}</th>${[p50, p90, p99].map((one) => figure(one === undefined ? '–' : span(one)))}</tr>`;
  return html`<section class="part" id="delay"><h2>From outlet to page</h2>
    ${
      steps === null
        ? html`<p class="empty">No signal of the last ${DELAY_DAYS} days has all its times recorded.</p>`
        : html`<p>${formatCount(signals, 'signal')} of the last ${DELAY_DAYS} days, by recorded times. Read models show a signal once they have caught up with it.</p>
      ${table(
        'Delay by step',
        ['Step', { figure: 'Half within' }, { figure: '9 in 10 within' }, { figure: '99 in 100 within' }],
        [
          row('Outlet publishes → a poll finds it', steps.to_poll),
          row('Found → understood, matched and public', steps.to_public),
          row('Outlet publishes → public', steps.to_page),
        ],
      )}`
    }${metric('clarity_item_step_seconds', 'clarity_item_to_page_seconds')}</section>`;
}

const backlog = ({
  groups,
  unreachable,
}: PipelineState): Markup => html`<section class="part" id="backlog"><h2>Backlog</h2>
  ${unreachable.map((name) => html`<p class="wrong" role="alert">${name} does not answer: what depends on it is missing here.</p>`)}
  ${table(
    'Backlog by consumer',
    ['Consumer', 'Topic', { figure: 'Waiting' }, { figure: 'Oldest waits at least' }],
    groups.map(
      ({ group, topic, lag, seconds }) =>
        html`<tr><th scope="row">${clip(group, 80)}</th><td>${topic}</td>${figure(lag)}${figure(seconds > 0 ? span(seconds) : '–')}</tr>`,
    ),
  )}${metric('clarity_consumer_lag', 'clarity_consumer_lag_seconds')}</section>`;

/** A rebuild in words, with its share as a bar while it runs. */
function rebuildInWords(rebuild: Rebuild): Markup {
  const { model, process, state, phase, share, per_second, seconds_left, silent_seconds, ended_at, error } = rebuild;
  const by = html`in <code>${excerpt(process, 40)}</code>`;
  const percent = `${Math.round(share * 100)} %`;
  const when = ended_at ? fullTime(ended_at.toISOString()) : '';
  if (state === 'failed')
    return html`<small class="wrong">failed: ${excerpt(error ?? '', 300)}, ${by}, ${when}</small>`;
  if (state === 'interrupted')
    return html`<small class="wrong">interrupted at ${percent}: the process that rebuilt it, <code>${excerpt(process, 40)}</code>, ended ${span(silent_seconds)} ago. The live rows stay.</small>`;
  if (state !== 'running')
    return html`<small>${state === 'live' ? 'rebuilt' : 'rebuilt to compare and dropped'} ${by}, ${when}</small>`;
  const left =
    phase === 'folding'
      ? `, ${formatNumber(Math.round(per_second))} events a second${seconds_left === null ? '' : `, ${span(seconds_left)} left`}`
      : '';
  return html`<progress max="1" value="${share.toFixed(3)}" aria-label="Rebuild of ${model}"></progress>
    <small>${phase}, ${percent}${left}, ${by}${silent_seconds > SILENT_SECONDS ? html` <b class="wrong">no report for ${span(silent_seconds)}</b>` : null}</small>`;
}

function modelRow(
  { reader }: Operator,
  { model, version, live, lag }: PipelineState['models'][number],
  rebuild: Rebuild | undefined,
  canRebuild: boolean,
): Markup {
  const built =
    live === null
      ? 'not built'
      : live === version
        ? html`<code>${version}</code>`
        : html`<code>${live}</code>, this release has <code>${version}</code>`;
  const button =
    canRebuild && rebuild?.state !== 'running'
      ? form(
          reader,
          `${PATH}/rebuild`,
          { model },
          html`<button class="plain" aria-label="Rebuild ${model}">Rebuild</button>`,
        )
      : null;
  return html`<tr><th scope="row">${model}<small>${built}</small></th>${figure(lag ?? 'unknown')}<td><div class="rebuild"><p class="state">${rebuild ? rebuildInWords(rebuild) : null}</p>${button}</div></td></tr>`;
}

const skipped = ({
  parked,
  dead_letters,
}: PipelineState): Markup => html`<section class="part" id="skipped"><h2>Skipped and parked</h2>
  ${
    parked.length + dead_letters.length === 0
      ? html`<p class="empty">Nothing was skipped or parked.</p>`
      : table(
          'Skipped and parked',
          ['Where', { figure: 'Number' }, 'Newest cause', null],
          [...parked, ...dead_letters].map(
            ({ name, many, cause }) =>
              html`<tr><th scope="row">${clip(name, 120)}</th>${figure(many)}<td class="long">${excerpt(cause ?? '', 300)}</td><td><a href="/operate/parked">Retry or drop</a></td></tr>`,
          ),
        )
  }${metric('clarity_parked_events', 'clarity_dead_letters')}</section>`;

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

function spend({ model, mails }: PipelineState): Markup {
  const share = model && model.budget_usd > 0 ? Math.min(1, model.spent_usd / model.budget_usd) : 0;
  return html`<section class="part" id="spend"><h2>Language model</h2>
    ${
      model
        ? html`<p>${dollars(model.spent_usd)} of ${dollars(model.budget_usd)} a day may have been spent today, by UTC.</p><div class="meter">${shareBar(share)}</div>`
        : html`<p class="empty">None is configured.</p>`
    }${metric('clarity_model_spend_usd', 'clarity_model_budget_usd')}</section>
  <section class="part" id="mail"><h2>Mail</h2>
    ${
      mails.length === 0
        ? html`<p class="empty">No mails today.</p>`
        : table(
            'Mails of today by state',
            ['Mails of today', 'State', { figure: 'Mails' }],
            mails.map(
              ({ of, state, mails: many }) =>
                html`<tr><th scope="row">${of === 'brief' ? 'Morning brief' : 'Saved searches'}</th><td>${state}</td>${figure(many)}</tr>`,
            ),
          )
    }${metric('clarity_brief_mails', 'clarity_search_mails')}</section>`;
}

const connections = ({
  pool,
  processes,
}: PipelineState): Markup => html`<section class="part" id="connections"><h2>Connections to PostgreSQL</h2>
  <p>This process: ${pool.used} used, ${pool.idle} idle, ${pool.waiting} waiting, at most ${pool.maximum}.</p>
  ${table(
    'Connections by process',
    ['Process', { figure: 'Connections' }],
    processes.map(({ name, connections: many }) => html`<tr><th scope="row">${excerpt(name)}</th>${figure(many)}</tr>`),
  )}
  ${metric('clarity_database_connections')}</section>`;

export function pipelinePage(server: FastifyInstance, site: Site): void {
  const { database, desk, now } = site;
  operatorPage(server, site, {
    path: '/pipeline',
    title: 'Pipeline',
    refreshAfter: async () => (runningIn(await latestRebuilds(database)) ? RELOAD_SECONDS : undefined),
    async body(operator) {
      const since = new Date(now().getTime() - DELAY_DAYS * 86_400_000);
      const [steps, state] = await Promise.all([stepDelays(database, since), desk?.measure?.() ?? null]);
      if (!state)
        return html`${delays(steps)}<p class="empty">This process cannot measure the rest. Use "clarity status".</p>`;
      return html`<p>The same figures are on the dashboard, under the names below; <code>clarity status</code> says what to do.</p>
        ${delays(steps)}${backlog(state)}
        <section class="part" id="models"><h2>Read models</h2>
        <p>A rebuild runs next to the live rows, which readers see until it is done; the button starts one in this process.</p>
        ${table(
          'Read models',
          ['Read model, live version', { figure: 'Behind' }, 'Rebuild'],
          state.models.map((one) => {
            const rebuild = state.rebuilds.find(({ model }) => model === one.model);
            return modelRow(operator, one, rebuild, desk?.rebuild !== undefined);
          }),
        )}${metric('clarity_model_lag', 'clarity_model_other_version', 'clarity_model_rebuild_share', 'clarity_model_rebuild_seconds_left')}</section>
        ${skipped(state)}<div class="columns">${spend(state)}${connections(state)}</div>`;
    },
    actions: {
      async rebuild({ by }, { model }) {
        if (!desk?.rebuild || !desk.measure)
          throw new Refusal('invalid_request', 'This process cannot rebuild. Use "clarity replay".');
        const { models, rebuilds } = await desk.measure();
        const target = models.find((one) => one.model === model);
        if (!target) throw new Refusal('invalid_request', `No read model is called ${quoted(model)}.`);
        const running = runningIn(rebuilds);
        if (running)
          throw new Refusal(
            'invalid_request',
            `${running.model} is being rebuilt in ${quoted(running.process)}. Wait until it is done: one at a time.`,
          );
        await desk.rebuild(target.model);
        await recordOperation(site, { operation: 'model_rebuilt', subject: target.model, by, why: null });
        return `${PATH}#models`;
      },
    },
  });
}
