/** The forms in which a feed is served, by the ending of its address. */
import { atom } from './atom.ts';
import type { Feed } from './feed.ts';
import { jsonFeed } from './json-feed.ts';
import { rss } from './rss.ts';

export interface FeedForm {
  readonly ending: string;
  readonly name: string;
  readonly type: string;
  readonly write: (feed: Feed) => string;
}

export const FEED_FORMS: readonly FeedForm[] = [
  { ending: 'rss', name: 'RSS', type: 'application/rss+xml', write: rss },
  { ending: 'atom', name: 'Atom', type: 'application/atom+xml', write: atom },
  { ending: 'json', name: 'JSON Feed', type: 'application/feed+json', write: jsonFeed },
];
