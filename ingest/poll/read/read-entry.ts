/** One entry of a feed: which of its elements tell its title, address, id and date. */
import { firstSummary } from '../items/summary.ts';
import { datesOf, type Entry, resolved } from './entry.ts';
import { child, childrenOf, childText, contentOf, textsOf } from './xml-query.ts';
import type { XmlElement } from './xml-tree.ts';

const PUBLISHED = ['pubdate', 'published', 'issued', 'dc:date', 'dcterms:issued', 'dcterms:created', 'created'];
const CHANGED = ['updated', 'modified', 'dcterms:modified', 'date'];
const TITLES = ['title', 'dc:title', 'media:title'];
const SUMMARIES = [
  'description',
  'summary',
  'abstract',
  'excerpt:encoded',
  'content:encoded',
  'content',
  'body',
  'div',
  'media:description',
  'itunes:summary',
  'googleplay:description',
  'dc:description',
  'itunes:subtitle',
];
/** Elements that may hold a description of their own, as Media RSS allows. */
const HOLDERS = ['media:group', 'media:content'];
/** Elements that are read; what holds markup of its own must keep the order of its parts. */
export const READ = new Set([...PUBLISHED, ...CHANGED, ...TITLES, ...SUMMARIES, 'link', 'guid', 'id', 'a']);

/** Relations may be written as addresses (RFC 4287, 4.2.7.2). */
const RELATIONS = /^https?:\/\/www\.iana\.org\/assignments\/(?:link-)?relations?\//;

/**
 * Reads an entry of RSS, RDF, Atom or CDF.
 * @param feedBase what its relative addresses are resolved against, unless it says otherwise
 */
export function readEntry(element: XmlElement, feedBase: string): Entry {
  const base = resolved(element.attributes['xml:base'], feedBase) ?? feedBase;
  const guid = child(element, 'guid', 'id');
  const id = (contentOf(guid).trim() || element.attributes['rdf:about']?.trim()) ?? null;
  const title = childText(element, ...TITLES);
  return {
    id: id || null,
    link: linkOf(element, base) ?? linkFromId(guid, id, base) ?? lastResort(element, base),
    title,
    // A description that is only a picture must not hide the text beside it.
    summary: firstSummary(summariesOf(element), title),
    // CDF writes the date as an attribute.
    ...datesOf([...textsOf(element, ...PUBLISHED, ...CHANGED), element.attributes.lastmod]),
  };
}

function* summariesOf(element: XmlElement): Generator<string> {
  yield* textsOf(element, ...SUMMARIES);
  for (const holder of childrenOf(element))
    if (HOLDERS.includes(holder.name)) {
      yield* textsOf(holder, 'media:description');
      for (const inner of childrenOf(holder))
        if (HOLDERS.includes(inner.name)) yield* textsOf(inner, 'media:description');
    }
}

const relationOf = ({ attributes }: XmlElement): string =>
  (attributes.rel ?? 'alternate').trim().toLowerCase().replace(RELATIONS, '');

const hrefOf = (link: XmlElement | undefined, base: string): string | null =>
  link ? resolved(link.attributes.href, resolved(link.attributes['xml:base'], base) ?? base) : null;

/** The article: what FeedBurner hides behind itself, else the alternate link, else the first plain one. */
function linkOf(element: XmlElement, base: string): string | null {
  const original = childText(element, 'feedburner:origlink');
  if (original) return resolved(original, base);
  const links = childrenOf(element).filter(({ name }) => name === 'link');
  const written = links.find((link) => contentOf(link).trim());
  if (written) return resolved(contentOf(written), resolved(written.attributes['xml:base'], base) ?? base);
  const alternates = links.filter((link) => relationOf(link) === 'alternate' && link.attributes.href);
  const best = alternates.find(({ attributes }) => /html/i.test(attributes.type ?? 'text/html')) ?? alternates[0];
  // CDF: the item itself, or an anchor in it, has the address.
  return hrefOf(best, base) ?? hrefOf(element, base) ?? hrefOf(child(element, 'a'), base);
}

/** An id serves as the link where it is an address and does not deny it. */
function linkFromId(guid: XmlElement | undefined, id: string | null, base: string): string | null {
  const permanent = guid?.attributes.ispermalink?.trim().toLowerCase();
  if (!id || permanent === 'false') return null;
  return permanent === 'true' || /^https?:\/\//i.test(id) ? resolved(id, base) : null;
}

/** Where nothing names an article: content that stands elsewhere, or the entry's own address. */
function lastResort(element: XmlElement, base: string): string | null {
  const source = child(element, 'content')?.attributes.src;
  const self = childrenOf(element).find((link) => link.name === 'link' && relationOf(link) === 'self');
  return resolved(source, base) ?? hrefOf(self, base);
}
