/**
 * XML as a tree, whatever its state: raw ampersands, unquoted attributes, missing ends and text around it do not
 * matter. No entity but the five of XML and numbers is ever replaced, so nothing external is read and nothing expands.
 */
import { Parser } from 'htmlparser2';

export interface XmlElement {
  /** Lower case, with the usual prefix of its namespace: `item`, `dc:date`. Atom, RSS 1.0 and sitemaps have none. */
  readonly name: string;
  /** By lower-case name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

/** Prefixes under which the readers know a namespace, whatever a feed calls it. */
const PREFIXES: Record<string, string> = {
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://purl.org/dc/elements/1.0/': 'dc',
  'http://purl.org/dc/terms/': 'dcterms',
  'http://purl.org/rss/1.0/modules/content/': 'content',
  'http://rssnamespace.org/feedburner/ext/1.0': 'feedburner',
  'http://www.google.com/schemas/sitemap-news/0.9': 'news',
  'http://search.yahoo.com/mrss/': 'media',
  'http://search.yahoo.com/mrss': 'media',
  'http://www.rssboard.org/media-rss': 'media',
  'http://www.w3.org/xml/1998/namespace': 'xml',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf',
  'http://www.w3.org/2005/atom': '',
  'http://purl.org/atom/ns#': '',
  'http://purl.org/rss/1.0/': '',
  'http://my.netscape.com/rdf/simple/0.9/': '',
  'http://channel.netscape.com/rdf/simple/0.9/': '',
  'http://purl.org/net/rss1.1#': '',
  'http://my.netscape.com/publish/formats/rss-0.91.dtd': '',
  'http://backend.userland.com/rss': '',
  'http://backend.userland.com/rss2': '',
  'http://backend.userland.com/rss091': '',
  'http://backend.userland.com/rss092': '',
  'http://blogs.law.harvard.edu/tech/rss': '',
  'http://purl.org/echo/': '',
  'http://purl.org/pie/': '',
  'http://example.com/newformat#': '',
  'http://www.sitemaps.org/schemas/sitemap/0.9': '',
  'http://www.w3.org/1999/xhtml': '',
};

/** Deeper elements are passed over. */
const DEEPEST = 100;
/** Here reading ends, with what was read so far: a hostile page costs itself only. */
const MOST_ELEMENTS = 400_000;
const MOST_TOO_DEEP = 2_000;

class Enough extends Error {}
/** Entries never stand in one another; where an end is missing, the next one ends the one before. */
const ENTRIES = new Set(['item', 'entry', 'url', 'sitemap']);

interface Open extends XmlElement {
  readonly written: string;
  readonly children: (XmlElement | string)[];
  readonly prefixes: Readonly<Record<string, string>>;
}

/** Reads text as XML. @returns a nameless element that holds what stands at the top */
export function readXml(text: string): XmlElement {
  const top: Open = { name: '', written: '', attributes: {}, children: [], prefixes: {} };
  const open: Open[] = [top];
  let tooDeep = 0;
  let elements = 0;
  const here = (): Open => open.at(-1) ?? top;
  const parser = new Parser(
    {
      onopentag(written, given) {
        if (++elements > MOST_ELEMENTS || tooDeep > MOST_TOO_DEEP) throw new Enough();
        if (open.length > DEEPEST) {
          tooDeep += 1;
          return;
        }
        const attributes = lowerCased(given);
        const prefixes = withDeclared(attributes, here().prefixes);
        const name = nameOf(written.toLowerCase(), prefixes);
        if (ENTRIES.has(name)) {
          const unended = open.findLastIndex((element) => element.name === name);
          if (unended > 0) open.length = unended;
        }
        const element: Open = { name, written, attributes, children: [], prefixes };
        here().children.push(element);
        open.push(element);
      },
      ontext(data) {
        if (tooDeep === 0) here().children.push(data);
      },
      onclosetag(written) {
        if (tooDeep > 0) {
          tooDeep -= 1;
          return;
        }
        const ended = open.findLastIndex((element) => element.written === written);
        if (ended > 0) open.length = ended;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  try {
    parser.end(text);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return top;
}

const lowerCased = (attributes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]));

function withDeclared(attributes: Record<string, string>, outer: Readonly<Record<string, string>>) {
  const declared = Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  return declared.length === 0 ? outer : { ...outer, ...declaredPrefixes(Object.fromEntries(declared)) };
}

/** From declarations such as `xmlns:d="http://purl.org/dc/elements/1.1/"`: the usual prefix of each written one. */
export function declaredPrefixes(declared: Readonly<Record<string, string>>): Record<string, string> {
  const known = Object.entries(declared).flatMap(([name, uri]) => {
    const prefix = PREFIXES[uri.trim().toLowerCase()];
    return prefix === undefined ? [] : [[name.slice('xmlns:'.length), prefix] as const];
  });
  return Object.fromEntries(known);
}

/** The name of an element under the usual prefix of its namespace. @param written in lower case */
export function nameOf(written: string, prefixes: Readonly<Record<string, string>>): string {
  const colon = written.indexOf(':');
  const local = written.slice(colon + 1);
  const prefix = colon < 0 ? '' : written.slice(0, colon);
  const usual = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : prefix;
  return usual ? `${usual}:${local}` : local;
}
