/** RSS 1.0 (RDF), dates in Dublin Core with India's offset. */
import { offsetDate } from '../calendar.ts';
import { articleAddress, DEMO_NOTE, type Document, type Edition, utf8 } from './document.ts';
import { element, escapeXml } from './xml.ts';

export function rdf(edition: Edition): Document {
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
  return utf8(
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
