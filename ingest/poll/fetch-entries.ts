/**
 * The entries of a source, over as many pages as its kind needs; and items that lack a date or a summary, completed
 * from their articles, a few at each poll.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ItemKey, WaitingArticle } from '../../schemas/poll.ts';
import type { Source } from '../../schemas/source.ts';
import {
  afterFailure,
  afterPublishing,
  afterRefusal,
  chooseSummary,
  completeItem,
  dueArticles,
  enqueue,
  isGivenUp,
  publishAsListed,
} from './article-queue.ts';
import { addSourceHeaders, type FetchPage, type Page } from './fetch/fetch-page.ts';
import { checkStatus, PollError } from './poll-error.ts';
import {
  type Comparison,
  encodeListed,
  encodePublished,
  type Finding,
  type Listed,
  listedKey,
  type PollState,
  sortByTime,
} from './poll-state.ts';
import type { Entry, Reading } from './read/entry.ts';
import type { FeedHead } from './read/feed-head.ts';
import { type PageReader, sharedPageReader } from './read/page-reader.ts';
import type { Article } from './read/read-article.ts';

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
  readonly reading: Pick<Reading, 'reader' | 'encoding' | 'isCutOff'> | null;
  /** What the feed says about itself; null after a 304, and for web pages. */
  readonly head: FeedHead | null;
  /** Bytes of all responses after decoding; 0 after a 304. */
  readonly bytes: number;
}

/** Instead of the address of validators: the server answers 412 to its own, and is asked without any from then on. */
const REFUSED = 'refused';
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
  const condition =
    before.listed && validatorsUrl && validatorsUrl !== REFUSED ? { etag, lastModified, validatorsUrl } : {};
  const fetchPart = addSourceHeaders(fetchPage, source);
  const request = { url: source.url, headers: source.headers, signal };
  const { page, refused } = await fetchConditionally(fetchPage, request, condition);
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
    const validators =
      refused || validatorsUrl === REFUSED
        ? { ...NO_VALIDATORS, validatorsUrl: REFUSED }
        : { etag: validator(headers.etag), lastModified: validator(headers['last-modified']), validatorsUrl: url };
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
): Promise<{ readonly page: Page; readonly refused: boolean }> {
  const page = await fetchPage({ ...request, ...condition });
  const refused = page.status === 412 && isConditional(condition);
  return { page: refused ? await fetchPage(request) : page, refused };
}

const validator = (header: string | undefined): string | null =>
  header && header.length <= MAX_VALIDATOR_LENGTH ? header : null;

interface FetchedArticles {
  /** Items with what their articles say. */
  readonly findings: readonly Finding[];
  /** Items whose article was read: they no longer wait. */
  readonly done: ReadonlySet<string>;
  /** Items whose article could not be read; they keep waiting. */
  readonly failed: readonly WaitingArticle[];
}

/** No article is begun later in a poll: the sources of the same host wait meanwhile. */
const MAX_STAGE_MILLISECONDS = 30_000;
/** After so many consecutive failures the outlet is taken to be failing, or to refuse requests. */
const MAX_FAILURES = 3;
/** Permanent errors: a retry does not help. */
const FINAL = new Set([
  'robots_disallowed',
  'bad_address',
  'address_refused',
  'gone',
  'too_large',
  'reading_timeout',
  'reading_out_of_memory',
]);
const NOTHING: Article = { canonical: null, dates: [], summaries: [] };

/**
 * Fetches articles.
 * @param due in the order in which they are fetched; those for which no time is left are in no part of the result
 * @throws the signal's reason, and defects; what is wrong with an article is in the result
 */
export async function fetchArticles(
  due: readonly WaitingArticle[],
  source: Pick<Source, 'backlog_days' | 'url' | 'headers'>,
  { clock, ...fetching }: Fetching & { clock: () => Date },
): Promise<FetchedArticles> {
  const own = { ...fetching, fetchPage: addSourceHeaders(fetching.fetchPage, source) };
  const began = clock().getTime();
  const read: { one: WaitingArticle; article: Article }[] = [];
  const failed: WaitingArticle[] = [];
  let inRow = 0;
  for (const one of due) {
    if (inRow === MAX_FAILURES || clock().getTime() - began > MAX_STAGE_MILLISECONDS) break;
    try {
      read.push({ one, article: await fetchArticle(one, own, clock()) });
      inRow = 0;
    } catch (error) {
      if (!(error instanceof PollError)) throw error;
      const isFinal = FINAL.has(error.code);
      failed.push(isFinal ? afterRefusal(one) : afterFailure(one, clock(), error.retryAt));
      if (!isFinal) inRow += 1;
      if (error.retryAt) break;
    }
  }
  const shared = findSharedSummaries(read.map(({ one, article }) => [article.canonical ?? one.url, article]));
  return {
    findings: read.flatMap(({ one, article }) =>
      completeItem(one, article, chooseSummary(one.title, article, shared), source, clock()),
    ),
    done: new Set(read.map(({ one }) => one.item_key)),
    failed,
  };
}

/** Summaries of several articles describe the site, not an article. */
function findSharedSummaries(articles: readonly (readonly [url: string, article: Article])[]): Set<string> {
  const urls = new Map<string, string>();
  const shared = new Set<string>();
  for (const [url, { summaries }] of articles)
    for (const summary of summaries) {
      if ((urls.get(summary) ?? url) !== url) shared.add(summary);
      urls.set(summary, url);
    }
  return shared;
}

/** @throws PollError */
async function fetchArticle(
  one: WaitingArticle,
  { fetchPage, signal, reader = sharedPageReader() }: Fetching,
  now: Date,
): Promise<Article> {
  const page = await fetchPage({ url: one.url, accept: 'text/html, application/xhtml+xml, */*;q=0.5', signal });
  checkStatus(page, false, now);
  const type = page.headers['content-type'] ?? '';
  // Documents and pictures are not read.
  if (type && !/html|xml/i.test(type)) return NOTHING;
  return await reader.run('readArticle', { page, title: one.title }, signal);
}

interface Completion {
  /** All that the poll publishes. */
  readonly findings: readonly Finding[];
  /** Those of them that were not published yet. */
  readonly unpublished: readonly Finding[];
  /** The memory of the source after the poll. */
  readonly listed: Listed;
  readonly waiting: readonly WaitingArticle[];
  readonly isQueueChanged: boolean;
  /** Keys of items without a date that were postponed because the queue is full: they count as never seen. */
  readonly postponed: ReadonlySet<ItemKey>;
  /** How many articles were read, and how many could not be. */
  readonly read: number;
  readonly failed: number;
}

interface CompletionContext extends Fetching {
  readonly clock: () => Date;
  /** Publishes what is complete; unset, all is in the result. */
  readonly publish: ((findings: readonly Finding[]) => Promise<void>) | undefined;
}

/**
 * Completes items; complete ones are published before the first article is fetched. An item without a date is held until
 * its article was read or is given up. One without a summary waits for its article at this poll; where that fails, or the
 * poll fetches no more articles, it is published as listed, and its article makes an edit of it later.
 * @param started the beginning of the poll
 * @throws the signal's reason, and defects
 */
export async function completeItems(
  source: Source,
  before: Pick<PollState, 'listed' | 'waiting'>,
  compared: Pick<Comparison, 'findings' | 'listed'>,
  started: Date,
  context: CompletionContext,
): Promise<Completion> {
  const earlier = before.waiting ?? [];
  const queue = enqueue(compared.findings, earlier, source, before.listed === null, started);
  const due = dueArticles(queue.waiting, started);
  const hasTurn = new Set(due.map(({ item_key }) => item_key));
  const goesAhead = (one: WaitingArticle): boolean => !one.held && !hasTurn.has(one.item_key);
  const atOnce = sortByTime([...queue.ready, ...queue.waiting.filter(goesAhead).flatMap(publishAsListed)]);
  const isPublished = due.length > 0 && context.publish !== undefined;
  if (isPublished && atOnce.length > 0) await context.publish?.(atOnce);

  const articles = await fetchArticles(due, source, context);
  const untilNow = queue.waiting.map((one) => (goesAhead(one) ? afterPublishing(one) : one));
  const { late, waiting } = settle(untilNow, articles, context.clock());
  const findings = [...atOnce, ...sortByTime([...articles.findings, ...late])];
  return {
    findings,
    unpublished: isPublished ? findings.slice(atOnce.length) : findings,
    listed: updateListed(compared.listed, queue, findings),
    waiting,
    isQueueChanged: !isDeepStrictEqual(waiting, earlier),
    postponed: new Set(queue.postponed),
    read: articles.done.size,
    failed: articles.failed.length,
  };
}

/** After the articles were fetched: what is published as listed, and what keeps waiting. */
function settle(
  queue: readonly WaitingArticle[],
  { done, failed }: Pick<Awaited<ReturnType<typeof fetchArticles>>, 'done' | 'failed'>,
  now: Date,
): { late: Finding[]; waiting: WaitingArticle[] } {
  const tried = new Map(failed.map((one) => [one.item_key, one]));
  const left = queue
    .filter(({ item_key }) => !done.has(item_key))
    .map((one) => tried.get(one.item_key) ?? one)
    .map((one) => ({ one, isOver: isGivenUp(one, now) }));
  return {
    late: left.filter(({ one, isOver }) => isOver || !one.held).flatMap(({ one }) => publishAsListed(one)),
    waiting: left.filter(({ isOver }) => !isOver).map(({ one }) => (one.held ? one : afterPublishing(one))),
  };
}

/** The memory with held items and those published differently from how they are listed, without postponed ones. */
function updateListed(listed: Listed, queue: ReturnType<typeof enqueue>, findings: readonly Finding[]): Listed {
  const memory: Record<string, string> = { ...listed };
  for (const itemKey of queue.postponed) delete memory[listedKey(itemKey)];
  for (const one of queue.waiting)
    if (one.held)
      memory[listedKey(one.item_key)] = encodeListed(
        one.before,
        new Date(one.first_seen_at),
        Math.max(0, one.edits - 1),
        one.listed_as,
        one,
      );
  for (const finding of findings) memory[listedKey(finding.item.item_key)] = encodePublished(finding);
  return memory;
}
