/** What a reader sees when a page cannot be shown. */
import { html } from 'hono/html';
import type { ErrorAnswer } from '../../api/plugins/error-answers.ts';
import { layout } from '../layout.ts';
import type { Frame } from '../site.ts';
import { neutralise } from '../text.ts';

const headingOf = (status: number): string => {
  if (status === 404) return 'Not in the record';
  if (status >= 500) return 'Something failed on our side';
  return 'This address cannot be used';
};

const adviceOf = (status: number): string => {
  if (status === 404)
    return 'It may never have been here, or was withdrawn. An address that was retired leads on by itself.';
  if (status >= 500) return 'Please try again in a moment.';
  return 'The address holds something that this page does not know.';
};

/** Renders an error with a way on, and the request id to quote. */
export const renderError = (site: Frame, answer: ErrorAnswer): Promise<string> =>
  layout(site, {
    title: `${headingOf(answer.status)} · Clarity`,
    description: headingOf(answer.status),
    path: null,
    body: html`<article class="notice">
      <p class="kicker">Error ${answer.status}</p>
      <h1>${headingOf(answer.status)}</h1>
      <p>${adviceOf(answer.status)}</p>
      ${answer.status === 400 ? html`<p class="said">${neutralise(answer.message)}</p>` : null}
      <p><a href="/">Read the newest entries</a> or <a href="/sources">see how the sources are doing</a>.</p>
      <p class="request-id">Request <code>${answer.requestId}</code></p>
    </article>`,
  });
