/** News sitemaps, and the indexes that list them. */
import { PollError } from '../poll-error.ts';
import { collectDates, type Reading, resolveAddress, takeNewestEntries } from './entry.ts';
import { child, childText, descendants, readXml, textsOf } from './xml-tree.ts';

/** Sitemaps of an index that one poll reads: the newest. */
const MAX_PARTS = 3;

/**
 * Reads a sitemap.
 * @returns its entries, or for an index the addresses of the newest sitemaps in it
 * @throws PollError not_a_sitemap
 */
export function readNewsSitemap(text: string, url: string): Reading {
  const top = readXml(text);
  const index = descendants(top, 'sitemapindex')[0];
  if (index) {
    const listed = descendants(index, 'sitemap').map((part) => ({
      address: resolveAddress(childText(part, 'loc'), url),
      changed: childText(part, 'lastmod') ?? '',
    }));
    const newest = listed.toSorted((one, other) => other.changed.localeCompare(one.changed));
    return { entries: [], parts: newest.flatMap(({ address }) => address ?? []).slice(0, MAX_PARTS) };
  }
  const set = descendants(top, 'urlset')[0];
  if (!set) throw new PollError('not_a_sitemap', 'the response is not a sitemap');
  const entries = descendants(set, 'url')
    .filter(({ unfinished }) => !unfinished)
    .map((element) => {
      const news = child(element, 'news:news') ?? element;
      return {
        id: null,
        link: resolveAddress(childText(element, 'loc'), url),
        title: childText(news, 'news:title', 'title'),
        summary: null,
        ...collectDates([
          ...textsOf(news, 'news:publication_date', 'publication_date'),
          ...textsOf(element, 'lastmod'),
        ]),
      };
    });
  return { entries: takeNewestEntries(entries) };
}
