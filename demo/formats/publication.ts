/** The document that an outlet is polled for, by its format. */
import type { Outlet } from '../outlet.ts';
import { listingPage } from '../pages/listing.ts';
import { atom } from './atom.ts';
import type { Document, Edition } from './document.ts';
import { jsonFeed } from './json-feed.ts';
import { rdf } from './rdf.ts';
import { rss } from './rss.ts';
import { sitemap } from './sitemap.ts';

const FORMATS: Record<Outlet['format'], (edition: Edition) => Document | Promise<Document>> = {
  rss,
  atom,
  rdf,
  json_feed: jsonFeed,
  sitemap,
  listing: listingPage,
};

export const publication = async (edition: Edition): Promise<Document> => FORMATS[edition.outlet.format](edition);
