/** Web pages: the entries of a listing page by the selectors of the roster, and the feeds that a page links to. */

import { load } from 'cheerio/slim';
import { is, select } from 'cheerio-select';
import { Parser } from 'htmlparser2';
import type { Selectors, SourceKind } from '../../../schemas/source.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { PollError } from '../poll-error.ts';
import { collectDates, entryTime, type Reading, resolveAddress, takeNewest } from './entry.ts';

const MAX_DEPTH = 1_000;
const MAX_ELEMENTS = 300_000;
const MAX_ATTRIBUTES = 600_000;

/**
 * Counts the elements of a page before its tree is built.
 * @throws PollError too_complex when the tree would be too deep or too large
 */
function checkPageSize(html: string): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  const tooComplex = (): PollError =>
    new PollError('too_complex', 'the page has too many elements, or too deep ones, for a page of news');
  const counting = {
    onopentagname() {
      depth += 1;
      elements += 1;
      if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw tooComplex();
    },
    onattribute() {
      attributes += 1;
      if (attributes > MAX_ATTRIBUTES) throw tooComplex();
    },
    onclosetag() {
      depth -= 1;
    },
  };
  // As pages are read: an element that closes itself does not contain what follows.
  new Parser(counting, { recognizeSelfClosing: true }).end(html);
}

type Tree = ReturnType<typeof load>;
type Selection = ReturnType<Tree>;
type ElementNode = ReturnType<typeof select>[number];
type AnyNode = Exclude<Parameters<typeof select>[1], unknown[]>;

/** Builds the tree by the plain tokenizer: the full algorithm of HTML may take time that grows with the square of a page. */
const buildTree = (html: string): Tree =>
  load(html, { xml: { xmlMode: false, decodeEntities: true, recognizeSelfClosing: true, withEndIndices: true } });

/**
 * The elements below a node that match a selector, in the order of the page. The selection methods of cheerio first
 * compare all children of the node with each other, in time that grows with the square of a hostile page.
 * @param limit stops after so many
 */
const selectBelow = (node: AnyNode, selector: string, limit = Number.POSITIVE_INFINITY): ElementNode[] =>
  select(selector, node, { context: [node], xmlMode: false }, limit);

/**
 * Reads the entries of a listing page.
 * @param url resolves relative links, unless the page has a base
 * @throws PollError bad_selector, nothing_listed when the page has no entry, as after a redesign
 */
export function readListing(text: string, url: string, selectors: Selectors): Reading {
  checkPageSize(text);
  const page = buildTree(text);
  const root = page.root().toArray()[0];
  const below = (node: AnyNode | undefined, selector: string, limit?: number): ElementNode[] =>
    node ? checkingSelector(selector, () => selectBelow(node, selector, limit)) : [];
  const firstBelow = (node: AnyNode | undefined, selector: string): Selection => page(below(node, selector, 1));
  const base = resolveAddress(firstBelow(root, 'base[href]').attr('href'), url) ?? url;
  const items = below(root, selectors.item);
  if (items.length === 0)
    throw new PollError(
      'nothing_listed',
      `no element of the page matches the selector ${JSON.stringify(selectors.item)}; the page may have been redesigned`,
    );
  // Of a truncated page the last entry is incomplete: neither it nor the element around it has an end.
  const whole = items.filter(({ endIndex }) => text[endIndex ?? 0] === '>');
  const partOf = (entry: ElementNode, selector: string): Selection =>
    checkingSelector(selector, () => is(entry, selector, { xmlMode: false }))
      ? page(entry)
      : firstBelow(entry, selector);
  const datesOf = (entry: ElementNode) => {
    if (!selectors.date) return collectDates([]);
    const part = partOf(entry, selectors.date);
    return collectDates([
      part.attr('datetime'),
      firstBelow(part.get(0), '[datetime]').attr('datetime'),
      part.attr('content'),
      part.text(),
      part.attr('title'),
    ]);
  };
  // Only the newest are read in full: a page may have tens of thousands of entries.
  const entries = takeNewest(whole, (entry) => entryTime(datesOf(entry))).map((entry) => {
    const link = partOf(entry, selectors.link);
    const inLink = firstBelow(link.get(0), 'a[href]');
    return {
      id: null,
      link: resolveAddress(link.attr('href') ?? inLink.attr('href') ?? link.closest('a').attr('href'), base),
      title: partOf(entry, selectors.title).html(),
      summary: selectors.summary ? partOf(entry, selectors.summary).html() : null,
      ...datesOf(entry),
    };
  });
  return { entries };
}

/** @throws PollError bad_selector */
function checkingSelector<Found>(selector: string, find: () => Found): Found {
  try {
    return find();
  } catch {
    // The parser of selectors throws plain errors, and nothing else here does.
    throw new PollError('bad_selector', `the selector ${JSON.stringify(selector)} of the roster is not valid CSS`);
  }
}

/** A feed that a web page links to in its head. */
export interface FeedLink {
  readonly url: string;
  readonly kind: SourceKind;
  /** The title that the site gives it, as written; null where it gives none. */
  readonly title: string | null;
}

const TYPES: Record<string, SourceKind> = {
  'application/rss+xml': 'feed',
  'application/atom+xml': 'feed',
  'application/feed+json': 'feed',
};
const MAX_FEED_LINKS = 20;

/**
 * Reads `<link rel="alternate">`.
 * @returns each address once, at most 20, in the order of the page
 * @throws PollError too_complex
 */
export function findFeedLinks(page: Pick<Page, 'url' | 'headers' | 'body'>): FeedLink[] {
  const { text } = decodeBody(page.body, page.headers['content-type']);
  checkPageSize(text);
  const tree = buildTree(text);
  const links = tree
    .root()
    .toArray()
    .flatMap((root) => selectBelow(root, 'link[rel~="alternate"][href]'));
  const named = links.flatMap((element): FeedLink[] => {
    const link = tree(element);
    const kind = TYPES[link.attr('type')?.trim().toLowerCase() ?? ''];
    const url = URL.parse(link.attr('href') ?? '', page.url)?.href;
    return kind && url ? [{ url, kind, title: link.attr('title')?.trim() || null }] : [];
  });
  return [...new Map(named.map((feed) => [feed.url, feed])).values()].slice(0, MAX_FEED_LINKS);
}
