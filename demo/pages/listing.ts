/** The page of an outlet: its latest items. For two outlets it is what pollers read, so its classes are a contract. */
import { html } from 'hono/html';
import { listingDate } from '../calendar.ts';
import type { ListedEntry } from '../desk/desk.ts';
import type { Document, Edition } from '../formats/document.ts';
import { page } from './layout.ts';

/** Date as text without a zone, links relative to the host. */
const teasers = (entries: readonly ListedEntry[]) =>
  entries.map(
    (entry) => html`<article class="teaser"><h3><a href="${entry.path}">${entry.headline}</a></h3>
<span class="when">${listingDate(entry.publishedAt)}</span>${entry.summary && html`<p class="standfirst">${entry.summary}</p>`}</article>
`,
  );

/** Date as a `datetime` attribute in UTC under text that says less. */
const list = (entries: readonly ListedEntry[], url: string) =>
  html`<ul>${entries.map(
    (entry) => html`<li class="story"><a class="headline" href="${url}${entry.path}">${entry.headline}</a>
<time datetime="${entry.publishedAt.toISOString()}">${listingDate(entry.publishedAt).split(',')[0]}</time></li>
`,
  )}</ul>`;

export const listingPage = ({ outlet, url, entries }: Edition): Promise<Document> =>
  page(
    outlet.name,
    html`<nav><a href="/">All outlets</a></nav><h1>${outlet.name}</h1><p>${outlet.about}</p>
${outlet.habits?.relativeLinks ? teasers(entries) : list(entries, url)}`,
  );
