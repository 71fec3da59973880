/** Polls a source without storing anything, and finds the feeds of a site. */
import type { Source, SourceKind } from '../../schemas/source.ts';
import { dueArticles, enqueue } from './article-queue.ts';
import type { FetchPage, Page } from './fetch/fetch-page.ts';
import { type Fetching, fetchArticles, fetchEntries } from './fetch-entries.ts';
import type { FoundItem, JudgedEntry } from './normalise/read-items.ts';
import { PollError } from './poll-error.ts';
import { compareWithListed, NEVER_POLLED } from './poll-state.ts';
import { type PageReader, sharedPageReader } from './read/page-reader.ts';
import { PARTLY_READ } from './read/read-feed.ts';
import type { FeedLink } from './read/read-listing.ts';

export interface Trial {
  /** The address of the response, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly content_type: string | null;
  readonly encoding: string | null;
  readonly kind: Source['kind'];
  /** Who read a feed; `tolerant` means that it is malformed or unusual. */
  readonly reader: 'rss-parser' | 'tolerant' | null;
  /** The target of permanent redirects; null where there were none. */
  readonly moved_to: string | null;
  /** Why not all of the feed was read; null where it was. */
  readonly cut_off: string | null;
  /** The title of the feed as plain text; null where it has none. */
  readonly title: string | null;
  /** In the order of the page. */
  readonly entries: readonly JudgedEntry[];
}

/** How a trial fetches and reads, and its current time. */
export type TrialContext = Fetching & {
  readonly now: Date;
  /** Articles that are fetched for items without a date or a summary, at most; 0 by default. */
  readonly articles?: number;
};

/** Kinds that are tried where none is given; the first reads every feed. */
const KINDS = ['feed', 'news_sitemap'] as const;
/** Errors of a page of another kind. */
const OTHER_KIND = new Set(['not_a_feed', 'html_instead_of_feed']);

/**
 * Polls once.
 * @param source without `kind` it is detected
 * @throws PollError
 */
export async function trySource(
  source: Omit<Source, 'kind'> & { readonly kind?: Source['kind'] | undefined },
  context: TrialContext,
): Promise<Trial> {
  const kinds = source.kind ? [source.kind] : KINDS;
  let first: unknown;
  for (const kind of kinds)
    try {
      return await tryAs({ ...source, kind }, context);
    } catch (error) {
      first ??= error;
      if (!(error instanceof PollError && OTHER_KIND.has(error.code))) break;
    }
  throw first;
}

async function tryAs(source: Source, { now, articles = 0, ...fetching }: TrialContext): Promise<Trial> {
  const fetched = await fetchEntries(source, NEVER_POLLED, fetching, now);
  const { url, status, headers, entries, reading, movedTo, head } = fetched;
  const { reader = sharedPageReader(), signal } = fetching;
  const judged = await reader.run('judgeEntries', { entries, base: url, now }, signal);
  const completed = await completeFromArticles(source, judged, articles, fetching, now);
  return {
    url,
    status,
    content_type: headers['content-type'] ?? null,
    encoding: reading?.encoding ?? null,
    kind: source.kind,
    reader: reading?.reader ?? null,
    moved_to: movedTo,
    cut_off: reading?.isCutOff ? PARTLY_READ : null,
    title: head?.title ?? null,
    entries: judged.map((one) => ({ ...one, item: one.item && (completed.get(one.item.item_key) ?? one.item) })),
  };
}

/** The items that the first articles complete, by their keys. */
async function completeFromArticles(
  source: Source,
  judged: readonly JudgedEntry[],
  articles: number,
  fetching: Fetching,
  now: Date,
): Promise<Map<string, FoundItem>> {
  const items = judged.flatMap(({ item }) => item ?? []);
  const { findings } = compareWithListed(items, null, source.backlog_days, now);
  const { ready, waiting } = enqueue(findings, [], source, true, now);
  const due = dueArticles(waiting, now).slice(0, articles);
  const fetched = await fetchArticles(due, source, { ...fetching, clock: () => now });
  return new Map([...ready, ...fetched.findings].map(({ item }) => [item.item_key, item]));
}

export interface DiscoveredFeed extends FeedLink {
  /** Entries that it lists now. */
  readonly entries: number;
}

/** Usual paths of feeds, for sites that do not link to theirs. */
const USUAL_PATHS: readonly (readonly [path: string, kind: SourceKind])[] = [
  ['/feed', 'feed'],
  ['/rss', 'feed'],
  ['/rss.xml', 'feed'],
  ['/atom.xml', 'feed'],
  ['/feed.json', 'feed'],
  ['/news-sitemap.xml', 'news_sitemap'],
];

/**
 * Reads the feeds that a page links to, then the usual paths. Each feed that is returned was read.
 * @param address of a site, a page or a feed itself
 * @throws PollError when the page cannot be fetched, or a page of the site exceeds a limit of the page reader
 */
export async function discoverFeeds(
  address: string,
  fetchPage: FetchPage,
  signal: AbortSignal,
  reader: PageReader = sharedPageReader(),
): Promise<DiscoveredFeed[]> {
  const fetching = { fetchPage, signal, reader };
  const page = await fetchPage({ url: address, signal });
  const itself = await countEntries(page, 'feed', fetching);
  if (itself !== null) return [{ url: page.url, kind: 'feed', title: null, entries: itself }];
  const named = page.status === 200 ? await reader.run('namedFeeds', { page }, signal) : [];
  const feeds = await readCandidates(named, fetching);
  if (feeds.length > 0) return feeds;
  const usual = USUAL_PATHS.map(([path, kind]) => ({ url: new URL(path, page.url).href, kind, title: null }));
  return readCandidates(usual, fetching);
}

async function readCandidates(
  candidates: readonly FeedLink[],
  fetching: Required<Fetching>,
): Promise<DiscoveredFeed[]> {
  const feeds: DiscoveredFeed[] = [];
  for (const candidate of candidates) {
    try {
      const page = await fetching.fetchPage({ url: candidate.url, signal: fetching.signal });
      const entries = await countEntries(page, candidate.kind, fetching);
      if (entries !== null) feeds.push({ ...candidate, url: page.movedTo ?? candidate.url, entries });
    } catch (error) {
      if (!(error instanceof PollError) || EXCEEDED_A_LIMIT.test(error.code)) throw error;
    }
  }
  return feeds;
}

/** No further page is requested of a site that exceeded a limit of the page reader. */
const EXCEEDED_A_LIMIT = /^reading_/;

/** The number of entries of a page; null when it is not a feed of this kind. */
async function countEntries(
  page: Page,
  kind: SourceKind,
  { reader, signal }: Required<Fetching>,
): Promise<number | null> {
  if (page.status !== 200) return null;
  try {
    const { entries, parts } = await reader.run('readPage', { page, source: { kind } }, signal);
    return entries.length + (parts?.length ?? 0);
  } catch (error) {
    if (error instanceof PollError && !EXCEEDED_A_LIMIT.test(error.code)) return null;
    throw error;
  }
}
