/** The form of a question. With a script the answer comes as it is written; without one it comes as a page. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { LONGEST_QUESTION } from '../../schemas/ask.ts';
import type { Markup } from '../markup.ts';
import { hidden } from './form.ts';

export interface AskForm {
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
