/**
 * GET /signal/{slug}: the page to cite. GET and POST /signal/{slug}/report: a reader says what is wrong with an entry.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { reportMistake } from '../../ingest/review-signals.ts';
import { formatDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { FIELD_TITLES } from '../../presentation/field-names.ts';
import {
  addressWith,
  brandPath,
  dayOrTime,
  fullTime,
  type Markup,
  outwardLink,
  timeTag,
} from '../../presentation/markup.ts';
import { findPublicSignal } from '../../presentation/public-records.ts';
import { clip, labelToWords, MOVE_NAMES, neutralise, parseDocument } from '../../presentation/text.ts';
import { factsOfSignal } from '../../projector/models/search-queries.ts';
import {
  type FoundSignal,
  listSignals,
  type Revision,
  type StoredReport,
} from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { SignalDetail, SignalItem } from '../../schemas/resources.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { MAXIMUM_NOTE, MISTAKES, type Mistake, MistakeBody } from '../../schemas/signal.ts';
import { cardPath } from '../cards/subjects.ts';
import { brandLinks, cityLinks, kicker, withoutDeadLinks } from '../feed.ts';
import { choiceField, type Form, followButton, form, readForm, registerForms, shareButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { bibtexCitation, factTable, markdownCitation } from '../signal-facts.ts';
import type { Frame, Site } from '../site.ts';
import { newsArticle } from '../structured-data.ts';

/** What can be wrong, as pages say it. */
export const MISTAKE_NAMES: Readonly<Record<Mistake, string>> = {
  not_a_move: 'It is no move of a company',
  kind: 'Wrong kind of move',
  brand: 'Wrong brand',
  figure: 'Wrong figure',
  place: 'Wrong place',
  duplicate: 'The same event has another entry',
  other: 'Something else',
};

/** Address of the form for an entry. */
const mistakePath = (slug: string): string => `/signal/${slug}/report`;

type Asked = FastifyRequest<{ Params: { slug: string } }>;

export function mistakePage(server: FastifyInstance, site: Site): void {
  /** The public signal of the address; null when the reply leads to its present address. */
  async function signalOf(request: Asked, reply: FastifyReply): Promise<SignalDetail | null> {
    const found = await findPublicSignal(site.database, request.params.slug);
    if (!('redirect' in found)) return parseDocument(found.document, SignalDetail);
    // 308 keeps the form.
    reply.redirect(`${site.baseUrl}${mistakePath(found.redirect)}`, 308);
    return null;
  }
  const page = ({ slug, headline }: SignalDetail, body: Markup): Promise<string> =>
    layout(site, {
      title: 'Report a mistake · Clarity',
      description: 'Say what is wrong with an entry of the record.',
      path: null,
      body: html`<header class="subject"><p class="kicker"><a href="/signal/${slug}">${clip(headline, 200)}</a></p><h1>Report a mistake</h1></header>${body}`,
    });
  const asked = (request: Asked, signal: SignalDetail, typed: Form, wrong: string | null): Promise<string> =>
    page(
      signal,
      html`<p>An operator compares the entry with its reports. What was corrected is in the <a href="/corrections">log of corrections</a>.</p>
      ${wrong === null ? null : html`<p class="wrong" role="alert">${clip(neutralise(wrong), 600)}</p>`}
      ${form(
        request.reader,
        mistakePath(signal.slug),
        {},
        html`${choiceField(
          'what',
          'What is wrong',
          MISTAKES.map((value) => ({ value, name: MISTAKE_NAMES[value] })),
          typed.what,
        )}
        <div class="field"><label for="note">What would be right (optional)</label><textarea id="note" name="note" rows="4" maxlength="${MAXIMUM_NOTE}" aria-describedby="hint-note">${typed.note ?? ''}</textarea>
        <small id="hint-note">At most ${MAXIMUM_NOTE} characters. Only operators read it. Your name and address are not kept with it.</small></div>
        <div><button type="submit">Report</button></div>`,
        'narrow',
      )}`,
    );

  server.get('/signal/:slug/report', async (request: Asked, reply) => {
    const signal = await signalOf(request, reply);
    return signal ? sendPage(reply, await asked(request, signal, {}, null)) : reply;
  });
  registerForms(server, site, (own) => {
    own.post('/signal/:slug/report', { preHandler: site.authorise('anonymous') }, async (request: Asked, reply) => {
      const signal = await signalOf(request, reply);
      if (!signal) return reply;
      const { form_token: _, ...typed } = readForm(request);
      try {
        const id = await reportMistake(site, SignalId.parse(signal.id), readParameters(MistakeBody, typed));
        const thanks = html`<p role="status">Thank you. An operator will look at it.</p>
          <p class="note">Report <code>${id}</code></p><p><a href="/signal/${signal.slug}">Back to the entry</a></p>`;
        return sendPage(reply, await page(signal, thanks));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error;
        return sendPage(reply.code(400), await asked(request, signal, typed, error.message));
      }
    });
  });
}

const MAXIMUM_OTHERS = 6;

/** The newest other signals about the primary brand; null without any. */
async function moreOn({ database, directory }: Site, { id, brands }: SignalDetail): Promise<Markup | null> {
  const brand = brands.find(({ role }) => role === 'primary');
  if (!brand) return null;
  const { documents } = await listSignals(database, {
    only: { brand: directory.slugsOf(brand.slug) },
    about: true,
    limit: MAXIMUM_OTHERS + 1,
  });
  const others = documents
    .map((document) => parseDocument(document, SignalItem))
    .filter((signal) => signal.id !== id)
    .slice(0, MAXIMUM_OTHERS);
  if (others.length === 0) return null;
  return html`<section class="more"><h2>More on ${brand.url === '' ? clip(brand.name, 50) : html`<a href="${brandPath(brand.slug)}">${clip(brand.name, 50)}</a>`}</h2>
  <ul class="plain-list">${others.map(
    ({ slug, headline, published_at }) =>
      html`<li><a href="/signal/${slug}">${clip(headline, 140)}</a><small>${timeTag(published_at, formatDay(published_at))}</small></li>`,
  )}</ul></section>`;
}

const step = ({ slug, headline, published_at }: SignalDetail['before'][number]): Markup =>
  html`<li><a href="/signal/${slug}">${clip(headline, 140)}</a><small>${timeTag(published_at, formatDay(published_at))}</small></li>`;

/** What came before a signal and after it in its thread, with the signal itself in its place; null without any. */
const threadList = ({ headline, published_at, before, after }: SignalDetail): Markup | null =>
  before.length + after.length === 0
    ? null
    : html`<section class="thread"><h2>The thread</h2><ol class="plain-list">
  ${before.map(step)}
  <li aria-current="true">${clip(headline, 140)}<small>${timeTag(published_at, formatDay(published_at))}</small></li>
  ${after.map(step)}
</ol></section>`;

/** Enough for any real event; a flood of copies must not make the page large. */
const MAXIMUM_REPORTS = 60;

/** A report without a date of its own is placed by when a poll first found it. */
const placeOf = ({ published_at, first_seen_at }: StoredReport): number => Date.parse(published_at ?? first_seen_at);

const report = ({ outlet, title, url, published_at, first_seen_at, resurfaced }: StoredReport): Markup => html`<li>
  <p class="outlet">${clip(neutralise(outlet), 80)} <span>${fullTime(published_at ?? first_seen_at)}${resurfaced ? ' · reported again later' : null}</span></p>
  <p>${outwardLink(url, clip(neutralise(title), 240))}</p>
</li>`;

/** The reports of a signal in order of time. */
const reportList = (reports: readonly StoredReport[]): Markup => html`<section class="reports">
  <h2>${formatCount(reports.length, 'report')}</h2>
  <ol>${reports
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .slice(0, MAXIMUM_REPORTS)
    .map(report)}</ol>
  ${reports.length > MAXIMUM_REPORTS ? html`<p>and ${reports.length - MAXIMUM_REPORTS} more.</p>` : null}
</section>`;

const REASONS: Readonly<Record<string, string>> = {
  edited: 'The outlet edited its report',
  better_report: 'A more complete report arrived',
  understood_again: 'Analysed again with better rules',
  operator: 'Corrected by an editor',
  split: 'A report of another event was split off',
};
const MAXIMUM_REVISIONS = 30;

const revision = (
  { at, reason, headline, delta }: Revision,
  corrections: SignalDetail['corrections'],
): Markup => html`<li>
  <p class="outlet">${REASONS[reason] ?? neutralise(reason)} <span>${fullTime(at)}</span></p>
  ${corrections.filter((one) => one.at === at).map(({ fields, why }) => html`<p>${fields.map((field) => FIELD_TITLES[field]).join(', ')}: ${clip(neutralise(why), 500)}</p>`)}
  <p>Before: <q>${clip(neutralise(headline), 240)}</q>${delta ? html` (${clip(neutralise(delta), 40)})` : null}</p>
</li>`;

/** Earlier texts of a signal with the reason of each change, newest first; null without any. */
const revisionList = (revisions: readonly Revision[], corrections: SignalDetail['corrections']): Markup | null =>
  revisions.length === 0
    ? null
    : html`<section class="revisions"><h2>Corrections and changes</h2><ol>${revisions
        .toReversed()
        .slice(0, MAXIMUM_REVISIONS)
        .map((one) => revision(one, corrections))}</ol></section>`;

/** Maximum counts, so that a page stays small whatever a source sends. */
const MAXIMUM_FACTS = 12;
const MAXIMUM_NAMES = 12;

const fact = (name: string, value: Markup | Markup[] | string | null): Markup | null =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? null
    : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** Maximum of signals that a sentence links to. */
const MAXIMUM_CITED = 8;

/** The analysis under a heading: sentence by sentence with links to the signals that it was computed from, where these are stored. */
function section(heading: string, { analysis, ...signal }: SignalDetail, field: 'why_it_matters' | 'what_to_watch') {
  const text = signal[field];
  if (text === null) return null;
  const sentences = analysis.filter((one) => one.field === field);
  const cited = (signals: (typeof analysis)[number]['signals']): Markup | null =>
    signals.length === 0
      ? null
      : html` <small>By ${signals.slice(-MAXIMUM_CITED).map(({ id }, index) => html`${index > 0 ? ', ' : null}<a href="/signal/${id}">${signals.length === 1 ? 'the earlier signal' : `signal ${index + 1}`}</a>`)}</small>`;
  return html`<section class="why"><h2>${heading}</h2>${
    sentences.length === 0
      ? html`<p>${clip(text, 1_500)}</p>`
      : sentences.map((one) => html`<p>${clip(neutralise(one.text), 1_500)}${cited(one.signals)}</p>`)
  }</section>`;
}

const particulars = (signal: SignalDetail): Markup => html`<dl class="facts">
  ${fact('Kind', html`<a href="${addressWith('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a>${signal.kind ? html`${clip(labelToWords(signal.kind), 40)}` : null}`)}
  ${fact('Theme', signal.theme && html`<a href="/theme/${signal.theme.slug}">${clip(signal.theme.name, 40)}</a>`)}
  ${fact('Brands', brandLinks(signal.brands, MAXIMUM_NAMES))}
  ${fact('Cities', cityLinks(signal.cities, MAXIMUM_NAMES))}
  ${fact('Happened', signal.event_at && dayOrTime(signal.event_at))}
  ${fact('On record since', fullTime(signal.published_at))}
  ${fact('Reported by', formatCount(signal.outlets, 'outlet'))}
</dl>`;

/** Key facts that neither headline, deck, summary nor figure are. */
function keyFacts({ key_facts, summary, deck, headline, delta }: SignalDetail): Markup | null {
  const fresh = key_facts.filter((one) => one !== summary && one !== deck && one !== headline && one !== delta);
  if (fresh.length === 0) return null;
  return html`<section><h2>Key facts</h2><ul>${fresh.slice(0, MAXIMUM_FACTS).map((one) => html`<li>${clip(one, 400)}</li>`)}</ul></section>`;
}

/** The paragraph below the headline. Without a summary it says what the record has: who reported it, when, and how it was headed. */
function paragraph({ headline, deck, summary, reports, published_at, cities }: SignalDetail): Markup {
  const text = [summary, deck].find((one) => one && one !== headline);
  if (text) return html`<p class="lede">${clip(text, 1_500)}</p>`;
  const [first] = reports;
  const outlet = clip(first?.outlet ?? 'One outlet', 60);
  const at = first?.published_at ?? published_at;
  const where =
    cities.length > 0
      ? ` It concerns ${cities
          .slice(0, 3)
          .map((city) => clip(city, 40))
          .join(', ')}.`
      : '';
  return html`<p class="lede">${outlet} reported this on ${timeTag(at, formatDay(at))}${first && first.headline !== headline ? html` as <q>${clip(first.headline, 240)}</q>` : null}. ${
    reports.length > 1
      ? `${formatCount(reports.length, 'report')} of it are on record.`
      : 'No other report of it is on record, and this one has no summary.'
  }${where}</p>`;
}

/** The ways to cite a signal. The script of the page adds a button to each that copies it. */
const citations = (signal: SignalDetail): Markup => {
  const ways = [
    ['Link', signal.url],
    ['Markdown', markdownCitation({ ...signal, headline: clip(signal.headline, 300) })],
    ['BibTeX', bibtexCitation({ ...signal, headline: clip(signal.headline, 300) })],
  ] as const;
  return html`<section class="cite"><h2>How to cite</h2>
  ${ways.map(([name, text]) => html`<div data-copy="${name}"><h3>${name}</h3><pre tabindex="0" aria-label="Citation: ${name}">${text}</pre></div>`)}
  <p>Its id is <code>${signal.id}</code>. Id and address never change.</p></section>`;
};

/** Parts of the page other than the signal. */
interface Extras {
  /** The follow button. */
  readonly follow: Markup;
  readonly facts: Markup | null;
  readonly more: Markup | null;
  /** For operators, the way to the review desk. */
  readonly desk: Markup | null;
}

const signalBody = (
  signal: SignalDetail,
  found: FoundSignal,
  { follow, facts, more, desk }: Extras,
): Markup => html`<article class="signal">
  ${kicker(signal)}
  <h1>${clip(signal.headline, 400)}</h1>
  <div class="story">
    <div class="text">
      ${signal.delta ? html`<p class="delta">${clip(signal.delta, 80)}</p>` : null}
      ${paragraph(signal)}
      ${facts}
      ${section('Why it matters', signal, 'why_it_matters')}
      ${section('What to watch', signal, 'what_to_watch')}
      ${keyFacts(signal)}
    </div>
    <div class="text">
      ${reportList(found.reports)}
      ${revisionList(found.revisions, signal.corrections)}
      ${threadList(signal)}
    </div>
    <aside class="text" aria-label="About this entry">${particulars(signal)}${follow}${shareButton(clip(signal.headline, 300), `/signal/${signal.slug}`)}<p><a href="${mistakePath(signal.slug)}" rel="nofollow">Report a mistake</a></p>${desk}${more}${citations(signal)}</aside>
  </div>
</article>`;

function renderSignal(site: Frame, signal: SignalDetail, found: FoundSignal, extras: Extras): Promise<string> {
  const changed = found.revisions.at(-1)?.at ?? signal.published_at;
  const card = cardPath('signal', signal.slug);
  return layout(site, {
    title: `${clip(signal.headline, 150)} · Clarity`,
    description: clip(signal.summary ?? signal.deck ?? signal.headline, 300),
    path: `/signal/${signal.slug}`,
    type: 'article',
    card,
    head: html`<meta property="article:published_time" content="${signal.published_at}">
    <meta property="article:modified_time" content="${changed}">
    ${newsArticle(signal, { picture: `${site.baseUrl}${card}`, changed, reports: found.reports })}`,
    body: signalBody(signal, found, extras),
  });
}

/** 301 for a retired slug and for a cite id, 404 for an unknown one. */
export function signalPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/signal/:slug', async (request, reply) => {
    const found = await findPublicSignal(site.database, request.params.slug);
    if ('redirect' in found) return reply.redirect(`${site.baseUrl}/signal/${found.redirect}`, 301);
    const [signal] = await withoutDeadLinks(site, [parseDocument(found.document, SignalDetail)]);
    if (!signal) throw new Error('one signal came back as none');
    const target = { type: 'signal' as const, slug: signal.slug, name: 'this entry', signalId: signal.id };
    const [follow, more, facts] = await Promise.all([
      followButton(site, request, target),
      moreOn(site, signal),
      factsOfSignal(site.database, signal.id),
    ]);
    const desk = request.reader?.role
      ? html`<p><a href="/operate/review?signal=${signal.id}">Review this entry</a></p>`
      : null;
    return sendPage(
      reply,
      await renderSignal(site, signal, found, { follow, more, facts: factTable(signal, facts), desk }),
    );
  });
}
