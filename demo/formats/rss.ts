/** RSS 2.0, with the bad habits that real feeds have: dates without a zone, double encoding, an old character set. */
import { namedZoneDate, zonelessDate } from '../calendar.ts';
import type { ListedEntry } from '../desk/desk.ts';
import type { Outlet } from '../outlet.ts';
import { articleAddress, DEMO_NOTE, type Document, type Edition, utf8 } from './document.ts';
import { element, encodeOnceMore, escapeXml } from './xml.ts';

function dateText(at: Date, outlet: Outlet): string {
  if (outlet.habits?.dates === 'no zone') return zonelessDate(at);
  if (outlet.habits?.dates === 'IST') return namedZoneDate(at);
  return at.toUTCString();
}

function item(edition: Edition, entry: ListedEntry): string {
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

/** ISO-8859-1 with a numeric reference for everything that it lacks, the rupee sign among it. */
const latin1 = (text: string): Buffer =>
  Buffer.from(
    text.replace(/[\u0100-\u{10ffff}]/gu, (sign) => `&#${sign.codePointAt(0)};`),
    'latin1',
  );

export function rss(edition: Edition): Document {
  const { outlet, url, entries, changedAt } = edition;
  const charset = outlet.habits?.latin1 ? 'ISO-8859-1' : 'UTF-8';
  const text = `<?xml version="1.0" encoding="${charset}"?>
<rss version="2.0"><channel>
${element('title', outlet.name)}
${element('link', `${url}/${outlet.id}`)}
${element('description', `${outlet.about} ${DEMO_NOTE}`)}
<language>en-in</language>
${element('lastBuildDate', changedAt.toUTCString())}
${entries.map((entry) => item(edition, entry)).join('\n')}
</channel></rss>
`;
  if (charset === 'UTF-8') return utf8('application/rss+xml', text);
  return { type: 'application/rss+xml; charset=ISO-8859-1', body: latin1(text) };
}
