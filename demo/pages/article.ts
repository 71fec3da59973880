/** The page of one item, marked as made up, with its canonical address. */
import { html } from 'hono/html';
import { listingDate } from '../calendar.ts';
import type { ListedEntry } from '../desk/desk.ts';
import type { Happening } from '../desk/happening.ts';
import type { Document } from '../formats/document.ts';
import type { Outlet } from '../outlet.ts';
import { figures } from '../style.ts';
import { page } from './layout.ts';

/** Sentences that the facts alone carry, for the body under the standfirst. */
function background({ facts, noise }: Happening, outlet: Outlet): string[] {
  if (!facts) return [`This is a piece of ${(noise ?? 'comment').replaceAll('_', ' ')} and reports no event.`];
  const names = (list: readonly string[]): string => new Intl.ListFormat('en-IN').format(list);
  return [
    facts.brands.length > 0 ? `The report concerns ${names(facts.brands)}.` : '',
    facts.mall ? `The place is ${facts.mall}${facts.cities.length ? `, ${names(facts.cities)}` : ''}.` : '',
    facts.figure ? `The figure to remember: ${figures(facts.figure, outlet.voice)}.` : '',
    facts.also.length > 0 ? `Also named: ${names(facts.also)}.` : '',
  ].filter(Boolean);
}

export function articlePage(url: string, outlet: Outlet, entry: ListedEntry, happening: Happening): Promise<Document> {
  const address = `${url}${entry.path}`;
  const place = happening.facts?.cities[0] ?? 'New Delhi';
  const edited = entry.updatedAt > entry.publishedAt;
  return page(
    `${entry.headline} | ${outlet.name}`,
    html`<nav><a href="/${outlet.id}">${outlet.name}</a></nav>
<article><h1>${entry.headline}</h1>
<p><time datetime="${entry.publishedAt.toISOString()}">${listingDate(entry.publishedAt)} IST</time>${
      edited ? html` <small>(updated ${listingDate(entry.updatedAt)} IST)</small>` : ''
    }</p>
<p><b>${place}:</b> ${entry.summary ?? `${entry.headline}.`}</p>
${background(happening, outlet).map((sentence) => html`<p>${sentence}</p>`)}
</article>`,
    html`<link rel="canonical" href="${address}"><meta property="og:title" content="${entry.headline}">
<meta property="og:site_name" content="${outlet.name}"><meta property="article:published_time" content="${entry.publishedAt.toISOString()}">`,
  );
}
