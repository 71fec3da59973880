/** Questions and answers: the form, the answer with its sources, and how questions of pages are charged. */

import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { plansPage } from '../access/authorise.ts';
import { ANONYMOUS, type Caller } from '../access/identify-caller.ts';
import { charge, refund } from '../access/quota/charge.ts';
import { limitRefusal } from '../access/quota/limit-answers.ts';
import { restWindows } from '../access/quota/limits.ts';
import type { Reader } from '../access/web-sessions.ts';
import { shortDay } from '../presentation/dates.ts';
import { type Markup, outwardLink, timeTag } from '../presentation/markup.ts';
import { clip, counted, neutralise } from '../presentation/text.ts';
import { planOf } from '../projector/models/accounts-queries.ts';
import { type Citation, LONGEST_QUESTION, type Turn } from '../schemas/ask.ts';
import { form, hidden } from './forms.ts';
import { answerMarkdown } from './markdown.ts';
import type { Site } from './site.ts';

// An answer with what it stands on.

const MAXIMUM_QUOTES = 3;

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
      .slice(0, MAXIMUM_QUOTES)
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
const answerPart = (
  { content, citations, confidence }: Pick<Turn, 'content' | 'citations' | 'confidence'>,
  baseUrl: string,
): Markup => html`<div class="answer">
  <div class="told">${answerMarkdown(content, { baseUrl, cited: citedIn(citations) })}</div>
  <p class="said">${surety(confidence, citations.length)}</p>
  ${sources(citations, content)}
</div>`;

// The form of a question. With a script the answer comes as it is written; without one it comes as a page.

interface AskForm {
  readonly reader: Reader | null;
  /** The session to go on with; null begins one. */
  readonly session: string | null;
  /** What stands in the field. */
  readonly question?: string;
}

export const askForm = ({
  reader,
  session,
  question = '',
}: AskForm): Markup => html`<form class="ask" method="post" action="/ask" data-ask>
  ${hidden({ ...(reader ? { form_token: reader.formToken } : {}), ...(session === null ? {} : { session_id: session }) })}
  <p class="field"><label for="question">${session === null ? 'Your question' : 'Ask on from here'}</label>
    <textarea id="question" name="question" rows="2" maxlength="${LONGEST_QUESTION}" required>${question}</textarea></p>
  <p><button>Ask</button></p>
</form>`;

// One turn of a session: question, answer, and what can be done with it.

interface ShownTurn {
  readonly reader: Reader | null;
  readonly baseUrl: string;
  readonly turn: Pick<Turn, 'question' | 'content' | 'citations' | 'confidence'>;
  readonly slug: string;
  readonly ordinal: number;
  readonly turns: number;
  /** The id of the session, for whoever may go on with it; null for readers of a shared one. */
  readonly session: string | null;
  readonly isPublic: boolean;
}

const sharing = (reader: Reader, { session, slug, ordinal, isPublic, baseUrl }: ShownTurn): Markup => {
  const fields = { session_id: session ?? '', slug, turn: String(ordinal) };
  return isPublic
    ? html`<p class="said">Everybody who has this address reads it: <a href="/ask/${slug}/${ordinal}">${baseUrl}/ask/${slug}/${ordinal}</a></p>
      ${form(reader, '/ask/share', { ...fields, share: 'no' }, html`<button class="plain">Take it back</button>`)}`
    : form(
        reader,
        '/ask/share',
        { ...fields, share: 'yes' },
        html`<button class="plain">Share these questions</button>`,
      );
};

const briefing = (reader: Reader, question: string): Markup =>
  form(
    reader,
    '/research',
    { topic: clip(question, 300) },
    html`<button class="plain">Compose a briefing on it</button>`,
  );

const walk = ({ slug, ordinal, turns }: ShownTurn): Markup | null =>
  turns < 2
    ? null
    : html`<nav class="pager" aria-label="Turns">
      ${ordinal > 1 ? html`<a href="/ask/${slug}/${ordinal - 1}" rel="prev">The question before</a>` : html`<span></span>`}
      ${ordinal < turns ? html`<a href="/ask/${slug}/${ordinal + 1}" rel="next">The next question</a>` : null}</nav>`;

/** What stands in the place of the answer; a script puts it there too. */
export function askedTurn(shown: ShownTurn): Markup {
  const { reader, turn, baseUrl, session } = shown;
  const question = clip(neutralise(turn.question), 500);
  return html`<article class="turn">
  <h1 class="question">${question}</h1>
  ${answerPart(turn, baseUrl)}
  ${reader && session !== null ? html`<div class="row">${sharing(reader, shown)}${briefing(reader, question)}</div>` : null}
  ${walk(shown)}
</article>
${session === null ? html`<p><a class="button" href="/ask">Ask a question of your own</a></p>` : askForm({ reader, session })}`;
}

// Questions and briefings of the pages count as those of the API do, in the same windows.

interface Charged {
  /** Gives it back, for an answer that failed on our side. */
  giveBack(): Promise<void>;
}

async function callerOf({ database }: Site, { reader }: FastifyRequest): Promise<Caller> {
  if (!reader) return ANONYMOUS;
  const { id: account } = reader.account;
  const plan = (await planOf(database, account)) ?? 'free';
  return { kind: 'person', account, plan, scopes: ['read', 'ask'], keyId: null };
}

async function chargeCaller(
  site: Site,
  request: FastifyRequest,
  caller: Caller,
  path: string,
  question: boolean,
): Promise<Charged> {
  const counted = await charge(site.database, restWindows(caller, request.ip, { method: 'POST', path, question }));
  if (!counted.fits) throw limitRefusal(counted, caller, plansPage(site.baseUrl));
  return { giveBack: async () => void (await refund(site.database, counted)) };
}

/**
 * A question: of somebody on Pro from the questions of the account's day, of everybody else by the address.
 * @throws Refusal when there is no room
 */
export async function chargeQuestion(site: Site, request: FastifyRequest): Promise<Charged> {
  const caller = await callerOf(site, request);
  const isPro = caller.plan === 'pro';
  return chargeCaller(site, request, isPro ? caller : ANONYMOUS, '/api/v1/ask', isPro);
}

/** A briefing, of the account. @throws Refusal when there is no room */
export const chargeBriefing = async (site: Site, request: FastifyRequest): Promise<Charged> =>
  chargeCaller(site, request, await callerOf(site, request), '/api/v1/research', false);
