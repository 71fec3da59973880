/** JSON Feed 1.1. */
import type { SignalItem } from '../../schemas/resources.ts';
import { entryTags, entryText, type Feed } from './feed.ts';

const item = (signal: SignalItem) => ({
  id: signal.id,
  url: signal.url,
  ...(signal.source.url ? { external_url: signal.source.url } : {}),
  title: signal.headline,
  content_text: entryText(signal),
  date_published: signal.published_at,
  tags: entryTags(signal),
});

/** The document as text. */
export const jsonFeed = ({ title, description, page, self, signals }: Feed): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    description,
    language: 'en-IN',
    authors: [{ name: 'Clarity' }],
    items: signals.map(item),
  });
