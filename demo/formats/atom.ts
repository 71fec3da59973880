/** Atom 1.0; `updated` moves when a headline is edited. */
import { articleAddress, DEMO_NOTE, type Document, type Edition, utf8 } from './document.ts';
import { element, escapeXml } from './xml.ts';

export function atom(edition: Edition): Document {
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
  return utf8(
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
