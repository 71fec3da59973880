/** One turn of a session: question, answer, and what can be done with it. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import type { Turn } from '../../schemas/ask.ts';
import type { Markup } from '../markup.ts';
import { clip, neutralise } from '../text.ts';
import { answerPart } from './answer.ts';
import { askForm } from './ask-form.ts';
import { form } from './form.ts';

export interface ShownTurn {
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
