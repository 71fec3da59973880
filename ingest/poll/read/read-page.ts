/** From a page to its entries, by the kind of the source. */
import type { Source } from '../../../schemas/source.ts';
import { decodeBody } from '../fetch/decode.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { PollError } from '../poll-error.ts';
import { type Reading, resolved } from './entry.ts';
import { readFeed } from './read-feed.ts';
import { readJsonFeed } from './read-json-feed.ts';
import { readListing } from './read-listing.ts';
import { readNewsSitemap } from './read-news-sitemap.ts';

/**
 * Reads the entries of a fetched page.
 * @throws PollError
 */
export async function readPage(
  page: Pick<Page, 'url' | 'headers' | 'body'>,
  source: Pick<Source, 'kind' | 'selectors'>,
): Promise<Reading> {
  const { text, encoding } = decodeBody(page.body, page.headers['content-type']);
  if (text.trim() === '') throw new PollError('empty', 'the answer is empty');
  try {
    const base = resolved(page.headers['content-location'], page.url) ?? page.url;
    return { ...(await read(text, base, source)), encoding };
  } catch (error) {
    if (error instanceof PollError) throw error;
    // Whatever a hostile page breaks is its own poll, and no other.
    throw new PollError('unreadable', `the page cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function read(
  text: string,
  url: string,
  { kind, selectors }: Pick<Source, 'kind' | 'selectors'>,
): Promise<Reading> {
  switch (kind) {
    case 'html':
      if (!selectors) throw new PollError('no_selectors', 'a source of kind html needs selectors in the roster');
      return readListing(text, url, selectors);
    case 'news_sitemap':
      return readNewsSitemap(text, url);
    case 'json_feed':
    case 'rss':
    case 'atom':
      return /^\s*[{[]/.test(text) ? readJsonFeed(text, url) : readFeed(text, url);
  }
}
