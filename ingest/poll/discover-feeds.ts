/** Finds the feeds of a site from its address. */
import { load } from 'cheerio';
import type { SourceKind } from '../../schemas/source.ts';
import { decodeBody } from './fetch/decode.ts';
import type { FetchPage, Page } from './fetch/fetch-page.ts';
import { PollError } from './poll-error.ts';
import { boundPage } from './read/bound-page.ts';
import { readPage } from './read/read-page.ts';

export interface DiscoveredFeed {
  readonly url: string;
  readonly kind: SourceKind;
  /** What the site calls it, as it wrote it; null where it does not say. */
  readonly title: string | null;
  /** Entries that it lists now. */
  readonly entries: number;
}

const TYPES: Record<string, SourceKind> = {
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/feed+json': 'json_feed',
};
/** Where feeds stand on sites that do not say so. */
const USUAL: readonly (readonly [path: string, kind: SourceKind])[] = [
  ['/feed', 'rss'],
  ['/rss', 'rss'],
  ['/rss.xml', 'rss'],
  ['/atom.xml', 'atom'],
  ['/feed.json', 'json_feed'],
  ['/news-sitemap.xml', 'news_sitemap'],
];
const MOST_CANDIDATES = 20;

type Candidate = Omit<DiscoveredFeed, 'entries'>;

/**
 * Looks at a page for the feeds that it names, then at the usual places. Each one found was read.
 * @param address of a site, a page or a feed itself
 * @throws PollError when the page cannot be had
 */
export async function discoverFeeds(
  address: string,
  fetchPage: FetchPage,
  signal: AbortSignal,
): Promise<DiscoveredFeed[]> {
  const page = await fetchPage({ url: address, signal });
  const itself = await entriesOf(page, 'rss');
  if (itself !== null) return [{ url: page.url, kind: 'rss', title: null, entries: itself }];
  const named = page.status === 200 ? namedIn(page) : [];
  const found = await readable(named, fetchPage, signal);
  if (found.length > 0) return found;
  const usual = USUAL.map(([path, kind]) => ({ url: new URL(path, page.url).href, kind, title: null }));
  return readable(usual, fetchPage, signal);
}

function namedIn(page: Page): Candidate[] {
  const { text } = decodeBody(page.body, page.headers['content-type']);
  boundPage(text);
  const site = load(text, { xml: { xmlMode: false, decodeEntities: true } });
  const links = site('link[rel~="alternate"][href]').toArray();
  const candidates = links.flatMap((element): Candidate[] => {
    const link = site(element);
    const kind = TYPES[link.attr('type')?.trim().toLowerCase() ?? ''];
    const url = URL.parse(link.attr('href') ?? '', page.url)?.href;
    return kind && url ? [{ url, kind, title: link.attr('title')?.trim() || null }] : [];
  });
  return [...new Map(candidates.map((candidate) => [candidate.url, candidate])).values()].slice(0, MOST_CANDIDATES);
}

async function readable(
  candidates: readonly Candidate[],
  fetchPage: FetchPage,
  signal: AbortSignal,
): Promise<DiscoveredFeed[]> {
  const found: DiscoveredFeed[] = [];
  for (const candidate of candidates) {
    try {
      const page = await fetchPage({ url: candidate.url, signal });
      const entries = await entriesOf(page, candidate.kind);
      if (entries !== null) found.push({ ...candidate, url: page.movedTo ?? candidate.url, entries });
    } catch (error) {
      if (!(error instanceof PollError)) throw error;
    }
  }
  return found;
}

/** How many entries a page lists, null when it is no feed of the kind. */
async function entriesOf(page: Page, kind: SourceKind): Promise<number | null> {
  if (page.status !== 200) return null;
  try {
    const { entries, parts } = await readPage(page, { kind });
    return entries.length + (parts?.length ?? 0);
  } catch (error) {
    if (error instanceof PollError) return null;
    throw error;
  }
}
