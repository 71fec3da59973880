/** Completes items that lack a date or a summary from their articles: a few at each poll. */
import { isDeepStrictEqual } from 'node:util';
import type { WaitingArticle } from '../../schemas/poll.ts';
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
import { addSourceHeaders } from './fetch/fetch-page.ts';
import type { Fetching } from './fetch-entries.ts';
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
import { sharedPageReader } from './read/page-reader.ts';
import type { Article } from './read/read-article.ts';

// Fetches the articles of items that come without a date or a summary: one after the other, few at a poll.

interface FetchedArticles {
  /** Items with what their articles say. */
  readonly findings: readonly Finding[];
  /** Items whose article was read: they wait no longer. */
  readonly done: ReadonlySet<string>;
  /** Items whose article could not be had, as they go on waiting. */
  readonly failed: readonly WaitingArticle[];
}

/** No article is begun later in a poll: the sources of the same host wait meanwhile. */
const MAX_STAGE_MILLISECONDS = 30_000;
/** So many failures in a row say that the outlet has trouble or refuses us. */
const MAX_FAILURES = 3;
/** Failures that another try does not mend. */
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
 * @param due in the order in which they are fetched; what there is no time for is in no part of the result
 * @throws only the signal's reason
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
      if (fetching.signal.aborted) throw error;
      const known = error instanceof PollError ? error : null;
      const isFinal = known !== null && FINAL.has(known.code);
      failed.push(isFinal ? afterRefusal(one) : afterFailure(one, clock(), known?.retryAt ?? null));
      if (!isFinal) inRow += 1;
      if (known?.retryAt) break;
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

/** What several articles say of themselves is said of the site. */
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
  // A document or a picture says nothing that is read here.
  if (type && !/html|xml/i.test(type)) return NOTHING;
  return await reader.run('readArticle', { page, title: one.title }, signal);
}

// Completes what a poll found from articles: what is complete is published before the first of them is fetched.

interface Completion {
  /** All that the poll publishes. */
  readonly findings: readonly Finding[];
  /** Those of them that were not published yet. */
  readonly unpublished: readonly Finding[];
  /** The memory of the source after the poll. */
  readonly listed: Listed;
  readonly waiting: readonly WaitingArticle[];
  readonly isQueueChanged: boolean;
  /** Keys of items without a date that were left out, for want of room: they count as never seen. */
  readonly postponed: ReadonlySet<string>;
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
 * Completes items. One without a date is held until its article was read or is given up. One without a summary waits for
 * the turn that it gets at this poll; where that fails, or there is none, it is published as it is listed, and becomes an
 * edit once its article is read.
 * @param started the beginning of the poll
 * @throws only the signal's reason
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

/** What is published as it is listed after the articles were tried, and what goes on waiting. */
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

/** The memory with what is held, what was published otherwise than it is listed, and without what was postponed. */
function updateListed(listed: Listed, queue: ReturnType<typeof enqueue>, findings: readonly Finding[]): Listed {
  const memory: Record<string, string> = { ...listed };
  for (const itemKey of queue.postponed) delete memory[listedKey(itemKey)];
  for (const { item_key, before, first_seen_at, edits, listed_as, held } of queue.waiting)
    if (held)
      memory[listedKey(item_key)] = encodeListed(before, new Date(first_seen_at), Math.max(0, edits - 1), listed_as);
  for (const finding of findings) memory[listedKey(finding.item.item_key)] = encodePublished(finding);
  return memory;
}
