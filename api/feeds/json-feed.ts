/** JSON Feed 1.1. */
import { z } from 'zod';
import type { SignalItem } from '../../schemas/resources.ts';
import { Instant, SignalId } from '../../schemas/scalar.ts';
import { entryTags, entryText, type Feed } from './feed.ts';

const JsonFeedItem = z.object({
  id: SignalId,
  url: z.url().describe('Page of the signal on the service'),
  external_url: z.url().optional().describe('Link to the original report'),
  title: z.string(),
  content_text: z.string(),
  date_published: Instant,
  tags: z.array(z.string()).describe('Kind of move, theme, brands and cities'),
});

export const JsonFeed = z.object({
  version: z.literal('https://jsonfeed.org/version/1.1'),
  title: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  description: z.string(),
  language: z.literal('en-IN'),
  authors: z.array(z.object({ name: z.string() })),
  items: z.array(JsonFeedItem).max(50),
});
export type JsonFeed = z.infer<typeof JsonFeed>;

const item = (signal: SignalItem): z.infer<typeof JsonFeedItem> => ({
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
  } satisfies JsonFeed);
