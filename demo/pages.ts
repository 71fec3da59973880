/** The HTML pages of the newsroom: front page, an outlet's latest items, an article. */
import { html, raw } from 'hono/html';
import { listingDate } from './calendar.ts';
import type { ListedEntry } from './desk.ts';
import { DEMO_NOTE, type Document, type Edition, textDocument } from './feeds.ts';
import { OUTLETS, type Outlet } from './outlets.ts';
import { type Occurrence, styleFigures } from './publishing.ts';

// The layout of every page.

type Markup = ReturnType<typeof html>;

const STYLE = `body{font:17px/1.55 Georgia,serif;max-width:44rem;margin:0 auto;padding:1rem;color:#222;background:#fffdf8}
h1{line-height:1.2}a{color:#7a2e0e}.demo{background:#fff1c2;border:1px solid #e0c060;padding:.4rem .8rem;font-family:sans-serif;font-size:.85rem}
.when,time,small{color:#666;font-size:.85rem}ul,ol{padding-left:1.2rem}li{margin:.4rem 0}article.teaser{border-top:1px solid #ddd}`;

/** Renders a page. @param head elements of the head in addition to title and style */
async function renderPage(title: string, body: Markup, head: Markup = html``): Promise<Document> {
  const text = await html`<!doctype html>
<html lang="en-IN">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${title}</title><style>${raw(STYLE)}</style>${head}</head>
<body><p class="demo">${DEMO_NOTE}</p>
${body}
</body></html>
`;
  return textDocument('text/html', String(text));
}

// The front page: every outlet with its page and its feed.

export const renderFront = (): Promise<Document> =>
  renderPage(
    'The demo newsroom',
    html`<h1>The demo newsroom</h1>
<p>${OUTLETS.length} outlets that do not exist report on Indian retail. Brands, cities and malls are real, everything said of them is invented.</p>
<ul>${OUTLETS.map(
      ({ id, name, about, file, kind }) =>
        html`<li><a href="/${id}">${name}</a> <small>${kind}: <a href="/${id}/${file}">/${id}/${file}</a></small><br>${about}</li>`,
    )}</ul>`,
  );

// The page of an outlet: its latest items. Two outlets are polled by this page, so its classes are a contract.

/** Date as text without a zone, links relative to the host. */
const teasers = (entries: readonly ListedEntry[]) =>
  entries.map(
    (entry) => html`<article class="teaser"><h3><a href="${entry.path}">${entry.headline}</a></h3>
<span class="when">${listingDate(entry.publishedAt)}</span>${entry.summary && html`<p class="standfirst">${entry.summary}</p>`}</article>
`,
  );

/** Date as a `datetime` attribute in UTC; the visible text is the day only. */
const list = (entries: readonly ListedEntry[], url: string) =>
  html`<ul>${entries.map(
    (entry) => html`<li class="story"><a class="headline" href="${url}${entry.path}">${entry.headline}</a>
<time datetime="${entry.publishedAt.toISOString()}">${listingDate(entry.publishedAt).split(',')[0]}</time></li>
`,
  )}</ul>`;

export const renderListing = ({ outlet, url, entries }: Edition): Promise<Document> =>
  renderPage(
    outlet.name,
    html`<nav><a href="/">All outlets</a></nav><h1>${outlet.name}</h1><p>${outlet.about}</p>
${outlet.habits?.relativeLinks ? teasers(entries) : list(entries, url)}`,
  );

// The page of one item, marked as invented, with its canonical URL.

/** Sentences made of the facts only, for the body below the standfirst. */
function background({ facts, noise }: Occurrence, outlet: Outlet): string[] {
  if (!facts) return [`This is a piece of ${(noise ?? 'comment').replaceAll('_', ' ')} and reports no event.`];
  const names = (list: readonly string[]): string => new Intl.ListFormat('en-IN').format(list);
  return [
    facts.brands.length > 0 ? `The report concerns ${names(facts.brands)}.` : '',
    facts.mall ? `The place is ${facts.mall}${facts.cities.length ? `, ${names(facts.cities)}` : ''}.` : '',
    facts.figure ? `The figure to remember: ${styleFigures(facts.figure, outlet.voice)}.` : '',
    facts.also.length > 0 ? `Also named: ${names(facts.also)}.` : '',
  ].filter(Boolean);
}

export function renderArticle(
  url: string,
  outlet: Outlet,
  entry: ListedEntry,
  occurrence: Occurrence,
): Promise<Document> {
  const address = `${url}${entry.path}`;
  const place = occurrence.facts?.cities[0] ?? 'New Delhi';
  const edited = entry.updatedAt > entry.publishedAt;
  return renderPage(
    `${entry.headline} | ${outlet.name}`,
    html`<nav><a href="/${outlet.id}">${outlet.name}</a></nav>
<article><h1>${entry.headline}</h1>
<p><time datetime="${entry.publishedAt.toISOString()}">${listingDate(entry.publishedAt)} IST</time>${
      edited ? html` <small>(updated ${listingDate(entry.updatedAt)} IST)</small>` : ''
    }</p>
<p><b>${place}:</b> ${entry.summary ?? `${entry.headline}.`}</p>
${background(occurrence, outlet).map((sentence) => html`<p>${sentence}</p>`)}
</article>`,
    html`<link rel="canonical" href="${address}"><meta property="og:title" content="${entry.headline}">
<meta property="og:site_name" content="${outlet.name}"><meta property="article:published_time" content="${entry.publishedAt.toISOString()}">`,
  );
}
