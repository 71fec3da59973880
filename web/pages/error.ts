/** The page of an error. */
import { html } from 'hono/html';
import type { ErrorAnswer } from '../../presentation/http/error-answers.ts';
import { clip, neutralise } from '../../presentation/text.ts';
import { layout } from '../layout.ts';
import type { Frame } from '../site.ts';

/** What happened, what to do, and whether the error's own message helps a reader. */
interface Words {
  readonly heading: string;
  readonly advice: string;
  readonly showsMessage: boolean;
}

function wordsOf(status: number): Words {
  if (status === 404)
    return {
      heading: 'Not in the record',
      advice: 'It may never have existed, or was withdrawn. Retired addresses redirect. Search for its name instead:',
      showsMessage: true,
    };
  if (status === 429)
    return { heading: 'Too many requests', advice: 'You reached a limit. Try again later.', showsMessage: true };
  if (status === 401 || status === 403)
    return { heading: 'Access denied', advice: 'Sign in, or use another account.', showsMessage: true };
  if (status === 503)
    return { heading: 'Temporarily unavailable', advice: 'Try again in a few seconds.', showsMessage: true };
  if (status >= 500) return { heading: 'The service failed', advice: 'Try again in a moment.', showsMessage: false };
  return {
    heading: 'Invalid request',
    advice: 'This page cannot handle the request.',
    showsMessage: true,
  };
}

/** The search of the record: who follows a dead link knows a name. */
const SEARCH = html`<form class="row" action="/" method="get" role="search" aria-label="The record"><div class="field"><label for="sought">Name or words</label><input type="search" id="sought" name="q" maxlength="200"></div><button type="submit">Search</button></form>`;

/** Renders an error with links to other pages, and the request id to quote. */
export function renderError(site: Frame, { status, message, requestId }: ErrorAnswer): Promise<string> {
  const { heading, advice, showsMessage } = wordsOf(status);
  return layout(site, {
    title: `${heading} · Clarity`,
    description: heading,
    path: null,
    body: html`<article class="notice">
      <p class="kicker">Error ${status}</p>
      <h1>${heading}</h1>
      <p>${advice}</p>
      ${status === 404 ? SEARCH : null}
      ${showsMessage ? html`<p class="said">${clip(neutralise(message), 600)}</p>` : null}
      <p>Or read <a href="/">the newest entries</a>, today's <a href="/brief">brief</a>, or <a href="/index">the index</a> of every name.</p>
      <p class="request-id">Request <code>${requestId}</code></p>
    </article>`,
  });
}
