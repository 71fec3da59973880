/** A question and its answer: the form, how it was read, the answer with its sources, and what can be done with it. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { formatCount } from '../../language/prose.ts';
import { type Markup, outwardLink } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { type AskQuery, type Citation, LONGEST_QUESTION, type Turn } from '../../schemas/ask.ts';
import { form, hidden } from '../forms.ts';
import { answerMarkdown } from '../markdown.ts';
import { dayTag, excerpt, listPart } from '../parts.ts';

const MAXIMUM_QUOTES = 3;

/** The confidence in words. The number is the share of such answers that are right. */
function describeConfidence(confidence: number, cited: number): string {
  if (confidence === 0 || cited === 0) return 'The record has no answer to this question.';
  const support = confidence >= 0.8 ? 'Well supported' : confidence >= 0.5 ? 'Partly supported' : 'Weakly supported';
  return `${support}: ${Math.round(confidence * 100)} of 100 such answers are right.`;
}

/** Quotes of the report that neither its title nor the answer contains already. */
const furtherQuotes = ({ headline, quotes }: Citation, content: string): readonly string[] => {
  const answerText = content.replace(/\\([\\`*_[\]<>|#~])/g, '$1');
  return quotes.map(({ text }) => text).filter((text) => text !== headline && !answerText.includes(text));
};

const source = (citation: Citation, index: number, content: string): Markup => {
  const { slug, headline, outlet, source_url, published_at } = citation;
  return html`<li id="source-${index + 1}" value="${index + 1}"><a href="/signal/${slug}">${excerpt(headline, 240)}</a>
    <p class="byline">${dayTag(published_at)} <span>${outwardLink(source_url, excerpt(outlet ?? 'Original report'))}</span></p>
    ${furtherQuotes(citation, content)
      .slice(0, MAXIMUM_QUOTES)
      .map((text) => html`<blockquote>${excerpt(text, 400)}</blockquote>`)}</li>`;
};

/** The numbered list of cited reports. */
const sources = (citations: readonly Citation[], content: string): Markup | null =>
  listPart(
    `${formatCount(citations.length, 'report')} cited`,
    citations,
    () => html`<ol>${citations.map((one, index) => source(one, index, content))}</ol>`,
    'sources',
  );

/** Makes the lookup of cited signals; their numbers follow the order of first citation. */
export const citedIn = (citations: readonly Citation[]) => (id: string) => {
  const index = citations.findIndex((citation) => citation.id === id);
  const cited = citations[index];
  return cited ? { slug: cited.slug, headline: excerpt(cited.headline, 160), number: index + 1 } : null;
};

/** An answer with its confidence and sources. @param baseUrl the public address, without a slash at its end */
const answerPart = (
  { content, citations, confidence }: Pick<Turn, 'content' | 'citations' | 'confidence'>,
  baseUrl: string,
): Markup => html`<div class="answer">
  <div class="answer-text">${answerMarkdown(content, { baseUrl, cited: citedIn(citations) })}</div>
  <p class="said">${describeConfidence(confidence, citations.length)}</p>
  ${sources(citations, content)}
</div>`;

interface AskForm {
  readonly reader: Reader | null;
  /** The session to continue; null starts one. */
  readonly session: string | null;
  /** The text of the field. */
  readonly question?: string;
}

export const askForm = ({
  reader,
  session,
  question = '',
}: AskForm): Markup => html`<form class="ask" method="post" action="/ask" data-ask>
  ${hidden({ ...(reader ? { form_token: reader.formToken } : {}), ...(session === null ? {} : { session_id: session }) })}
  <p class="field"><label for="question">${session === null ? 'Your question' : 'Ask a follow-up question'}</label>
    <textarea id="question" name="question" rows="2" maxlength="${LONGEST_QUESTION}" required>${question}</textarea></p>
  <p><button>Ask</button></p>
</form>`;

/** How the question was read. Each part is a form that asks again without it; readers of a shared turn see only its text. */
const readAs = ({ chips }: AskQuery, { reader, session }: Pick<ShownTurn, 'reader' | 'session'>): Markup => {
  const chip = ({ label, value, without }: AskQuery['chips'][number], index: number): Markup => {
    const named = html`<span class="unseen">${label}: </span>${excerpt(value, 120)}`;
    if (without === null || session === null) return html`<li><span class="chip">${named}</span></li>`;
    const rest = chips.filter((_, at) => at !== index).map((one) => one.value);
    return html`<li><form method="post" action="/ask" data-ask>${hidden({
      ...(reader ? { form_token: reader.formToken } : {}),
      session_id: session,
      question: clip(rest.join(' · '), LONGEST_QUESTION),
      query: without,
    })}<button class="chip" aria-label="Ask again without ${neutralise(value)}">${named} <span aria-hidden="true">×</span></button></form></li>`;
  };
  return html`<ul class="chips" aria-label="How the question was read">${chips.map(chip)}</ul>`;
};

interface ShownTurn {
  readonly reader: Reader | null;
  readonly baseUrl: string;
  readonly turn: Pick<Turn, 'question' | 'content' | 'citations' | 'confidence' | 'query'>;
  readonly slug: string;
  readonly ordinal: number;
  readonly turns: number;
  /** The id of the session for its owner; null for readers of a shared one. */
  readonly session: string | null;
  readonly isPublic: boolean;
}

const sharing = (reader: Reader, { session, slug, ordinal, isPublic, baseUrl }: ShownTurn): Markup => {
  const path = `/ask/${slug}/${ordinal}`;
  const fields = { session_id: session ?? '', slug, turn: String(ordinal), share: isPublic ? 'no' : 'yes' };
  const button = html`<button class="plain">${isPublic ? 'Stop sharing' : 'Share these questions'}</button>`;
  return html`${isPublic ? html`<p class="said">Anyone with this address can read it: <a href="${path}">${baseUrl}${path}</a></p> ` : null}${form(reader, '/ask/share', fields, button)}`;
};

const briefingForm = (reader: Reader, question: string): Markup =>
  form(
    reader,
    '/research',
    { topic: clip(question, 300) },
    html`<button class="plain">Compose a briefing on this</button>`,
  );

const walk = ({ slug, ordinal, turns }: ShownTurn): Markup | null =>
  turns < 2
    ? null
    : html`<nav class="pager" aria-label="Turns">
      ${ordinal > 1 ? html`<a href="/ask/${slug}/${ordinal - 1}" rel="prev">Previous question</a>` : html`<span></span>`}
      ${ordinal < turns ? html`<a href="/ask/${slug}/${ordinal + 1}" rel="next">Next question</a>` : null}</nav>`;

/** One turn of a session: question, answer, sharing and the form for the next question. The script inserts it too. */
export function askedTurn(shown: ShownTurn): Markup {
  const { reader, turn, baseUrl, session } = shown;
  const question = excerpt(turn.question, 500);
  return html`<article class="turn">
  <h1 class="question">${question}</h1>
  ${turn.query ? readAs(turn.query, shown) : null}
  ${answerPart(turn, baseUrl)}
  ${reader && session !== null ? html`<div class="row">${sharing(reader, shown)}${briefingForm(reader, question)}</div>` : null}
  ${walk(shown)}
</article>
${session === null ? html`<p><a class="button" href="/ask">Ask your own question</a></p>` : askForm({ reader, session })}`;
}
