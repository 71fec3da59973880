/** The entries of a source, over as many pages as its kind needs. */
import type { Source } from '../../schemas/source.ts';
import { addSourceHeaders, type FetchPage, type Page } from './fetch/fetch-page.ts';
import { checkStatus } from './poll-error.ts';
import type { PollState } from './poll-state.ts';
import type { Entry, Reading } from './read/entry.ts';
import type { FeedHead } from './read/feed-head.ts';
import { type PageReader, sharedPageReader } from './read/page-reader.ts';

/** How the pages of a source are fetched and read. */
export interface Fetching {
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  /** Unset: that of the process. */
  readonly reader?: PageReader;
}

export interface Fetched {
  /** Where the page came from; relative links are resolved against it. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly entries: readonly Entry[];
  /** The server responded with 304. */
  readonly unchanged: boolean;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The address of the response that gave these validators. */
  readonly validatorsUrl: string | null;
  readonly movedTo: string | null;
  /** Seconds that the outlet's robots.txt asks for between two requests; 0 when it states none. */
  readonly crawlDelaySeconds: number;
  /** How the page was read; null after a 304. */
  readonly reading: Pick<Reading, 'reader' | 'encoding'> | null;
  /** What the feed says about itself; null after a 304, and for web pages. */
  readonly head: FeedHead | null;
  /** Bytes of all responses after decoding; 0 after a 304. */
  readonly bytes: number;
}

const NO_VALIDATORS = { etag: null, lastModified: null, validatorsUrl: null };

/** Longer validators are not worth keeping. */
const MAX_VALIDATOR_LENGTH = 500;

/**
 * Fetches and reads.
 * @throws PollError
 */
export async function fetchEntries(
  source: Source,
  before: Pick<PollState, 'etag' | 'last_modified' | 'validators_url' | 'listed'>,
  { fetchPage, signal, reader = sharedPageReader() }: Fetching,
  now: Date,
): Promise<Fetched> {
  const { etag, last_modified: lastModified, validators_url: validatorsUrl } = before;
  // Without the memory of what was listed, "not modified" would say nothing.
  const condition = before.listed && validatorsUrl ? { etag, lastModified, validatorsUrl } : {};
  const fetchPart = addSourceHeaders(fetchPage, source);
  const page = await fetchConditionally(fetchPage, { url: source.url, headers: source.headers, signal }, condition);
  checkStatus(page, isConditional(condition) && page.url === validatorsUrl, now);
  const { url, status, headers, movedTo } = page;
  const about = { url, status, headers, movedTo, crawlDelaySeconds: page.crawlDelaySeconds ?? 0 };
  if (status === 304)
    return {
      ...about,
      entries: [],
      unchanged: true,
      etag,
      lastModified,
      validatorsUrl: validatorsUrl ?? null,
      reading: null,
      head: null,
      bytes: 0,
    };
  const { kind, selectors } = source;
  const read = (one: Page) => reader.run('readPage', { page: one, source: { kind, selectors } }, signal);
  const reading = await read(page);
  const { head } = reading;
  if (!reading.parts) {
    const validators = {
      etag: validator(headers.etag),
      lastModified: validator(headers['last-modified']),
      validatorsUrl: url,
    };
    return {
      ...about,
      ...validators,
      entries: reading.entries,
      unchanged: false,
      reading,
      head,
      bytes: page.body.length,
    };
  }
  const entries: Entry[] = [];
  let bytes = page.body.length;
  for (const address of reading.parts) {
    const part = await fetchPart({ url: address, signal });
    checkStatus(part, false, now);
    bytes += part.body.length;
    entries.push(...(await read(part)).entries);
  }
  // An index may stay unchanged while its sitemaps change, so it is never requested conditionally.
  return { ...about, ...NO_VALIDATORS, entries, unchanged: false, reading, head, bytes };
}

type Condition = Pick<Parameters<FetchPage>[0], 'etag' | 'lastModified' | 'validatorsUrl'>;

const isConditional = ({ etag, lastModified }: Condition): boolean => Boolean(etag || lastModified);

/** Some servers respond with 412 to a condition that they do not understand, such as their own ETag: it is left out then. */
async function fetchConditionally(
  fetchPage: FetchPage,
  request: Parameters<FetchPage>[0],
  condition: Condition,
): Promise<Page> {
  const page = await fetchPage({ ...request, ...condition });
  return page.status === 412 && isConditional(condition) ? fetchPage(request) : page;
}

const validator = (header: string | undefined): string | null =>
  header && header.length <= MAX_VALIDATOR_LENGTH ? header : null;
