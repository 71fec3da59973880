/** GET /signal/{slug}: the page to cite. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { DAY, formatDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { FIELD_TITLES } from '../../presentation/field-names.ts';
import { addressWith, brandPath, dayOrTime, fullTime, type Markup, outwardLink } from '../../presentation/markup.ts';
import { findPublicSignal } from '../../presentation/public-records.ts';
import { clip, labelToWords, MOVE_NAMES, neutralise, parseDocument } from '../../presentation/text.ts';
import { factsOfSignal } from '../../projector/models/search-queries.ts';
import {
  type FoundSignal,
  listSignals,
  type Revision,
  type StoredReport,
} from '../../projector/models/signals-queries.ts';
import { reportedAt, SignalDetail, SignalItem } from '../../schemas/resources.ts';
import type { AnalysisField } from '../../schemas/signal.ts';
import { cardPath } from '../cards/subjects.ts';
import { brandLinks, cityLinks, moveLine } from '../feed.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { followButton, shareButton } from '../forms.ts';
import { type Page, showPage } from '../layout.ts';
import { dayTag, excerpt, listPart, part, plainList, storyItem, subject } from '../parts.ts';
import { bibtexCitation, factTable, markdownCitation } from '../signal-facts.ts';
import type { Site } from '../site.ts';
import { mistakePath } from './signal-mistake.ts';

const MAXIMUM_OTHERS = 6;

/** The newest other signals about the primary brand; null without any. */
async function moreOn({ database, directory }: Site, { id, brands }: SignalDetail): Promise<Markup | null> {
  const brand = brands.find(({ role }) => role === 'primary');
  if (!brand) return null;
  const { documents } = await listSignals(database, {
    only: { brand: directory.slugsOf(brand.slug) },
    about: true,
    dated: 'reported_at',
    limit: MAXIMUM_OTHERS + 1,
  });
  const others = documents
    .map((document) => parseDocument(document, SignalItem))
    .filter((signal) => signal.id !== id)
    .slice(0, MAXIMUM_OTHERS);
  const name = clip(brand.name, 50);
  const heading = html`More on ${brand.url === '' ? name : html`<a href="${brandPath(brand.slug)}">${name}</a>`}`;
  return listPart(heading, others, () => plainList(others.map((one) => storyItem(one))), 'more');
}

/** The newest other signals of the same kind of move; null without any. */
async function moreOfKind({ database }: Site, { id, move, brands }: SignalDetail): Promise<Markup | null> {
  const own = new Set(brands.map(({ slug }) => slug));
  const { documents } = await listSignals(database, {
    only: { kind: [move] },
    dated: 'reported_at',
    limit: 2 * MAXIMUM_OTHERS,
  });
  const others = documents
    .map((document) => parseDocument(document, SignalItem))
    .filter((signal) => signal.id !== id && !signal.brands.some(({ slug }) => own.has(slug)))
    .slice(0, MAXIMUM_OTHERS);
  const heading = html`More of <a href="${addressWith('/', { kind: move })}">${MOVE_NAMES[move]}</a>`;
  return listPart(heading, others, () => plainList(others.map((one) => storyItem(one))), 'more of-kind');
}

/** What came before a signal and after it in its thread, with the signal itself in its place; null without any. */
const threadPart = ({ headline, published_at, reported_at, before, after }: SignalDetail): Markup | null =>
  listPart(
    'The thread',
    [...before, ...after],
    () => html`<ol class="plain-list">
  ${before.map((one) => storyItem(one))}
  <li aria-current="true">${clip(headline, 140)}<small>${dayTag(reported_at ?? published_at)}</small></li>
  ${after.map((one) => storyItem(one))}
</ol>`,
    'thread',
  );

/** Enough for any real event; a flood of copies must not make the page large. */
const MAXIMUM_REPORTS = 60;

/** A report without a date of its own is placed by when a poll first found it. */
const placeOf = ({ published_at, first_seen_at }: StoredReport): number => Date.parse(published_at ?? first_seen_at);

const report = ({ outlet, title, url, published_at, first_seen_at, resurfaced }: StoredReport): Markup => html`<li>
  <p class="outlet">${excerpt(outlet, 80)} <span>${fullTime(published_at ?? first_seen_at)}${resurfaced ? ' · reported again later' : null}</span></p>
  <p>${outwardLink(url, excerpt(title, 240))}</p>
</li>`;

/** The reports of a signal in order of time. */
const reportsPart = (reports: readonly StoredReport[]): Markup => {
  const ordered = reports.toSorted((one, other) => placeOf(one) - placeOf(other)).slice(0, MAXIMUM_REPORTS);
  const more = reports.length - ordered.length;
  return part(
    formatCount(reports.length, 'report'),
    html`<ol>${ordered.map(report)}</ol>${more > 0 ? html`<p>and ${more} more.</p>` : null}`,
    'reports',
  );
};

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
  ${corrections.filter((one) => one.at === at).map(({ fields, why }) => html`<p>${fields.map((field) => FIELD_TITLES[field]).join(', ')}: ${excerpt(why, 500)}</p>`)}
  <p>Before: <q>${excerpt(headline, 240)}</q>${delta ? html` (${excerpt(delta, 40)})` : null}</p>
</li>`;

/** Earlier texts of a signal with the reason of each change, newest first; null without any. */
const revisionsPart = (revisions: readonly Revision[], corrections: SignalDetail['corrections']): Markup | null =>
  listPart(
    'Corrections and changes',
    revisions.toReversed().slice(0, MAXIMUM_REVISIONS),
    (newest) => html`<ol>${newest.map((one) => revision(one, corrections))}</ol>`,
    'revisions',
  );

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
function analysisPart(heading: string, { analysis, ...signal }: SignalDetail, field: AnalysisField): Markup | null {
  const text = field === 'background' ? null : signal[field];
  const sentences = analysis.filter((one) => one.field === field);
  if (text === null && sentences.length === 0) return null;
  const cited = (signals: (typeof analysis)[number]['signals']): Markup | null =>
    signals.length === 0
      ? null
      : html` <small>By ${signals.slice(-MAXIMUM_CITED).map(({ id }, index) => html`${index > 0 ? ', ' : null}<a href="/signal/${id}">${signals.length === 1 ? 'the earlier signal' : `signal ${index + 1}`}</a>`)}</small>`;
  const paragraphs =
    sentences.length === 0
      ? html`<p>${clip(text ?? '', 1_500)}</p>`
      : sentences.map((one) => html`<p>${excerpt(one.text, 1_500)}${cited(one.signals)}</p>`);
  return part(heading, paragraphs, 'why');
}

/** When it happened, who reported it, and the way to the report. */
function sourceLine(signal: SignalDetail): Markup {
  const { event_at, source, outlets } = signal;
  const name = excerpt(source.outlet ?? 'the outlet', 60);
  return html`<p>${event_at ? html`${dayOrTime(event_at)} · ` : null}${name}${outlets > 1 ? ` and ${outlets - 1} more` : null}, ${dayTag(reportedAt(signal))} · ${outwardLink(source.url, `Read at ${name}`)}</p>`;
}

const particulars = (signal: SignalDetail): Markup => html`<dl class="facts">
  ${fact('Kind', html`<a href="${addressWith('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a>${signal.kind ? html`${clip(labelToWords(signal.kind), 40)}` : null}`)}
  ${fact('Theme', signal.theme && html`<a href="/theme/${signal.theme.slug}">${clip(signal.theme.name, 40)}</a>`)}
  ${fact('Brands', brandLinks(signal.brands, MAXIMUM_NAMES))}
  ${fact('Cities', cityLinks(signal.cities, MAXIMUM_NAMES))}
  ${fact('Happened', signal.event_at && dayOrTime(signal.event_at))}
  ${fact('Reported', fullTime(reportedAt(signal)))}
  ${fact('On record since', Math.abs(Date.parse(signal.published_at) - Date.parse(reportedAt(signal))) > DAY ? fullTime(signal.published_at) : null)}
  ${fact('Reported by', formatCount(signal.outlets, 'outlet'))}
</dl>`;

/** Key facts that neither headline, deck, summary nor figure are; null without any. */
const keyFacts = ({ key_facts, summary, deck, headline, delta }: SignalDetail): Markup | null =>
  listPart(
    'Key facts',
    key_facts.filter((one) => ![summary, deck, headline, delta].includes(one)).slice(0, MAXIMUM_FACTS),
    (facts) => html`<ul>${facts.map((one) => html`<li>${clip(one, 400)}</li>`)}</ul>`,
    null,
  );

/** The paragraph below the headline. Without a summary it says what the record has: who reported it, when, and how it was headed. */
function paragraph({ headline, deck, summary, summary_by, reports, published_at, cities }: SignalDetail): Markup {
  const text = [summary, deck].find((one) => one && one !== headline);
  if (text && text === summary && summary_by)
    return html`<p class="lede">${clip(text, 1_500)} <small>Stated by Clarity from its tables.</small></p>`;
  if (text) return html`<p class="lede">${clip(text, 1_500)}</p>`;
  const [first] = reports;
  const outlet = clip(first?.outlet ?? 'One outlet', 60);
  const at = first?.published_at ?? published_at;
  const places = cities.slice(0, 3).map((city) => clip(city, 40));
  const where = places.length > 0 ? ` It concerns ${places.join(', ')}.` : '';
  return html`<p class="lede">${outlet} reported this on ${dayTag(at)}${first && first.headline !== headline ? html` as <q>${clip(first.headline, 240)}</q>` : null}. ${
    reports.length > 1
      ? `${formatCount(reports.length, 'report')} of it are on record.`
      : 'No other report of it is on record, and this one has no summary.'
  }${where}</p>`;
}

/** The ways to cite a signal. The script of the page adds a button to each that copies it. */
const citations = (signal: SignalDetail): Markup => {
  const cited = { ...signal, headline: clip(signal.headline, 300) };
  const day = formatDay(reportedAt(signal));
  const ways = [
    ['Link', signal.url],
    ['Text', `${cited.headline}. ${clip(signal.source.outlet ?? 'Clarity', 60)}, ${day}. ${signal.url}`],
    ['Markdown', markdownCitation(cited)],
    ['BibTeX', bibtexCitation(cited)],
  ] as const;
  return html`<details class="cite"><summary class="button plain">Cite</summary><div class="cited">
  ${ways.map(([name, text]) => html`<div data-copy="${name}"><h2>${name}</h2><pre tabindex="0">${text}</pre></div>`)}
  <p class="note">Its id is <code>${signal.id}</code>. Id and address never change.</p></div></details>`;
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
  stored: FoundSignal,
  { follow, facts, more, desk }: Extras,
): Markup => html`<article class="signal">
  ${subject(
    moveLine(signal),
    clip(signal.headline, 400),
    sourceLine(signal),
    html`${follow}${shareButton(clip(signal.headline, 300), `/signal/${signal.slug}`)}${citations(signal)}`,
  )}
  <div class="story">
    <div class="text">
      ${signal.delta ? html`<p class="delta">${clip(signal.delta, 80)}</p>` : null}
      ${paragraph(signal)}
      ${facts}
      ${analysisPart('Why it matters', signal, 'why_it_matters')}
      ${analysisPart('What to watch', signal, 'what_to_watch')}
      ${analysisPart('Background', signal, 'background')}
      ${keyFacts(signal)}
    </div>
    <div class="text">
      ${reportsPart(stored.reports)}
      ${revisionsPart(stored.revisions, signal.corrections)}
      ${threadPart(signal)}
    </div>
    <aside class="text" aria-label="About this entry">${particulars(signal)}<p><a href="/send?s=${signal.id}" rel="nofollow">Add to a list</a></p><p><a href="${mistakePath(signal.slug)}" rel="nofollow">Report a mistake</a></p>${desk}${more}</aside>
  </div>
</article>`;

function signalView(signal: SignalDetail, stored: FoundSignal, extras: Extras): Page {
  const changed = stored.revisions.at(-1)?.at ?? signal.published_at;
  return {
    title: clip(signal.headline, 150),
    description: clip(signal.summary ?? signal.deck ?? signal.headline, 300),
    path: `/signal/${signal.slug}`,
    type: 'article',
    card: cardPath('signal', signal.slug),
    head: html`<meta property="article:published_time" content="${reportedAt(signal)}">
    <meta property="article:modified_time" content="${changed}">`,
    body: signalBody(signal, stored, extras),
  };
}

/** 301 for a retired slug and for a cite id, 404 for an unknown one. */
export function signalPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/signal/:slug', async (request, reply) => {
    const stored = await findPublicSignal(site.database, request.params.slug);
    if ('redirect' in stored) return reply.redirect(`${site.baseUrl}/signal/${stored.redirect}`, 301);
    const [signal] = await withoutDeadLinks(site, [parseDocument(stored.document, SignalDetail)]);
    if (!signal) throw new Error('the list of one signal is empty');
    const target = { type: 'signal' as const, slug: signal.slug, name: 'this entry', signalId: signal.id };
    const [follow, more, ofKind, facts] = await Promise.all([
      followButton(site, request, target),
      moreOn(site, signal),
      moreOfKind(site, signal),
      factsOfSignal(site.database, signal.id),
    ]);
    const desk = request.reader?.role
      ? html`<p><a href="/operate/review?signal=${signal.id}">Review this entry</a></p>`
      : null;
    const extras = { follow, more: html`${more}${ofKind}`, facts: factTable(signal, facts), desk };
    return showPage(reply, site, signalView(signal, stored, extras));
  });
}
