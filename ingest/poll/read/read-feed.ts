/** RSS 0.9x, 1.0 and 2.0, Atom and CDF, told apart by their elements, well-formed or not. */

import { PollError } from '../poll-error.ts';
import { MOST_ENTRIES, type Reading, resolved } from './entry.ts';
import { readEntry } from './read-entry.ts';
import { readStrictFeed } from './strict-feed.ts';
import { child, descendants } from './xml-query.ts';
import { readXml, type XmlElement } from './xml-tree.ts';

const ROOTS = ['rss', 'rdf:rdf', 'rdf', 'feed', 'channel'] as const;

/**
 * Reads a feed: by rss-parser when it is well-formed and plain, else by the tolerant reader, which repairs.
 * @param url where it came from; relative links are resolved against it
 * @throws PollError html_instead_of_feed, not_a_feed
 */
export async function readFeed(text: string, url: string): Promise<Reading> {
  const strict = await readStrictFeed(text);
  if (strict) return { reader: 'rss-parser', entries: strict.slice(0, MOST_ENTRIES).map((one) => readEntry(one, url)) };
  const { root, base } = rootOf(readXml(text), url);
  const entries = descendants(root, 'item', 'entry')
    .slice(0, MOST_ENTRIES)
    .map((element) => readEntry(element, base));
  return { reader: 'tolerant', entries };
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

/** The base that the root states, or its channel; `base` is that of CDF. */
function baseOf(root: XmlElement, url: string): string {
  const base = resolved(root.attributes['xml:base'] ?? root.attributes.base, url) ?? url;
  return resolved(child(root, 'channel')?.attributes['xml:base'], base) ?? base;
}
