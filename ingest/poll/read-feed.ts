/** RSS 0.9x, 1.0 and 2.0 and Atom, told apart by their elements, well-formed or not. */
import { type Entry, MOST_ENTRIES, type Reading, resolved } from './entry.ts';
import { PollError } from './poll-error.ts';
import { child, childrenOf, childText, descendants, textOf } from './xml-query.ts';
import { readXml, type XmlElement } from './xml-tree.ts';

const ROOTS = ['rss', 'rdf:rdf', 'rdf', 'feed', 'channel'] as const;
const PUBLISHED = ['pubdate', 'published', 'issued', 'dc:date', 'dcterms:issued', 'dcterms:created', 'created'];
const CHANGED = ['updated', 'modified', 'dcterms:modified', 'date'];

/**
 * Reads a feed.
 * @param url where it came from; relative links are resolved against it
 * @throws PollError html_instead_of_feed, not_a_feed
 */
export function readFeed(text: string, url: string): Reading {
  const top = readXml(text);
  const root = descendants(top, ...ROOTS)[0];
  if (!root) {
    if (descendants(top, 'html', 'body', 'head').length > 0)
      throw new PollError(
        'html_instead_of_feed',
        'a web page came where a feed was expected; look for the new address of the feed',
      );
    throw new PollError('not_a_feed', 'what came is neither RSS nor Atom');
  }
  const base = resolved(root.attributes['xml:base'], url) ?? url;
  const entries = descendants(root, 'item', 'entry')
    .slice(0, MOST_ENTRIES)
    .map((element) => readEntry(element, base));
  return { entries };
}

function readEntry(element: XmlElement, feedBase: string): Entry {
  const base = resolved(element.attributes['xml:base'], feedBase) ?? feedBase;
  const guid = child(element, 'guid', 'id');
  const id = textOf(guid).trim() || element.attributes['rdf:about']?.trim() || null;
  return {
    id,
    link: linkOf(element, base) ?? linkFromId(guid, id, base),
    title: titleOf(element),
    summary: childText(
      element,
      'description',
      'summary',
      'content:encoded',
      'content',
      'media:description',
      'dc:description',
    ),
    date: childText(element, ...PUBLISHED, ...CHANGED),
  };
}

const titleOf = (element: XmlElement): string | null => childText(element, 'title', 'dc:title', 'media:title');

/** The article: what FeedBurner hides behind itself, else the alternate link, else the first plain one. */
function linkOf(element: XmlElement, base: string): string | null {
  const original = childText(element, 'feedburner:origlink');
  if (original) return resolved(original, base);
  const links = childrenOf(element).filter(({ name }) => name === 'link');
  const written = links.map((link) => textOf(link).trim()).find(Boolean);
  if (written) return resolved(written, base);
  const alternates = links.filter(
    ({ attributes }) => (attributes.rel ?? 'alternate') === 'alternate' && attributes.href,
  );
  const best = alternates.find(({ attributes }) => /html/.test(attributes.type ?? 'text/html')) ?? alternates[0];
  return best ? resolved(best.attributes.href, resolved(best.attributes['xml:base'], base) ?? base) : null;
}

/** An id serves as the link where it is an address and does not deny it. */
function linkFromId(guid: XmlElement | undefined, id: string | null, base: string): string | null {
  if (!id || guid?.attributes.ispermalink?.toLowerCase() === 'false') return null;
  return /^https?:\/\//i.test(id) ? resolved(id, base) : null;
}
