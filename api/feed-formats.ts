/** The formats of a feed: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1. */

import { z } from 'zod';
import { element, emptyElement, FEED_FORMATS } from '../presentation/markup.ts';
import { reportedAt, type SignalItem } from '../schemas/resources.ts';
import { Instant, SignalIdText } from '../schemas/scalar.ts';
import { FILE_SIGNALS } from '../schemas/signal-filter.ts';

export interface FeedContent {
  readonly title: string;
  readonly description: string;
  /** Page with the same content. */
  readonly page: string;
  /** Address of the feed itself. */
  readonly self: string;
  /** Publication of its newest entry; the time of the request when it is empty. */
  readonly updated: string;
  readonly signals: readonly SignalItem[];
  /** Address of the next entries; null at the end, and where a feed has only the newest. */
  readonly next: string | null;
}

/** Text of an entry below its headline: the summary and the outlets. */
function entryText({ summary, delta, source, outlets }: SignalItem): string {
  const others = outlets > 1 ? ` and ${outlets - 1} more` : '';
  const credit = source.outlet ? `Source: ${source.outlet}${others}.` : '';
  return [summary ?? delta, credit].filter(Boolean).join(' ');
}

/** Kind of move, theme, brands and cities: what readers may filter by. */
const entryTags = ({ move, theme, brands, cities }: SignalItem): string[] => [
  ...new Set([move, ...(theme ? [theme.name] : []), ...brands.map(({ name }) => name), ...cities]),
];

const date = (instant: string): string => new Date(instant).toUTCString();

const item = (signal: SignalItem): string =>
  [
    '<item>',
    element('title', signal.headline),
    element('link', signal.url),
    element('guid', signal.id, { isPermaLink: 'false' }),
    element('pubDate', date(reportedAt(signal))),
    element('description', entryText(signal)),
    ...entryTags(signal).map((tag) => element('category', tag)),
    ...(signal.source.outlet ? [element('dc:source', signal.source.outlet)] : []),
    '</item>',
  ].join('');

const rss = ({ title, description, page, self, updated, signals, next }: FeedContent): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>',
    element('title', title),
    element('link', page),
    element('description', description),
    element('language', 'en-in'),
    element('lastBuildDate', date(updated)),
    emptyElement('atom:link', { href: self, rel: 'self', type: 'application/rss+xml' }),
    ...(next === null ? [] : [emptyElement('atom:link', { href: next, rel: 'next', type: 'application/rss+xml' })]),
    ...signals.map(item),
    '</channel></rss>',
    '',
  ].join('\n');

const entry = (signal: SignalItem): string =>
  [
    '<entry>',
    element('title', signal.headline),
    element('id', signal.url),
    emptyElement('link', { rel: 'alternate', type: 'text/html', href: signal.url }),
    ...(signal.source.url ? [emptyElement('link', { rel: 'via', href: signal.source.url })] : []),
    element('published', reportedAt(signal)),
    element('updated', signal.published_at),
    element('summary', entryText(signal)),
    ...entryTags(signal).map((tag) => emptyElement('category', { term: tag })),
    '</entry>',
  ].join('');

const atom = ({ title, description, page, self, updated, signals, next }: FeedContent): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-IN">',
    element('title', title),
    element('subtitle', description),
    element('id', self),
    element('updated', updated),
    '<author><name>Clarity</name></author>',
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: self }),
    ...(next === null ? [] : [emptyElement('link', { rel: 'next', type: 'application/atom+xml', href: next })]),
    emptyElement('link', { rel: 'alternate', type: 'text/html', href: page }),
    ...signals.map(entry),
    '</feed>',
    '',
  ].join('\n');

const JsonFeedItem = z.object({
  id: SignalIdText,
  url: z.url().describe('Page of the signal on the service'),
  external_url: z.string().optional().describe('Link to the original report'),
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
  next_url: z.url().optional().describe('The next entries'),
  description: z.string(),
  language: z.literal('en-IN'),
  authors: z.array(z.object({ name: z.string() })),
  items: z.array(JsonFeedItem).max(FILE_SIGNALS),
});
export type JsonFeed = z.infer<typeof JsonFeed>;

const jsonFeedItem = (signal: SignalItem): z.infer<typeof JsonFeedItem> => ({
  id: signal.id,
  url: signal.url,
  ...(signal.source.url ? { external_url: signal.source.url } : {}),
  title: signal.headline,
  content_text: entryText(signal),
  date_published: reportedAt(signal),
  tags: entryTags(signal),
});

const jsonFeed = ({ title, description, page, self, signals, next }: FeedContent): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    ...(next !== null && { next_url: next }),
    description,
    language: 'en-IN',
    authors: [{ name: 'Clarity' }],
    items: signals.map(jsonFeedItem),
  } satisfies JsonFeed);

const WRITERS: Readonly<Record<(typeof FEED_FORMATS)[number]['ending'], (feed: FeedContent) => string>> = {
  rss,
  atom,
  json: jsonFeed,
};

export type FeedFormat = (typeof FEED_FORMATS)[number] & { readonly write: (feed: FeedContent) => string };

export const FEED_WRITERS: readonly FeedFormat[] = FEED_FORMATS.map((format) => ({
  ...format,
  write: WRITERS[format.ending],
}));
