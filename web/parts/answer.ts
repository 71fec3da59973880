/** An answer with what it stands on. */
import { html } from 'hono/html';
import type { Citation, Turn } from '../../schemas/ask.ts';
import { answerMarkdown } from '../answer-markdown.ts';
import { outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { clip, counted, neutralise } from '../text.ts';
import { shortDay, timeTag } from '../time.ts';

const MOST_QUOTES = 3;

/** How sure it is, in words. The number is how often such answers are right. */
function surety(confidence: number, found: number): string {
  if (confidence === 0 || found === 0) return 'The record does not answer this.';
  const sure = confidence >= 0.8 ? 'Well founded' : confidence >= 0.5 ? 'Founded in part' : 'Weakly founded';
  return `${sure}: such answers are right ${Math.round(confidence * 100)} times of a hundred.`;
}

/** What of the signal the answer stands on, where it does not say so in the signal's own words already. */
const unsaid = ({ headline, quotes }: Citation, content: string): readonly string[] => {
  const said = content.replace(/\\([\\`*_[\]<>|#~])/g, '$1');
  return quotes.map(({ text }) => text).filter((text) => text !== headline && !said.includes(text));
};

const source = (citation: Citation, index: number, content: string): Markup => {
  const { slug, headline, outlet, source_url, published_at } = citation;
  return html`<li id="source-${index + 1}" value="${index + 1}"><a href="/signal/${slug}">${clip(neutralise(headline), 240)}</a>
    <p class="byline">${timeTag(published_at, shortDay(published_at))} <span>${outwardLink(source_url, clip(neutralise(outlet ?? 'Original report'), 60))}</span></p>
    ${unsaid(citation, content)
      .slice(0, MOST_QUOTES)
      .map((text) => html`<blockquote>${clip(neutralise(text), 400)}</blockquote>`)}</li>`;
};

/** The numbered list of what was cited. */
const sources = (citations: readonly Citation[], content: string): Markup | null =>
  citations.length === 0
    ? null
    : html`<section class="sources"><h2>${counted(citations.length, 'signal')} cited</h2><ol>${citations.map((one, index) => source(one, index, content))}</ol></section>`;

/** Where a citation mark leads, by the order of first citation. */
export const citedIn = (citations: readonly Citation[]) => (id: string) => {
  const index = citations.findIndex((citation) => citation.id === id);
  const found = citations[index];
  return found ? { slug: found.slug, headline: clip(neutralise(found.headline), 160), number: index + 1 } : null;
};

/** @param baseUrl address that readers use, without a slash at its end */
export const answerPart = (
  { content, citations, confidence }: Pick<Turn, 'content' | 'citations' | 'confidence'>,
  baseUrl: string,
): Markup => html`<div class="answer">
  <div class="told">${answerMarkdown(content, { baseUrl, cited: citedIn(citations) })}</div>
  <p class="said">${surety(confidence, citations.length)}</p>
  ${sources(citations, content)}
</div>`;
