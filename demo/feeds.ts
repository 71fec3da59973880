/**
 * The documents that outlets serve: feeds of every format, and HTML pages, which are the front page, an outlet's
 * latest items and an article.
 */
import { html, raw } from 'hono/html';
import { listingDate, namedZoneDate, offsetDate, zonelessDate } from './calendar.ts';
import type { ListedEntry } from './desk.ts';
import { OUTLETS, type Outlet } from './outlets.ts';
import { type Occurrence, styleFigures } from './publishing.ts';

export interface Edition {
  readonly outlet: Outlet;
  /** URL of the newsroom, without a trailing slash. */
  readonly url: string;
  /** Newest first. */
  readonly entries: readonly ListedEntry[];
  /** The newest date of any entry, so that a feed changes only when its content does. */
  readonly changedAt: Date;
}

export interface Document {
  readonly type: string;
  readonly body: Buffer;
}

const DEMO_NOTE = 'Demo data: outlet, people and facts are made up. Nothing here happened.';

const textDocument = (type: string, text: string): Document => ({
  type: `${type}; charset=utf-8`,
  body: Buffer.from(text),
});

/** The URL of an article, with the outlet's tracking parameters if it adds them. */
function articleAddress({ outlet, url }: Edition, entry: ListedEntry): string {
  const tracking = outlet.habits?.tracking;
  return `${url}${entry.path}${tracking ? `?${tracking}` : ''}`;
}

/** Text as the content of an element or attribute. Characters that XML 1.0 forbids do not occur in our texts. */
const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;

/** What a careless content system does to text before it builds the feed: HTML entities, numeric for the apostrophe. */
const encodeOnceMore = (text: string): string => escapeXml(text).replace(/'/g, '&#039;');

function dateText(at: Date, outlet: Outlet): string {
  if (outlet.habits?.dates === 'no zone') return zonelessDate(at);
  if (outlet.habits?.dates === 'IST') return namedZoneDate(at);
  return at.toUTCString();
}

function rssItem(edition: Edition, entry: ListedEntry): string {
  const { outlet } = edition;
  const address = articleAddress(edition, entry);
  const encode = outlet.habits?.encodesTwice ? encodeOnceMore : (text: string): string => text;
  const summary = entry.summary && encode(entry.summary);
  const markup =
    outlet.habits?.htmlSummary &&
    summary &&
    `<p>${escapeXml(summary)}</p><p><a href="${escapeXml(address)}">Read on</a></p>`;
  return [
    '<item>',
    element('title', encode(entry.headline)),
    element('link', address),
    `<guid isPermaLink="false">${escapeXml(entry.guid)}</guid>`,
    element('pubDate', dateText(entry.publishedAt, outlet)),
    markup ? `<description><![CDATA[${markup}]]></description>` : summary ? element('description', summary) : '',
    '</item>',
  ].join('');
}

/** ISO-8859-1, with numeric references for other characters such as the rupee sign. */
const latin1 = (text: string): Buffer =>
  Buffer.from(
    text.replace(/[\u0100-\u{10ffff}]/gu, (sign) => `&#${sign.codePointAt(0)};`),
    'latin1',
  );

/** RSS 2.0, with the bad habits that real feeds have: dates without a zone, double encoding, an old character set. */
export function writeRss(edition: Edition): Document {
  const { outlet, url, entries, changedAt } = edition;
  const charset = outlet.habits?.latin1 ? 'ISO-8859-1' : 'UTF-8';
  const text = `<?xml version="1.0" encoding="${charset}"?>
<rss version="2.0"><channel>
${element('title', outlet.name)}
${element('link', `${url}/${outlet.id}`)}
${element('description', `${outlet.about} ${DEMO_NOTE}`)}
<language>en-in</language>
${element('lastBuildDate', changedAt.toUTCString())}
${entries.map((entry) => rssItem(edition, entry)).join('\n')}
</channel></rss>
`;
  if (charset === 'UTF-8') return textDocument('application/rss+xml', text);
  return { type: 'application/rss+xml; charset=ISO-8859-1', body: latin1(text) };
}

/** Atom 1.0; `updated` changes when a headline is edited. */
export function writeAtom(edition: Edition): Document {
  const { outlet, url, entries, changedAt } = edition;
  const summaryOf = (summary: string): string =>
    outlet.habits?.htmlSummary
      ? `<summary type="html">${escapeXml(`<p>${escapeXml(summary)}</p>`)}</summary>`
      : element('summary', summary);
  const items = entries.map((entry) =>
    [
      '<entry>',
      element('id', entry.guid),
      element('title', entry.headline),
      `<link rel="alternate" href="${escapeXml(articleAddress(edition, entry))}"/>`,
      element('published', entry.publishedAt.toISOString()),
      element('updated', entry.updatedAt.toISOString()),
      entry.summary ? summaryOf(entry.summary) : '',
      '</entry>',
    ].join(''),
  );
  return textDocument(
    'application/atom+xml',
    `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-IN">
${element('id', `demo:${outlet.id}`)}
${element('title', outlet.name)}
${element('subtitle', `${outlet.about} ${DEMO_NOTE}`)}
<link rel="alternate" href="${escapeXml(`${url}/${outlet.id}`)}"/>
<link rel="self" href="${escapeXml(`${url}/${outlet.id}/${outlet.file}`)}"/>
<author>${element('name', outlet.name)}</author>
${element('updated', changedAt.toISOString())}
${items.join('\n')}
</feed>
`,
  );
}

/** RSS 1.0 (RDF), dates in Dublin Core with India's offset. */
export function writeRdf(edition: Edition): Document {
  const { outlet, url, entries } = edition;
  const addresses = entries.map((entry) => escapeXml(articleAddress(edition, entry)));
  const items = entries.map((entry, index) =>
    [
      `<item rdf:about="${addresses[index]}">`,
      element('title', entry.headline),
      `<link>${addresses[index]}</link>`,
      entry.summary ? element('description', entry.summary) : '',
      element('dc:date', offsetDate(entry.publishedAt)),
      element('dc:identifier', entry.guid),
      '</item>',
    ].join(''),
  );
  return textDocument(
    'application/rdf+xml',
    `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="${escapeXml(`${url}/${outlet.id}/${outlet.file}`)}">
${element('title', outlet.name)}
${element('link', `${url}/${outlet.id}`)}
${element('description', `${outlet.about} ${DEMO_NOTE}`)}
<items><rdf:Seq>${addresses.map((address) => `<rdf:li rdf:resource="${address}"/>`).join('')}</rdf:Seq></items>
</channel>
${items.join('\n')}
</rdf:RDF>
`,
  );
}

export function writeJsonFeed(edition: Edition): Document {
  const { outlet, url, entries } = edition;
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: outlet.name,
    home_page_url: `${url}/${outlet.id}`,
    feed_url: `${url}/${outlet.id}/${outlet.file}`,
    description: `${outlet.about} ${DEMO_NOTE}`,
    language: 'en-IN',
    items: entries.map((entry) => ({
      id: entry.guid,
      url: articleAddress(edition, entry),
      title: entry.headline,
      content_text: entry.summary ?? entry.headline,
      ...(entry.summary && { summary: entry.summary }),
      date_published: entry.publishedAt.toISOString(),
      date_modified: entry.updatedAt.toISOString(),
    })),
  };
  return textDocument('application/feed+json', `${JSON.stringify(feed, null, 1)}\n`);
}

/** A news sitemap as for search engines. (A real one covers two days; this one the whole cycle.) */
export function writeSitemap(edition: Edition): Document {
  const { outlet, entries } = edition;
  const items = entries.map(
    (entry) =>
      `<url>${element('loc', articleAddress(edition, entry))}${element('lastmod', offsetDate(entry.updatedAt))}` +
      `<news:news><news:publication>${element('news:name', outlet.name)}<news:language>en</news:language></news:publication>` +
      `${element('news:publication_date', offsetDate(entry.publishedAt))}${element('news:title', entry.headline)}</news:news></url>`,
  );
  return textDocument(
    'application/xml',
    `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
${items.join('\n')}
</urlset>
`,
  );
}

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

/** The front page: every outlet with its page and its feed. */
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
