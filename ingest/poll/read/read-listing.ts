/** Web pages: the entries of a listing page by the selectors of the roster, and the feeds that a page links to. */

import { load } from 'cheerio/slim';
import { Parser } from 'htmlparser2';
import type { Selectors, SourceKind } from '../../../schemas/source.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { PollError } from '../poll-error.ts';
import { collectDates, entryTime, type Reading, resolveAddress, takeNewest } from './entry.ts';

// How much of a web page is built in memory.

const MAX_DEPTH = 1_000;
const MAX_ELEMENTS = 300_000;
const MAX_ATTRIBUTES = 600_000;

/**
 * Runs once over a page without building it.
 * @throws PollError too_complex when its tree would be too deep or too large
 */
function checkPageSize(html: string): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  const tooComplex = (): PollError =>
    new PollError('too_complex', 'the page has more elements, or deeper ones, than any page of news');
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
  // As pages are read: an element that ends itself is not around what follows.
  new Parser(counting, { recognizeSelfClosing: true }).end(html);
}

// Listing pages of outlets without a feed, by the selectors of the roster.

type Matched = ReturnType<ReturnType<typeof load>>;

/**
 * Reads the entries of a page.
 * @throws PollError bad_selector, nothing_listed when the page has no entry, as after a redesign
 */
export function readListing(text: string, url: string, selectors: Selectors): Reading {
  checkPageSize(text);
  // The plain tokenizer, not the full algorithm of HTML, whose time can grow with the square of a hostile page.
  const page = load(text, {
    xml: { xmlMode: false, decodeEntities: true, recognizeSelfClosing: true, withEndIndices: true },
  });
  const base = resolveAddress(page('base[href]').attr('href'), url) ?? url;
  const found = matching(() => page(selectors.item), selectors.item);
  if (found.length === 0)
    throw new PollError(
      'nothing_listed',
      `nothing on the page fits the selector ${JSON.stringify(selectors.item)}; the page may have been redesigned`,
    );
  // Of a page that was cut off, the last entry is half an entry: it has no end of its own nor one of what it is in.
  const whole = found.toArray().filter(({ endIndex }) => text[endIndex ?? 0] === '>');
  type Listed = (typeof whole)[number];
  const partOf = (element: Listed, selector: string): Matched => {
    const entry = page(element);
    return matching(() => entry.find(selector).add(entry.filter(selector)), selector).first();
  };
  const datesOfEntry = (element: Listed) =>
    collectDates(selectors.date ? datesIn(partOf(element, selectors.date)) : []);
  // Only those that are kept are read in full: a page may have tens of thousands.
  const entries = takeNewest(whole, (element) => entryTime(datesOfEntry(element))).map((element) => {
    const link = partOf(element, selectors.link);
    return {
      id: null,
      link: resolveAddress(
        link.attr('href') ?? link.find('a[href]').attr('href') ?? link.closest('a').attr('href'),
        base,
      ),
      title: partOf(element, selectors.title).html(),
      summary: selectors.summary ? partOf(element, selectors.summary).html() : null,
      ...datesOfEntry(element),
    };
  });
  return { entries };
}

const datesIn = (element: Matched): (string | undefined)[] => [
  element.attr('datetime'),
  element.find('[datetime]').attr('datetime'),
  element.attr('content'),
  element.text(),
  element.attr('title'),
];

function matching<Found>(find: () => Found, selector: string): Found {
  try {
    return find();
  } catch {
    throw new PollError('bad_selector', `the selector ${JSON.stringify(selector)} of the roster is not CSS`);
  }
}

// The feeds that a web page names in its head.

export interface FeedLink {
  readonly url: string;
  readonly kind: SourceKind;
  /** What the site calls it, as it wrote it; null where it does not say. */
  readonly title: string | null;
}

const TYPES: Record<string, SourceKind> = {
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/feed+json': 'json_feed',
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
  const site = load(text, { xml: { xmlMode: false, decodeEntities: true } });
  const links = site('link[rel~="alternate"][href]').toArray();
  const named = links.flatMap((element): FeedLink[] => {
    const link = site(element);
    const kind = TYPES[link.attr('type')?.trim().toLowerCase() ?? ''];
    const url = URL.parse(link.attr('href') ?? '', page.url)?.href;
    return kind && url ? [{ url, kind, title: link.attr('title')?.trim() || null }] : [];
  });
  return [...new Map(named.map((feed) => [feed.url, feed])).values()].slice(0, MAX_FEED_LINKS);
}
