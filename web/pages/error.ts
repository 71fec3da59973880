/** What a reader sees when a page cannot be shown. */
import { html } from 'hono/html';
import type { ErrorAnswer } from '../../presentation/http/error-answers.ts';
import type { Markup } from '../../presentation/markup.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { layout } from '../layout.ts';
import type { Frame } from '../site.ts';

/** Of an error: what happened, what to do, and whether its own message helps a reader. */
interface Words {
  readonly heading: string;
  readonly advice: string;
  readonly tells: boolean;
}

function wordsOf(status: number): Words {
  if (status === 404)
    return {
      heading: 'Not in the record',
      advice: 'It may never have been here, or was withdrawn. An address that was retired leads on by itself.',
      tells: false,
    };
  if (status === 429)
    return { heading: 'That was a little much', advice: 'There is a limit, and it fills again.', tells: true };
  if (status === 401 || status === 403)
    return { heading: 'This is not open to you', advice: 'Signing in, or another account, may open it.', tells: true };
  if (status === 503) return { heading: 'Too much at once', advice: 'Please try again in a few seconds.', tells: true };
  if (status >= 500)
    return { heading: 'Something failed on our side', advice: 'Please try again in a moment.', tells: false };
  return {
    heading: 'This address cannot be used',
    advice: 'It holds something that this page does not know.',
    tells: true,
  };
}

const search: Markup = html`<form class="row" action="/" method="get" role="search">
  <div class="field"><label for="q">Search the record</label><input id="q" type="search" name="q" maxlength="200"></div>
  <button type="submit">Search</button></form>`;

/** Renders an error with ways on, and the request id to quote. */
export function renderError(site: Frame, { status, message, requestId }: ErrorAnswer): Promise<string> {
  const { heading, advice, tells } = wordsOf(status);
  return layout(site, {
    title: `${heading} · Clarity`,
    description: heading,
    path: null,
    body: html`<article class="notice">
      <p class="kicker">Error ${status}</p>
      <h1>${heading}</h1>
      <p>${advice}</p>
      ${tells ? html`<p class="said">${clip(neutralise(message), 600)}</p>` : null}
      ${status < 500 ? search : null}
      <p>Or read <a href="/">the newest entries</a>, today's <a href="/brief">brief</a>, or <a href="/index">the index</a> of every name.</p>
      <p class="request-id">Request <code>${requestId}</code></p>
    </article>`,
  });
}
