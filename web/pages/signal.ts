/** GET /signal/{slug}: the page to cite. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { findPublicSignal } from '../../api/find-public-signal.ts';
import type { FoundSignal } from '../../projector/models/signals-queries.ts';
import { SignalDetail } from '../../schemas/resources.ts';
import { cardPath } from '../cards/subject.ts';
import { newsArticle } from '../json-ld/news-article.ts';
import { layout } from '../layout.ts';
import type { Markup } from '../markup.ts';
import { followButton } from '../parts/follow-button.ts';
import { moreOn } from '../parts/more-on.ts';
import { reportList } from '../parts/reports.ts';
import { revisionList } from '../parts/revisions.ts';
import { brandLinks, cityLinks, kicker } from '../parts/signal-entry.ts';
import { sendPage } from '../send-page.ts';
import type { Frame, Site } from '../site.ts';
import { clip, counted, readDocument } from '../text.ts';
import { dayOrTime, fullTime } from '../time.ts';

/** What is shown at most: a page stays light whatever a source sends. */
const MOST_FACTS = 12;
const MOST_NAMES = 12;

const fact = (name: string, value: Markup | Markup[] | string | null): Markup | null =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? null
    : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const section = (heading: string, text: string | null): Markup | null =>
  text === null ? null : html`<section class="why"><h2>${heading}</h2><p>${clip(text, 1_500)}</p></section>`;

const facts = (signal: SignalDetail, follows: string | null): Markup => html`<dl class="facts">
  ${fact('Brands', brandLinks(signal.brands, MOST_NAMES))}
  ${fact('Cities', cityLinks(signal.cities, MOST_NAMES))}
  ${fact('Happened', signal.event_at && dayOrTime(signal.event_at))}
  ${fact('On record since', fullTime(signal.published_at))}
  ${fact('Told by', counted(signal.outlets, 'outlet'))}
  ${fact('Follows up', follows && html`<a href="/signal/${follows}">an earlier signal</a>`)}
</dl>`;

/** What the summary and the headline say already is not said again as a fact. */
function keyFacts({ key_facts, summary, deck, headline }: SignalDetail): Markup | null {
  const fresh = key_facts.filter((one) => one !== summary && one !== deck && one !== headline);
  if (fresh.length === 0) return null;
  return html`<section><h2>Key facts</h2><ul>${fresh.slice(0, MOST_FACTS).map((one) => html`<li>${clip(one, 400)}</li>`)}</ul></section>`;
}

/** The paragraphs under the headline, each told once even where the outlets repeat themselves. */
function lede({ headline, deck, summary }: SignalDetail): Markup[] {
  const told = [...new Set([summary, deck])].filter((text) => text !== null && text !== headline);
  return told.map((text, index) => html`<p class="${index === 0 ? 'lede' : 'deck'}">${clip(text ?? '', 1_500)}</p>`);
}

/** What stands on the page besides the signal itself. */
interface Beside {
  /** The button to follow it. */
  readonly follow: Markup;
  readonly more: Markup | null;
}

const signalBody = (
  signal: SignalDetail,
  found: FoundSignal,
  { follow, more }: Beside,
): Markup => html`<article class="signal">
  ${kicker(signal)}
  <h1>${clip(signal.headline, 400)}</h1>
  ${signal.delta ? html`<p class="delta">${clip(signal.delta, 80)}</p>` : null}
  ${follow}
  <div class="story">
    ${facts(signal, found.follows)}
    <div class="text">${lede(signal)}
      ${section('Why it matters', signal.why_it_matters)}
      ${section('What to watch', signal.what_to_watch)}
      ${keyFacts(signal)}
      ${reportList(found.reports)}
      ${revisionList(found.revisions)}
    </div>
    <section class="cite"><h2>Cite this entry</h2>
      <p><code>${signal.id}</code><br><a href="${signal.url}">${signal.url}</a></p></section>
    ${more}
  </div>
</article>`;

/** Renders it from what the read model found. */
function renderSignal(site: Frame, signal: SignalDetail, found: FoundSignal, beside: Beside): Promise<string> {
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
    body: signalBody(signal, found, beside),
  });
}

/** 301 for a retired slug and for a cite id; the 404 page helps. */
export function signalPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/signal/:slug', async (request, reply) => {
    const found = await findPublicSignal(site.database, request.params.slug);
    if ('redirect' in found) return reply.redirect(`${site.baseUrl}/signal/${found.redirect}`, 301);
    const signal = readDocument(found.document, SignalDetail);
    const target = { type: 'signal' as const, slug: signal.slug, name: 'this entry', signalId: signal.id };
    const [follow, more] = await Promise.all([followButton(site, request, target), moreOn(site, signal)]);
    return sendPage(reply, await renderSignal(site, signal, found, { follow, more }));
  });
}
