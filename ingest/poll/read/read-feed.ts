/**
 * Feeds: RSS 0.9x, 1.0 and 2.0, Atom and CDF, distinguished by their elements, well-formed or not; JSON Feed 1.0 and
 * 1.1; news sitemaps, and the indexes that list them.
 */
import RssParser from 'rss-parser';
import { z } from 'zod';
import { firstSummary } from '../normalise/clean-text.ts';
import { PollError } from '../poll-error.ts';
import {
  atomBase,
  collectDates,
  type Entry,
  type Reading,
  resolveAddress,
  siteBase,
  takeNewestEntries,
} from './entry.ts';
import {
  child,
  childrenOf,
  childText,
  contentOf,
  declaredPrefixes,
  descendants,
  nameOf,
  readXml,
  textsOf,
  type XmlElement,
} from './xml-tree.ts';

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
  'itunes:summary',
  'googleplay:description',
  'dc:description',
  'itunes:subtitle',
];
/** Elements that may contain a description, as Media RSS allows. */
const HOLDERS = ['media:group', 'media:content'];
const OTHER_MEDIA_FILE = /\.(?:mp4|m4v|mov|webm|mkv|avi|flv|swf|m3u8|mpd|mp3|m4a|aac|og[agv]|wav|pdf)(?:[?#]|$)/i;
/** Elements that are read: where they contain markup, the order of its parts matters. */
const ELEMENTS_READ = new Set([
  ...PUBLISHED,
  ...CHANGED,
  ...TITLES,
  ...SUMMARIES,
  'media:description',
  'link',
  'guid',
  'id',
  'a',
]);

/** Relations may be written as addresses (RFC 4287, 4.2.7.2). */
const RELATIONS = /^https?:\/\/www\.iana\.org\/assignments\/(?:link-)?relations?\//;

/**
 * Reads an entry of RSS, RDF, Atom or CDF.
 * @param feedBase what its relative addresses are resolved against, unless it says otherwise
 */
function readEntry(element: XmlElement, feedBase: string): Entry {
  const base = resolveAddress(element.attributes['xml:base'], feedBase) ?? feedBase;
  const guid = child(element, 'guid', 'id');
  const id = (contentOf(guid).trim() || element.attributes['rdf:about']?.trim()) ?? null;
  const title = childText(element, ...TITLES);
  return {
    id: id || null,
    link: readLink(element, base) ?? linkFromId(guid, id, base) ?? lastResort(element, base),
    title,
    // A description that is only a picture must not hide the text next to it.
    summary: firstSummary(summariesOf(element), title),
    // CDF writes the date as an attribute.
    ...collectDates([...textsOf(element, ...PUBLISHED, ...CHANGED), element.attributes.lastmod]),
  };
}

/** Whether an element is a picture: by its medium or type, or where it states neither, unless its address says otherwise. */
function isPicture({ name, attributes: { medium, type, url } }: XmlElement): boolean {
  if (name === 'media:thumbnail') return true;
  if (name !== 'media:content') return false;
  const stated = (medium ?? type)?.trim().toLowerCase();
  return stated === undefined ? !OTHER_MEDIA_FILE.test(url ?? '') : /^image(?:\/|$)/.test(stated);
}

/** Whether an element holds pictures and no other media: what describes them is a caption, not the story. */
function holdsPicturesAlone(element: XmlElement): boolean {
  const media = childrenOf(element).filter(({ name }) => HOLDERS.includes(name) || name === 'media:thumbnail');
  return media.length > 0 && media.every((one) => isPicture(one) || holdsPicturesAlone(one));
}

/** The descriptions of the media in an entry, without captions of pictures (Media RSS 1.5.1, "media:description"). */
function* mediaDescriptions(element: XmlElement): Generator<string> {
  if (isPicture(element) || holdsPicturesAlone(element)) return;
  yield* textsOf(element, 'media:description');
  for (const one of childrenOf(element)) if (HOLDERS.includes(one.name)) yield* mediaDescriptions(one);
}

function* summariesOf(element: XmlElement): Generator<string> {
  yield* textsOf(element, ...SUMMARIES);
  yield* mediaDescriptions(element);
}

const relationOf = ({ attributes }: XmlElement): string =>
  (attributes.rel ?? 'alternate').trim().toLowerCase().replace(RELATIONS, '');

const hrefOf = (link: XmlElement | undefined, base: string): string | null =>
  link ? resolveAddress(link.attributes.href, resolveAddress(link.attributes['xml:base'], base) ?? base) : null;

/** The article: what FeedBurner hides behind itself, else the alternate link, else the first plain one. */
function readLink(element: XmlElement, base: string): string | null {
  const original = childText(element, 'feedburner:origlink');
  if (original) return resolveAddress(original, base);
  const links = childrenOf(element).filter(({ name }) => name === 'link');
  const written = links.find((link) => contentOf(link).trim());
  if (written) return resolveAddress(contentOf(written), resolveAddress(written.attributes['xml:base'], base) ?? base);
  const alternates = links.filter((link) => relationOf(link) === 'alternate' && link.attributes.href);
  const best = alternates.find(({ attributes }) => /html/i.test(attributes.type ?? 'text/html')) ?? alternates[0];
  // CDF: the item itself, or an anchor in it, has the address.
  return hrefOf(best, base) ?? hrefOf(element, base) ?? hrefOf(child(element, 'a'), base);
}

/** An id serves as the link where it is an address and does not deny it. */
function linkFromId(guid: XmlElement | undefined, id: string | null, base: string): string | null {
  const permanent = guid?.attributes.ispermalink?.trim().toLowerCase();
  if (!id || permanent === 'false') return null;
  return permanent === 'true' || /^https?:\/\//i.test(id) ? resolveAddress(id, base) : null;
}

/** Where nothing names an article: content at another address, or the entry's own address. */
function lastResort(element: XmlElement, base: string): string | null {
  const source = child(element, 'content')?.attributes.src;
  const self = childrenOf(element).find((link) => link.name === 'link' && relationOf(link) === 'self');
  return resolveAddress(source, base) ?? hrefOf(self, base);
}

// Well-formed feeds, read by rss-parser. `docs/decisions/written-by-hand.md` says what it does not read.

/** The tolerant reader, which is lighter, reads longer feeds. */
const MAX_STRICT_LENGTH = 1_000_000;

/**
 * What rss-parser does not support: own entities, and base addresses. Markup as elements, whose order it would lose,
 * shows only later, in `toXmlElement`.
 */
const NOT_SUPPORTED = /<!DOCTYPE|\bxml:base\s*=/i;

/** A tag so long may have thousands of attributes, whose cost in rss-parser's XML reader grows with their square. */
const LONG_TAG = /<[^\s<>!?][^<>]{8000}/;

/**
 * Marks the elements that `readEntry` reads. Without it rss-parser would read them too: it drops what we need of them
 * (isPermaLink, relations of links), refuses dates that it cannot read, and cuts snippets of text by expressions whose
 * time grows with the square of a hostile text.
 */
const MARK = 'raw ';

/** Elements of an entry that are read, whole: rss-parser copies them as custom fields. */
const CUSTOM_FIELDS = new Set([...ELEMENTS_READ, ...HOLDERS, 'feedburner:origlink'].map((name) => MARK + name));

/**
 * Reads the entries of a well-formed RSS 0.9x, 1.0, 2.0 or Atom feed.
 * @returns null where the tolerant reader is needed: rss-parser refuses the text, would read it worse, or found fewer
 *   entries than the text has
 */
async function readStrictFeed(text: string): Promise<XmlElement[] | null> {
  if (text.length > MAX_STRICT_LENGTH || NOT_SUPPORTED.test(text) || LONG_TAG.test(text)) return null;
  const written = text.match(/<(?:[\w.-]+:)?(?:item|entry)[\s>/]/gi)?.length ?? 0;
  const prefixes = declaredPrefixes(
    Object.fromEntries(
      [...text.matchAll(/\b(xmlns:[\w.-]+)\s*=\s*["']([^"']*)["']/g)].map(([, name, uri]) => [name, uri ?? '']),
    ),
  );
  const markRead = (tag: string): string => {
    const name = nameOf(tag.toLowerCase(), (prefix) =>
      Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined,
    );
    return CUSTOM_FIELDS.has(MARK + name) ? MARK + name : tag;
  };
  const parser = new RssParser<object, Record<string, unknown>>({
    xml2js: { tagNameProcessors: [markRead] },
    customFields: { item: ['$', ...CUSTOM_FIELDS].map((name) => [name, name, { keepArray: true }]) },
  });
  try {
    const { items } = await parser.parseString(text);
    if (items.length !== written) return null;
    return items.map((item) => {
      const fields = Object.entries(item).filter(([name]) => name === '$' || name.startsWith(MARK));
      return toXmlElement('item', Object.fromEntries(fields));
    });
  } catch {
    // The text is not well-formed, or no feed: the tolerant reader says which.
    return null;
  }
}

/**
 * The tree of an element as rss-parser's XML reader gives it: text alone, or attributes under `$`, text under `_`, and
 * lists of elements by name.
 * @throws where an element that is read holds others: their order would be lost
 */
function toXmlElement(name: string, parsed: unknown): XmlElement {
  if (typeof parsed !== 'object' || parsed === null) return { name, attributes: {}, children: [String(parsed ?? '')] };
  const { $: given, _: own, ...inside } = parsed as Record<string, unknown>;
  const attributes = Object.fromEntries(
    Object.entries((given as Record<string, string> | undefined) ?? {}).map(([key, value]) => [
      key.toLowerCase(),
      value,
    ]),
  );
  const children = Object.entries(inside).flatMap(([key, elements]) =>
    (elements as unknown[]).map((one) => toXmlElement(key.startsWith(MARK) ? key.slice(MARK.length) : key, one)),
  );
  if (ELEMENTS_READ.has(name) && children.length > 0) throw new Error(`${name} holds elements`);
  return { name, attributes, children: typeof own === 'string' ? [own, ...children] : children };
}

/** The text before it states the base of relative addresses. */
const FIRST_ENTRY = /<(?:[\w.-]+:)?(?:item|entry)[\s>/]|$/i;
const ROOTS = ['rss', 'rdf:rdf', 'rdf', 'feed', 'channel'] as const;

/**
 * Reads a feed: by rss-parser when it is well-formed and plain, else by the tolerant reader, which repairs.
 * @param url where it came from; relative links are resolved against the site that the feed names, else against it
 * @throws PollError html_instead_of_feed, not_a_feed; too_complex where a limit of structure left no entry
 */
export async function readFeed(text: string, url: string): Promise<Reading> {
  const strict = await readStrictFeed(text);
  if (strict) {
    const { base } = rootOf(readXml(text.slice(0, text.search(FIRST_ENTRY))), url);
    return { reader: 'rss-parser', entries: takeNewestEntries(strict.map((one) => readEntry(one, base))) };
  }
  const tree = readXml(text);
  const { root, base } = rootOf(tree, url);
  const entries = descendants(root, 'item', 'entry')
    // The last entry of a truncated response is incomplete: the next poll finds it whole.
    .filter(({ unfinished }) => !unfinished)
    .map((element) => readEntry(element, base));
  return { reader: 'tolerant', entries: takeNewestEntries(entries), ...cutOff(tree, entries) };
}

const TOO_COMPLEX = 'the feed has too many elements, or too deep ones, for a feed of news';
/** What is said of a feed that was read up to a limit. */
export const PARTLY_READ = `${TOO_COMPLEX}; the entries before the limit were read`;

/** @throws PollError too_complex where a limit of structure left no entry */
function cutOff({ limited }: XmlElement, entries: readonly Entry[]): Pick<Reading, 'isCutOff'> {
  if (!limited) return {};
  if (entries.length === 0) throw new PollError('too_complex', TOO_COMPLEX);
  return { isCutOff: true };
}

function rootOf(top: XmlElement, url: string): { root: XmlElement; base: string } {
  const root = descendants(top, ...ROOTS)[0];
  if (root) return { root, base: baseOf(root, url) };
  if (descendants(top, 'html', 'body', 'head').length > 0)
    throw new PollError(
      'html_instead_of_feed',
      'the response is a web page, not a feed; look for the new address of the feed',
    );
  // What was before the first entry may be lost.
  if (descendants(top, 'item').length > 0) return { root: top, base: url };
  throw new PollError('not_a_feed', 'the response is neither RSS nor Atom');
}

/** The base that the root states, or its channel; `base` is that of CDF. Else the site, which RSS 1.0 has in a sibling. */
function baseOf(root: XmlElement, url: string): string {
  const channel = child(root, 'channel') ?? (root.name === 'channel' ? root : undefined);
  const outer = root.attributes['xml:base'] ?? root.attributes.base;
  const stated = channel?.attributes['xml:base'];
  if (outer !== undefined || stated !== undefined) {
    const base = resolveAddress(outer, url) ?? url;
    return resolveAddress(stated, base) ?? base;
  }
  if (root.name === 'feed') {
    const links = childrenOf(root).filter(({ name, attributes }) => name === 'link' && attributes.href);
    const site = links.find(({ attributes: { rel } }) => rel === undefined || rel === 'alternate');
    return atomBase(site?.attributes.href, url);
  }
  return siteBase(channel && (childText(channel, 'link') ?? channel.attributes.href), url);
}

/** Text with something in it; white space alone counts as none. */
const Text = z
  .union([z.string(), z.number().transform(String)])
  .transform((text) => text.trim() || null)
  .nullish()
  .catch(null);
const JsonItem = z.looseObject({
  id: Text,
  url: Text,
  external_url: Text,
  title: Text,
  summary: Text,
  content_text: Text,
  content_html: Text,
  date_published: Text,
  date_modified: Text,
});
const JsonFeed = z.looseObject({ items: z.array(z.unknown()), home_page_url: Text });

/**
 * Reads a JSON Feed.
 * @throws PollError not_a_feed
 */
export function readJsonFeed(text: string, url: string): Reading {
  const feed = JsonFeed.safeParse(parsed(text));
  if (!feed.success)
    throw new PollError('not_a_feed', 'the response is JSON, but no JSON Feed: it has no list "items"');
  const base = siteBase(feed.data.home_page_url, url);
  const entries = feed.data.items.map((entry) => {
    const item = JsonItem.safeParse(entry).data ?? {};
    return {
      id: item.id || null,
      link: resolveAddress(item.url || item.external_url, base),
      title: item.title || null,
      summary: firstSummary([item.summary, item.content_text, item.content_html], item.title ?? null),
      ...collectDates([item.date_published, item.date_modified]),
    };
  });
  return { entries: takeNewestEntries(entries) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Of a JSON.parse error only the fact matters: its message quotes the outlet.
    throw new PollError('not_a_feed', 'the response is not JSON');
  }
}

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
  return { entries: takeNewestEntries(entries), ...cutOff(top, entries) };
}
