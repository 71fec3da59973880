/** Fetches the articles of a listing that gives no dates, few at a time and each only once. */

import type { Fetching } from './fetch-entries.ts';
import { canonicalUrl } from './items/canonical-url.ts';
import { known, type Listed } from './listed.ts';
import type { Entry } from './read/entry.ts';
import { sharedPageReader } from './read/page-reader.ts';

/** Of one poll; what is left over comes with the next ones. */
const MOST_ARTICLES = 10;

/**
 * Fills the gaps of new entries without a date from their own pages.
 * An entry that is known already, or whose turn has not come, is left out: it would count as an edit otherwise.
 * @param listed what the source listed before
 * @returns the entries that are complete; the item keys of entries that are known already and were left out, which the
 *   source still lists; and whether others wait for the next poll
 */
export async function fetchArticles(
  entries: readonly Entry[],
  listed: Listed | null,
  base: string,
  fetching: Fetching,
): Promise<{ entries: Entry[]; stillListed: string[]; waiting: boolean }> {
  const complete: Entry[] = [];
  const stillListed: string[] = [];
  let fetched = 0;
  let waiting = false;
  for (const entry of entries) {
    const key = entry.link && canonicalUrl(entry.link, base);
    if (entry.date || !entry.link || !key) complete.push(entry);
    else if (known(listed, key) !== null) stillListed.push(key);
    else if (fetched === MOST_ARTICLES) waiting = true;
    else {
      fetched += 1;
      // The listing's own address stays the key, whatever the article calls itself.
      complete.push({ ...(await articleOf({ ...entry, link: key }, fetching)), id: key });
    }
  }
  return { entries: complete, stillListed, waiting };
}

async function articleOf(entry: Entry, { fetchPage, signal, reader = sharedPageReader() }: Fetching): Promise<Entry> {
  try {
    const page = await fetchPage({ url: entry.link ?? '', signal });
    if (page.status !== 200) return entry;
    return await reader.run('readArticle', { page, entry }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    // An article that cannot be had leaves the entry as the listing has it.
    return entry;
  }
}
