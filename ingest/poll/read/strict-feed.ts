/** Feeds that keep to the rules, read by rss-parser. */
import RssParser from 'rss-parser';
import { READ } from './read-entry.ts';
import { declaredPrefixes, nameOf, type XmlElement } from './xml-tree.ts';

/** An element as rss-parser's XML reader gives it: text alone, or attributes, text and elements by name. */
type Parsed = string | { readonly [name: string]: unknown };

interface Whole {
  readonly element: Parsed;
}

/**
 * rss-parser with its entries left whole. Its own reading of an entry drops what we need (isPermaLink, relations of
 * links), throws on dates it cannot read, and cuts snippets by expressions whose time grows with the square of a
 * hostile text.
 */
class WholeEntries extends RssParser<object, Whole> {
  parseItemRss(element: Parsed): Whole {
    return { element };
  }
  parseItemAtom(element: Parsed): Whole {
    return { element };
  }
}

/** Beyond it the tolerant reader, which is lighter, goes first. */
const LONGEST = 1_000_000;

/**
 * What rss-parser knows nothing of, so that it is not asked: own entities, and bases for addresses. Markup as elements,
 * whose order it would lose, shows only later, in `treeOf`.
 */
const NOT_FOR_IT = /<!DOCTYPE|\bxml:base\s*=/i;

/** A tag so long may have thousands of attributes, whose cost in rss-parser's XML reader grows with their square. */
const LONG_TAG = /<[^\s<>!?][^<>]{8000}/;

/**
 * Reads the entries of a well-formed RSS 0.9x, 1.0, 2.0 or Atom feed.
 * @returns null where the tolerant reader has to be asked: rss-parser refuses the text, would read it worse, or found
 *   fewer entries than the text has
 */
export async function readStrictFeed(text: string): Promise<XmlElement[] | null> {
  if (text.length > LONGEST || NOT_FOR_IT.test(text) || LONG_TAG.test(text)) return null;
  const written = text.match(/<(?:[\w.-]+:)?(?:item|entry)[\s>/]/gi)?.length ?? 0;
  try {
    const { items } = await new WholeEntries().parseString(text);
    if (items.length !== written) return null;
    const prefixes = declaredPrefixes(
      Object.fromEntries(
        [...text.matchAll(/\b(xmlns:[\w.-]+)\s*=\s*["']([^"']*)["']/g)].map(([, name, uri]) => [name, uri ?? '']),
      ),
    );
    return items.map(({ element }) => treeOf('item', element, prefixes));
  } catch {
    return null;
  }
}

type Prefixes = Readonly<Record<string, string>>;

/** @throws where an element that is read holds others: it would come back in another order */
function treeOf(name: string, element: unknown, prefixes: Prefixes): XmlElement {
  if (typeof element !== 'object' || element === null)
    return { name, attributes: {}, children: [String(element ?? '')] };
  const { $: given, _: own, ...inside } = element as Record<string, unknown>;
  const attributes = Object.fromEntries(
    Object.entries((given as Record<string, string> | undefined) ?? {}).map(([key, value]) => [
      key.toLowerCase(),
      value,
    ]),
  );
  const children = Object.entries(inside).flatMap(([written, elements]) =>
    (elements as unknown[]).map((one) =>
      treeOf(
        nameOf(written.toLowerCase(), (prefix) => (Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined)),
        one,
        prefixes,
      ),
    ),
  );
  if (READ.has(name) && children.length > 0) throw new Error(`${name} holds elements`);
  return { name, attributes, children: typeof own === 'string' ? [own, ...children] : children };
}
