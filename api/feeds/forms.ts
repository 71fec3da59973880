/** The formats in which a feed is served, each with the function that writes it. */
import { FEED_FORMATS } from '../../presentation/markup.ts';
import { atom } from './atom.ts';
import type { Feed } from './feed.ts';
import { jsonFeed } from './json-feed.ts';
import { rss } from './rss.ts';

const WRITERS: Readonly<Record<(typeof FEED_FORMATS)[number]['ending'], (feed: Feed) => string>> = {
  rss,
  atom,
  json: jsonFeed,
};

export type FeedForm = (typeof FEED_FORMATS)[number] & { readonly write: (feed: Feed) => string };

export const FEED_FORMS: readonly FeedForm[] = FEED_FORMATS.map((format) => ({
  ...format,
  write: WRITERS[format.ending],
}));
