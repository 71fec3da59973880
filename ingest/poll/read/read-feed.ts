/** RSS 0.9x, 1.0 and 2.0, Atom and CDF, told apart by their elements, well-formed or not. */

import { PollError } from '../poll-error.ts';
import { atomBase, newestEntries, type Reading, resolved, siteBase } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { readStrictFeed } from './strict-feed.ts';
import { child, childrenOf, childText, descendants } from './xml-query.ts';
import { readXml, type XmlElement } from './xml-tree.ts';

/** What is before it says what relative addresses are resolved against. */
const FIRST_ENTRY = /<(?:[\w.-]+:)?(?:item|entry)[\s>/]|$/i;
const ROOTS = ['rss', 'rdf:rdf', 'rdf', 'feed', 'channel'] as const;

/**
 * Reads a feed: by rss-parser when it is well-formed and plain, else by the tolerant reader, which repairs.
 * @param url where it came from; relative links are resolved against the site that the feed names, else against it
 * @throws PollError html_instead_of_feed, not_a_feed
 */
export async function readFeed(text: string, url: string): Promise<Reading> {
  const strict = await readStrictFeed(text);
  if (strict) {
    const { base } = rootOf(readXml(text.slice(0, text.search(FIRST_ENTRY))), url);
    return { reader: 'rss-parser', entries: newestEntries(strict.map((one) => readEntry(one, base))) };
  }
  const { root, base } = rootOf(readXml(text), url);
  const entries = descendants(root, 'item', 'entry')
    // Of an answer that was cut off, the last entry is half an entry: the next poll finds it whole.
    .filter(({ unfinished }) => !unfinished)
    .map((element) => readEntry(element, base));
  return { reader: 'tolerant', entries: newestEntries(entries) };
}

function rootOf(top: XmlElement, url: string): { root: XmlElement; base: string } {
  const root = descendants(top, ...ROOTS)[0];
  if (root) return { root, base: baseOf(root, url) };
  if (descendants(top, 'html', 'body', 'head').length > 0)
    throw new PollError(
      'html_instead_of_feed',
      'a web page came where a feed was expected; look for the new address of the feed',
    );
  // What stood before the first entry may be lost.
  if (descendants(top, 'item').length > 0) return { root: top, base: url };
  throw new PollError('not_a_feed', 'what came is neither RSS nor Atom');
}

/** The base that the root states, or its channel; `base` is that of CDF. Else the site, which RSS 1.0 has in a sibling. */
function baseOf(root: XmlElement, url: string): string {
  const channel = child(root, 'channel') ?? (root.name === 'channel' ? root : undefined);
  const outer = root.attributes['xml:base'] ?? root.attributes.base;
  const stated = channel?.attributes['xml:base'];
  if (outer !== undefined || stated !== undefined) {
    const base = resolved(outer, url) ?? url;
    return resolved(stated, base) ?? base;
  }
  if (root.name === 'feed') {
    const links = childrenOf(root).filter(({ name, attributes }) => name === 'link' && attributes.href);
    const site = links.find(({ attributes: { rel } }) => rel === undefined || rel === 'alternate');
    return atomBase(site?.attributes.href, url);
  }
  return siteBase(channel && (childText(channel, 'link') ?? channel.attributes.href), url);
}
