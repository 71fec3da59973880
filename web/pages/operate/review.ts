/**
 * GET /operate/review: signals in doubt and the daily sample, each with what was understood and a form for every
 * verdict. GET /operate/signals: release, hold and merge signals.
 */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { FACTS } from '../../../facts/all-facts.ts';
import { FIELD_FORMS, LONGEST_TEXTS, writeField } from '../../../ingest/correct-signals.ts';
import { readSignal } from '../../../ingest/review-signals.ts';
import { DAY, istDay } from '../../../language/days.ts';
import { formatCount } from '../../../language/prose.ts';
import { confirm, correct, hold, merge, release, retract, split } from '../../../operations/signals.ts';
import { FIELD_TITLES } from '../../../presentation/field-names.ts';
import { fullTime, type Markup, outwardLink } from '../../../presentation/markup.ts';
import {
  dailySamples,
  type OpenReview,
  openMistakes,
  type ReportedMistake,
  reviewQueue,
  SAMPLE,
  type Sampled,
} from '../../../projector/models/review-queries.ts';
import { type Held, listHeld } from '../../../projector/models/signals-queries.ts';
import { MOVES } from '../../../schemas/scalar.ts';
import { CORRECTABLE, type Correctable } from '../../../schemas/signal.ts';
import type { Reason, Understanding } from '../../../schemas/story.ts';
import type { SignalState } from '../../../signal/signal.ts';
import { REVIEW_SCRIPT } from '../../layout.ts';
import { excerpt } from '../../parts.ts';
import type { Site } from '../../site.ts';
import { MISTAKE_NAMES } from '../signal-mistake.ts';
import { factFields, withFactLines } from './fact-fields.ts';
import { actionForm, type Operator, type PageAction } from './operator-forms.ts';
import { operatorPage } from './operator-page.ts';

const SIGNALS_PATH = '/operate/signals';
const HELD_SHOWN = 50;

const heldEntry = (
  operator: Operator,
  { id, slug, headline, published_at }: Held,
): Markup => html`<article class="case">
  <h2>${excerpt(headline, 240)}</h2>
  <p class="said">${fullTime(published_at)} · <code>${id}</code> · ${slug}</p>
  ${actionForm(operator, release, { at: SIGNALS_PATH, hidden: { signal: id }, key: id, button: 'Release' })}
</article>`;

const decisions = (operator: Operator): Markup => html`<section class="case"><h2>Hold a public signal</h2>
  ${actionForm(operator, hold, { at: SIGNALS_PATH, shown: { signal: '' }, key: 'hold', button: 'Hold', isPlain: true })}</section>
<section class="case"><h2>Merge two signals about one event</h2>
  <p>The first signal is merged into the second, which gets its reports. The address of the first redirects to the second.</p>
  ${actionForm(operator, merge, { at: SIGNALS_PATH, shown: { signal: '', into: '' }, key: 'merge', button: 'Merge', isPlain: true })}</section>`;

export function reviewPage(server: FastifyInstance, site: Site): void {
  const { database } = site;
  operatorPage(server, site, {
    path: '/signals',
    title: 'Signals under review',
    async body(operator) {
      const held = await listHeld(database, HELD_SHOWN);
      return html`${held.length === 0 ? html`<p class="empty">No held signals.</p>` : html`<p>A signal without a date, a source or a kind is not public until it is released. The newest ${held.length} held signals:</p>${held.map((one) => heldEntry(operator, one))}`}
      ${decisions(operator)}`;
    },
    forms: [{ action: release }, { action: hold }, { action: merge }],
  });
}

const PATH = '/operate/review';
/** Signals of one page: each is read from its stream and understood again for its reasons. */
const SHOWN = 10;
const MEASURED_DAYS = 7;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** A signal to be reviewed, and why it is here. */
interface Case {
  readonly state: SignalState;
  readonly because: string;
  /** Why each field has its value; null where this process cannot say. */
  readonly reasons: readonly Reason[] | null;
  /** Open reports of readers, the newest first. */
  readonly mistakes: readonly ReportedMistake[];
}

/** The fields of reasons that belong to a field of the page. */
const REASONS_OF: Readonly<Partial<Record<Correctable, readonly string[]>>> = { move: ['move', 'kind', 'relevant'] };

/** Lines with bars, as forms have them, as a sentence has them: without empty parts. */
const readable = (written: string): string =>
  written
    .split('\n')
    .map((line) =>
      line
        .split(' | ')
        .filter((part) => part.trim() !== '')
        .join(', '),
    )
    .join('; ');

function understood({ state, reasons }: Case): Markup {
  const { understanding, corrected } = state;
  const why = (field: Correctable): string =>
    (reasons ?? [])
      .filter((reason) => (REASONS_OF[field] ?? [field]).includes(reason.field))
      .map(({ rule, words }) => (words ? `${rule}: ${words}` : rule))
      .join('; ');
  const row = (field: Correctable): Markup => {
    const value = readable(writeField(understanding, field)) || 'none';
    const by = corrected[field] === undefined ? why(field) : 'corrected by an operator';
    return html`<div><dt>${FIELD_TITLES[field]}</dt><dd>${excerpt(value, 400)}${by ? html`<details><summary>Why</summary><small>${excerpt(by, 300)}</small></details>` : null}</dd></div>`;
  };
  return html`<dl class="understood">${CORRECTABLE.filter((field) => writeField(understanding, field) !== '').map(row)}</dl>
    ${reasons ? null : html`<p><small>This process cannot say why: "clarity understand --explain" does.</small></p>`}`;
}

function correctionField(understanding: Understanding, id: string, field: Correctable): Markup {
  const key = `${field}-${id}`;
  const value = writeField(understanding, field);
  const label = html`<label for="${key}">${FIELD_TITLES[field]}</label>`;
  if (field === 'move')
    return html`<p class="field">${label}<select id="${key}" name="move">${MOVES.map(
      (move) => html`<option value="${move}"${move === value ? html` selected` : null}>${move}</option>`,
    )}</select></p>`;
  const fact = FACTS.find(({ stored }) => stored.field === field);
  if (fact) return factFields(fact, value);
  const hint = html`<small id="hint-${key}">${FIELD_FORMS[field]}</small>`;
  if (field === 'delta')
    return html`<p class="field">${label}<input id="${key}" name="${field}" maxlength="300" value="${value}" aria-describedby="hint-${key}">${hint}</p>`;
  const isText = Object.hasOwn(LONGEST_TEXTS, field);
  const rows = isText ? (field === 'headline' ? 2 : 3) : Math.min(8, value.split('\n').length + 1);
  return html`<p class="field">${label}<textarea id="${key}" name="${field}" rows="${rows}" maxlength="4000" aria-describedby="hint-${key}">${value}</textarea>${hint}</p>`;
}

/** What readers reported, in their words. */
const reported = (mistakes: readonly ReportedMistake[]): Markup | null =>
  mistakes.length === 0
    ? null
    : html`<section class="reported" aria-label="Reports of readers"><h3>${formatCount(mistakes.length, 'report')} of readers</h3>
    <ul>${mistakes.map(
      ({ at, what, note }) =>
        html`<li><b>${MISTAKE_NAMES[what]}</b> <small>${fullTime(at.toISOString())}</small>${note ? html`<br><q>${excerpt(note, 500)}</q>` : null}</li>`,
    )}</ul><p><small>Any verdict closes them.</small></p></section>`;

/** A verdict behind a summary, opened by its key. */
const verdict = (key: string, summary: string, body: Markup): Markup =>
  html`<details data-key="${key}"><summary>${summary}</summary>${body}</details>`;

function verdicts(operator: Operator, { state }: Case): Markup {
  const { id, understanding, reports, revisions, status } = state;
  const isPublic = status === 'public';
  const own = { at: PATH, hidden: { signal: id } };
  const forReaders = 'Reason, which readers see';
  const plain = (action: PageAction, button: string, more: Partial<Parameters<typeof actionForm>[2]> = {}): Markup =>
    actionForm(operator, action, { ...own, key: `${action.name}-${id}`, button, isPlain: true, ...more });
  const right = actionForm(operator, confirm, {
    ...own,
    why: false,
    button: 'Right',
    label: `Right: ${excerpt(understanding.headline, 80)}`,
    pressedBy: 'c',
  });
  const isEmptyFact = (field: Correctable): boolean =>
    FACTS.some(({ stored }) => stored.field === field) && writeField(understanding, field) === '';
  const fieldsOf = (isShown: (field: Correctable) => boolean): Markup =>
    html`${CORRECTABLE.filter(isShown).map((field) => correctionField(understanding, id, field))}`;
  const corrections = actionForm(operator, correct, {
    at: PATH,
    hidden: { signal: id, revisions: String(revisions) },
    body: html`${fieldsOf((field) => !isEmptyFact(field))}
      <details><summary>Other facts</summary>${fieldsOf(isEmptyFact)}</details>`,
    key: `correct-${id}`,
    why: forReaders,
    button: 'Correct',
  });
  const report = html`<p class="field"><label for="report-${id}">Report</label><select id="report-${id}" name="report">${reports.map(
    ({ outlet, title }, index) => html`<option value="${index + 1}">${excerpt(`${outlet}: ${title}`, 120)}</option>`,
  )}</select></p>`;
  const into = { into: '' };
  return html`
    ${isPublic ? right : null}
    ${verdict('e', 'Correct fields', corrections)}
    ${verdict('x', 'Not a move', plain(retract, 'Retract', { why: forReaders }))}
    ${isPublic ? verdict('h', 'Hold', plain(hold, 'Hold')) : null}
    ${verdict('m', 'Merge', plain(merge, 'Merge', { shown: into, why: forReaders }))}
    ${reports.length > 1 ? verdict('s', 'Split a report off', plain(split, 'Split off', { body: report, shown: into, why: forReaders })) : null}`;
}

/** Where the address of a signal leads from here. */
const shownAs = ({ status, slug, understanding }: SignalState): Markup => {
  const headline = excerpt(understanding.headline, 240);
  return status === 'public' ? html`<a href="/signal/${slug}">${headline}</a>` : html`${headline} (${status})`;
};

const entry = (operator: Operator, one: Case): Markup => {
  const { id, text, published_at, reports } = one.state;
  return html`<article class="case" id="${id}" tabindex="-1" data-case>
    <h2>${shownAs(one.state)}</h2>
    <p class="said">${fullTime(published_at)} · ${one.because} · ${formatCount(reports.length, 'report')} · <code>${id}</code></p>
    <blockquote>${outwardLink(text.url, excerpt(text.title, 300))} (${excerpt(text.outlet)})${text.summary ? html`<br>${excerpt(text.summary, 1_200)}` : null}</blockquote>
    ${reported(one.mistakes)}
    ${understood(one)}
    ${verdicts(operator, one)}
  </article>`;
};

const doubtful = ({ doubt, outlets, followers, mistakes }: OpenReview): string =>
  `${mistakes > 0 ? `${formatCount(mistakes, 'report')} of readers, ` : ''}doubt ${percent(doubt)}, ${outlets <= 1 ? 'one outlet' : `${outlets} outlets`}, ${formatCount(followers, 'follower')}`;

/** How often the sample of the last days was right, as far as it was read. */
function measured(sample: readonly Sampled[]): string {
  const read = sample.filter(({ verdict }) => verdict !== null);
  const right = read.filter(({ verdict }) => verdict === 'confirmed').length;
  const share = read.length === 0 ? '' : `: ${right} right, ${percent(right / read.length)}`;
  return `Of the sample of the last ${MEASURED_DAYS} days, ${read.length} of ${sample.length} were read${share}.`;
}

const KEYS = html`<details class="keys" id="keys"><summary>Keys</summary>
  <p><kbd>j</kbd> and <kbd>k</kbd>: the next and the previous signal. On a signal: <kbd>c</kbd> right, <kbd>e</kbd> correct fields,
  <kbd>x</kbd> not a move, <kbd>h</kbd> hold, <kbd>m</kbd> merge, <kbd>s</kbd> split. <kbd>?</kbd> shows this.</p>
  <p><label><input type="checkbox" data-keys checked> Keys are on</label></p></details>`;

const find = (idOrSlug: string): Markup => html`<form class="row" method="get" action="${PATH}">
  <p class="field"><label for="find">Another signal: id or slug</label><input id="find" name="signal" maxlength="200" value="${idOrSlug}"></p>
  <p><button class="plain">Show</button></p></form>`;

/** The days before today that are measured, the last one first. */
const pastDays = (now: Date): string[] =>
  Array.from({ length: MEASURED_DAYS }, (_, before) => istDay(new Date(now.getTime() - (before + 1) * DAY)));

export function reviewDeskPage(server: FastifyInstance, site: Site): void {
  const { store, database, desk, now } = site;
  const read = desk?.understand;

  const caseOf = async (id: string, because: string): Promise<Case> => {
    const state = await readSignal(store, id);
    const [reasons, mistakes] = await Promise.all([
      read ? read(state.text).then((one) => one.reasons) : null,
      openMistakes(database, [state.id]),
    ]);
    return { state, because, reasons, mistakes };
  };

  /** The sample of yesterday, then what is most in doubt; each signal once. */
  async function openCases(): Promise<{ cases: Case[]; sample: Sampled[]; waiting: number }> {
    const days = pastDays(now());
    const [sample, queue] = await Promise.all([
      dailySamples(database, days),
      reviewQueue(database, now(), SHOWN + SAMPLE),
    ]);
    const drawn = sample.filter(({ day, status, verdict }) => day === days[0] && status === 'public' && !verdict);
    const sampled = new Map(drawn.map(({ id, day }) => [id, `drawn for the sample of ${day}`]));
    const queued = new Map(queue.map((one) => [one.id, doubtful(one)]));
    const first = queue.filter(({ mistakes }) => mistakes > 0).map(({ id }) => id);
    const because = new Map(
      [...new Set([...first, ...sampled.keys(), ...queued.keys()])].map((id) => [
        id,
        [sampled.get(id), queued.get(id)].filter(Boolean).join(', '),
      ]),
    );
    const cases: Case[] = [];
    for (const [id, why] of [...because].slice(0, SHOWN)) cases.push(await caseOf(id, why));
    return { cases, sample, waiting: because.size };
  }

  operatorPage(server, site, {
    path: '/review',
    role: 'reviewer',
    title: 'Review desk',
    script: REVIEW_SCRIPT,
    async body(operator, query) {
      const { signal } = Object(query) as { signal?: unknown };
      const idOrSlug = typeof signal === 'string' ? signal.trim() : '';
      if (idOrSlug) return html`${entry(operator, await caseOf(idOrSlug, 'asked for'))}${find(idOrSlug)}${KEYS}`;
      const { cases, sample, waiting } = await openCases();
      return html`<p>${measured(sample)} A correction is final: no later report changes a corrected field. Readers find it in the <a href="/corrections">log of corrections</a>.</p>
        ${KEYS}${find('')}
        ${cases.length === 0 ? html`<p class="empty">Nothing to review.</p>` : html`<p>${cases.length} of ${waiting} signals: what readers reported first, then the sample of yesterday, then by doubt and followers.</p>${cases.map((one) => entry(operator, one))}`}`;
    },
    forms: [
      { action: confirm },
      { action: correct, shows: CORRECTABLE, read: withFactLines },
      { action: retract },
      { action: hold },
      { action: merge },
      { action: split },
    ],
  });
}
