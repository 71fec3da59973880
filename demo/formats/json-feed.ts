/** JSON Feed 1.1. */
import { articleAddress, DEMO_NOTE, type Document, type Edition, utf8 } from './document.ts';

export function jsonFeed(edition: Edition): Document {
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
  return utf8('application/feed+json', `${JSON.stringify(feed, null, 1)}\n`);
}
