/** The feeds of the outlets: RSS 2.0, Atom, RSS 1.0, JSON Feed and news sitemap, with the bad habits of real feeds. */

import { namedZoneDate, offsetDate, zonelessDate } from './calendar.ts';
import type { ListedEntry } from './desk.ts';
import type { Outlet } from './outlets.ts';

// Input and output of every feed and page.

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

export const DEMO_NOTE = 'Demo data: outlet, people and facts are made up. Nothing here happened.';

export const textDocument = (type: string, text: string): Document => ({
  type: `${type}; charset=utf-8`,
  body: Buffer.from(text),
});

/** The URL of an article, with the outlet's tracking parameters if it adds them. */
function articleAddress({ outlet, url }: Edition, entry: ListedEntry): string {
  const tracking = outlet.habits?.tracking;
  return `${url}${entry.path}${tracking ? `?${tracking}` : ''}`;
}

// XML.

/** Text as the content of an element or attribute. Characters that XML 1.0 forbids do not occur in our texts. */
const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;

/** What a careless content system does to text before it builds the feed: HTML entities, numeric for the apostrophe. */
const encodeOnceMore = (text: string): string => escapeXml(text).replace(/'/g, '&#039;');

// RSS 2.0, with the bad habits that real feeds have: dates without a zone, double encoding, an old character set.

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

// Atom 1.0; `updated` changes when a headline is edited.

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

// RSS 1.0 (RDF), dates in Dublin Core with India's offset.

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

// JSON Feed 1.1.

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

// A news sitemap as for search engines. (A real one covers two days; this one the whole cycle.)

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
