/** Finds the feeds of a site from its address. */
import type { SourceKind } from '../../schemas/source.ts';
import type { FetchPage, Page } from './fetch/fetch-page.ts';
import type { Fetching } from './fetch-entries.ts';
import { PollError } from './poll-error.ts';
import type { NamedFeed } from './read/named-feeds.ts';
import { type PageReader, sharedPageReader } from './read/page-reader.ts';

export interface DiscoveredFeed extends NamedFeed {
  /** Entries that it lists now. */
  readonly entries: number;
}

/** Where feeds stand on sites that do not say so. */
const USUAL: readonly (readonly [path: string, kind: SourceKind])[] = [
  ['/feed', 'rss'],
  ['/rss', 'rss'],
  ['/rss.xml', 'rss'],
  ['/atom.xml', 'atom'],
  ['/feed.json', 'json_feed'],
  ['/news-sitemap.xml', 'news_sitemap'],
];

/**
 * Looks at a page for the feeds that it names, then at the usual places. Each one found was read.
 * @param address of a site, a page or a feed itself
 * @throws PollError when the page cannot be had, or one of the site breaks a limit of the page reader
 */
export async function discoverFeeds(
  address: string,
  fetchPage: FetchPage,
  signal: AbortSignal,
  reader: PageReader = sharedPageReader(),
): Promise<DiscoveredFeed[]> {
  const fetching = { fetchPage, signal, reader };
  const page = await fetchPage({ url: address, signal });
  const itself = await entriesOf(page, 'rss', fetching);
  if (itself !== null) return [{ url: page.url, kind: 'rss', title: null, entries: itself }];
  const named = page.status === 200 ? await reader.run('namedFeeds', { page }, signal) : [];
  const found = await readable(named, fetching);
  if (found.length > 0) return found;
  const usual = USUAL.map(([path, kind]) => ({ url: new URL(path, page.url).href, kind, title: null }));
  return readable(usual, fetching);
}

async function readable(candidates: readonly NamedFeed[], fetching: Required<Fetching>): Promise<DiscoveredFeed[]> {
  const found: DiscoveredFeed[] = [];
  for (const candidate of candidates) {
    try {
      const page = await fetching.fetchPage({ url: candidate.url, signal: fetching.signal });
      const entries = await entriesOf(page, candidate.kind, fetching);
      if (entries !== null) found.push({ ...candidate, url: page.movedTo ?? candidate.url, entries });
    } catch (error) {
      if (!(error instanceof PollError) || BROKE_A_LIMIT.test(error.code)) throw error;
    }
  }
  return found;
}

/** A site that broke a limit of the page reader once is not asked for more. */
const BROKE_A_LIMIT = /^reading_/;

/** How many entries a page lists, null when it is no feed of the kind. */
async function entriesOf(page: Page, kind: SourceKind, { reader, signal }: Required<Fetching>): Promise<number | null> {
  if (page.status !== 200) return null;
  try {
    const { entries, parts } = await reader.run('readPage', { page, source: { kind } }, signal);
    return entries.length + (parts?.length ?? 0);
  } catch (error) {
    if (error instanceof PollError && !BROKE_A_LIMIT.test(error.code)) return null;
    throw error;
  }
}
