/** XML as a tree, however malformed, and queries on it. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { isElement } from '../normalise/clean-text.ts';

// Raw ampersands, unquoted attributes, missing end tags and text around the document are accepted. Only the five entities
// of XML and numeric ones are replaced, so nothing external is read and nothing expands.

export interface XmlElement {
  /** Lower case, with the usual prefix of its namespace: `item`, `dc:date`. Atom, RSS 1.0 and sitemaps have none. */
  readonly name: string;
  /** By lower-case name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
  /** Set where the text ends, or reading does, before the element does: the rest of it is missing. */
  readonly unfinished?: true;
  /** Set on the whole where reading stopped at a limit of structure. */
  readonly limited?: true;
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

/** Deeper elements are skipped. */
const MAX_DEPTH = 100;
/** Reading stops at these limits, with what was read so far. */
const MAX_ELEMENTS = 400_000;
const MAX_TOO_DEEP = 2_000;
/** Further attributes are ignored: of one element, and of a whole text. */
const MAX_ATTRIBUTES = 200;
const MAX_ATTRIBUTES_IN_ALL = 400_000;

class LimitReached extends Error {}
/** Entries are never inside one another; where an end is missing, the next one ends the one before. */
const ENTRIES = new Set(['item', 'entry', 'url', 'sitemap']);

/** The usual prefixes of those that an element declares. Scopes are linked, so that no element copies the outer ones. */
interface Scope {
  readonly own: Readonly<Record<string, string>>;
  readonly outer: Scope | null;
}

interface GrowingElement extends XmlElement {
  readonly children: (XmlElement | string)[];
  unfinished?: true;
  limited?: true;
}

/** An element whose end has not come yet. What only the reading of its inside needs is dropped with its end. */
interface OpenElement {
  readonly element: GrowingElement;
  /** The name as written, which its end tag repeats. */
  readonly written: string;
  readonly scope: Scope | null;
}

/** Reads text as XML. @returns a nameless element around the top level */
export function readXml(text: string): XmlElement {
  const builder = new TreeBuilder(text);
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, builder);
  try {
    tokenizer.write(text);
    tokenizer.end();
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    builder.stop();
  }
  return builder.finish();
}

/** Elements whose content is text that people read. */
const TEXTS = new Set(['title', 'description', 'summary', 'content', 'content:encoded']);

/** Builds the tree from tokens with a stack of its own, whose cost does not grow with unclosed elements. */
class TreeBuilder implements TokenizerCallbacks {
  readonly #text: string;
  readonly #top: GrowingElement = { name: '', attributes: {}, children: [] };
  readonly #open: OpenElement[] = [{ element: this.#top, written: '', scope: null }];
  /** Names of open elements that are too deep to be kept. */
  readonly #tooDeep: string[] = [];
  #elements = 0;
  #attributesInAll = 0;
  /** The tag that is being read. */
  #tag = '';
  #attributes: Record<string, string> = {};
  #count = 0;
  #attribute = '';
  #value = '';

  constructor(text: string) {
    this.#text = text;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#text.slice(start, end);
    this.#attributes = {};
    this.#count = 0;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#text.slice(start, end);
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#text.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#count >= MAX_ATTRIBUTES || this.#attributesInAll >= MAX_ATTRIBUTES_IN_ALL) return;
    this.#count += 1;
    this.#attributesInAll += 1;
    const name = this.#attribute.toLowerCase();
    if (!Object.hasOwn(this.#attributes, name)) this.#attributes[name] = this.#value;
  }

  onopentagend(): void {
    if (++this.#elements > MAX_ELEMENTS || this.#tooDeep.length > MAX_TOO_DEEP) throw new LimitReached();
    if (this.#open.length > MAX_DEPTH) {
      this.#tooDeep.push(this.#tag);
      return;
    }
    const attributes = this.#attributes;
    const scope = withDeclared(attributes, this.#innermost().scope);
    const name = nameOf(this.#tag.toLowerCase(), (prefix) => usualPrefix(prefix, scope));
    if (ENTRIES.has(name)) {
      const unended = this.#open.findLastIndex(({ element }) => element.name === name);
      if (unended > 0) this.#open.length = unended;
    }
    const element: GrowingElement = { name, attributes, children: [] };
    this.#innermost().element.children.push(element);
    this.#open.push({ element, written: this.#tag, scope });
  }

  onselfclosingtag(): void {
    this.onopentagend();
    if (this.#tooDeep.pop() === undefined) this.#open.pop();
  }

  onclosetag(start: number, end: number): void {
    const written = this.#text.slice(start, end);
    const tooDeep = this.#tooDeep.lastIndexOf(written);
    if (tooDeep >= 0) {
      this.#tooDeep.length = tooDeep;
      return;
    }
    const ended = this.#open.findLastIndex((one) => one.written === written);
    if (ended <= 0) return;
    const unended = ended + 1 < this.#open.length;
    if (unended && this.#open.slice(0, ended + 1).some(({ element }) => TEXTS.has(element.name)))
      this.#keepNames(ended + 1);
    this.#open.length = ended;
    this.#tooDeep.length = 0;
  }

  ontext(start: number, end: number): void {
    this.#addText(this.#text.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#addText(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#addText(this.#text.slice(start, end - endOffset));
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Marks the tree as one that a limit cut off. */
  stop(): void {
    this.#top.limited = true;
  }

  /** Marks what is still open. @returns the tree */
  finish(): XmlElement {
    for (const { element } of this.#open.slice(1)) element.unfinished = true;
    return this.#top;
  }

  /**
   * Text in angle brackets that is no element of markup, has no attributes and no end tag is a name, such as
   * `<NSE:NYKAA>`: it is text.
   */
  #keepNames(from: number): void {
    for (const { element, written } of this.#open.slice(from))
      if (!isElement(written) && !TEXTS.has(element.name) && Object.keys(element.attributes).length === 0)
        element.children.unshift(`<${written}>`);
  }

  #innermost(): OpenElement {
    return this.#open.at(-1) as OpenElement;
  }

  #addText(text: string): void {
    if (this.#tooDeep.length === 0) this.#innermost().element.children.push(text);
  }
}

function withDeclared(attributes: Readonly<Record<string, string>>, outer: Scope | null): Scope | null {
  const declared = Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (declared.length === 0) return outer;
  const own = declaredPrefixes(Object.fromEntries(declared));
  return Object.keys(own).length === 0 ? outer : { own, outer };
}

function usualPrefix(prefix: string, scope: Scope | null): string | undefined {
  for (let one = scope; one; one = one.outer) if (Object.hasOwn(one.own, prefix)) return one.own[prefix];
  return undefined;
}

/** From declarations such as `xmlns:d="http://purl.org/dc/elements/1.1/"`: the usual prefix of each written one. */
export function declaredPrefixes(declared: Readonly<Record<string, string>>): Record<string, string> {
  const prefixes = Object.entries(declared).flatMap(([name, uri]) => {
    const prefix = PREFIXES[uri.trim().toLowerCase()];
    return prefix === undefined ? [] : [[name.slice('xmlns:'.length), prefix] as const];
  });
  return Object.fromEntries(prefixes);
}

/**
 * The name of an element under the usual prefix of its namespace.
 * @param written in lower case
 * @param usual the usual prefix for a written one, undefined for one that is not declared or not known
 */
export function nameOf(written: string, usual: (prefix: string) => string | undefined): string {
  const colon = written.indexOf(':');
  const local = written.slice(colon + 1);
  const prefix = colon < 0 ? '' : written.slice(0, colon);
  const usualPrefix = usual(prefix) ?? prefix;
  return usualPrefix ? `${usualPrefix}:${local}` : local;
}

/** Its elements, without the text between them. */
export const childrenOf = (element: XmlElement): XmlElement[] =>
  element.children.filter((child) => typeof child !== 'string');

/** The first child of one of these names, in the order of the names. */
export function child(element: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  const children = childrenOf(element);
  for (const name of names) {
    const match = children.find((one) => one.name === name);
    if (match) return match;
  }
  return undefined;
}

/** All elements of these names below an element, in the order of the text, none inside another. */
export function descendants(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return childrenOf(element).flatMap((one) => (names.includes(one.name) ? [one] : descendants(one, ...names)));
}

const BLOCKS = /^(p|div|br|li|ul|ol|h[1-6]|tr|td|table|blockquote|section|article|figure|title|description)$/;

/** Elements without text for readers. */
const UNREAD = /^(script|style|template)$/;

/** The text in an element without its markup; blocks are separated by a space. */
function textOf(element: XmlElement | undefined): string {
  if (!element || UNREAD.test(element.name)) return '';
  return element.children
    .map((one) => (typeof one === 'string' ? one : BLOCKS.test(one.name) ? ` ${textOf(one)} ` : textOf(one)))
    .join('');
}

/** Base64 content: Atom 0.3 states it by its mode, Atom 1.0 by a type that is neither text nor XML (RFC 4287, 4.1.3). */
function isBase64({ name, attributes: { mode, type = '' } }: XmlElement): boolean {
  if (mode !== undefined) return mode.trim().toLowerCase() === 'base64';
  return name === 'content' && /^[\w.+-]+\/[\w.+-]+$/.test(type) && !/^text\/|[+/]xml$|html/i.test(type);
}

/** The text of an element, decoded where it is base64. */
export function contentOf(element: XmlElement | undefined): string {
  const text = textOf(element);
  if (!element || !isBase64(element)) return text;
  const packed = text.replace(/\s+/g, '');
  return /^[\w+/-]+=*$/.test(packed) ? Buffer.from(packed, 'base64').toString('utf8') : text;
}

/** The text of the first child of these names that has any. */
export function childText(element: XmlElement, ...names: readonly string[]): string | null {
  for (const text of textsOf(element, ...names)) return text;
  return null;
}

/** The texts of all children of these names that have any, in the order of the names; computed lazily. */
export function* textsOf(element: XmlElement, ...names: readonly string[]): Generator<string> {
  const children = childrenOf(element);
  for (const name of names)
    for (const one of children) {
      const text = one.name === name ? contentOf(one).trim() : '';
      if (text) yield text;
    }
}
