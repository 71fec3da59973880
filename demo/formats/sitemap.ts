/** A news sitemap as publishers make it for search engines. (A real one reaches back two days; ours the whole cycle.) */
import { offsetDate } from '../calendar.ts';
import { articleAddress, type Document, type Edition, utf8 } from './document.ts';
import { element } from './xml.ts';

export function sitemap(edition: Edition): Document {
  const { outlet, entries } = edition;
  const items = entries.map(
    (entry) =>
      `<url>${element('loc', articleAddress(edition, entry))}${element('lastmod', offsetDate(entry.updatedAt))}` +
      `<news:news><news:publication>${element('news:name', outlet.name)}<news:language>en</news:language></news:publication>` +
      `${element('news:publication_date', offsetDate(entry.publishedAt))}${element('news:title', entry.headline)}</news:news></url>`,
  );
  return utf8(
    'application/xml',
    `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
${items.join('\n')}
</urlset>
`,
  );
}
