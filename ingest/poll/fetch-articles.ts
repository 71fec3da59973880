/** Fetches the articles of items that come without a date or a summary: one after the other, few at a poll. */
import type { WaitingArticle } from '../../schemas/poll.ts';
import type { Source } from '../../schemas/source.ts';
import { afterFailure, afterRefusal, chooseSummary, completed } from './article-queue.ts';
import type { Finding } from './compare.ts';
import { checkStatus } from './fetch/check-status.ts';
import { withSourceHeaders } from './fetch/source-headers.ts';
import type { Fetching } from './fetch-entries.ts';
import { PollError } from './poll-error.ts';
import { sharedPageReader } from './read/page-reader.ts';
import type { Article } from './read/read-article.ts';

export interface FetchedArticles {
  /** Items with what their articles say. */
  readonly findings: readonly Finding[];
  /** Items whose article was read: they wait no longer. */
  readonly done: ReadonlySet<string>;
  /** Items whose article could not be had, as they go on waiting. */
  readonly failed: readonly WaitingArticle[];
}

/** No article is begun later in a poll: the sources of the same host wait meanwhile. */
const LONGEST_STAGE = 30_000;
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
  const own = { ...fetching, fetchPage: withSourceHeaders(fetching.fetchPage, source) };
  const began = clock().getTime();
  const read: { one: WaitingArticle; article: Article }[] = [];
  const failed: WaitingArticle[] = [];
  let inRow = 0;
  for (const one of due) {
    if (inRow === MAX_FAILURES || clock().getTime() - began > LONGEST_STAGE) break;
    try {
      read.push({ one, article: await articleOf(one, own, clock()) });
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
  const shared = sharedSummaries(read.map(({ one, article }) => [article.canonical ?? one.url, article]));
  return {
    findings: read.flatMap(({ one, article }) =>
      completed(one, article, chooseSummary(one.title, article, shared), source, clock()),
    ),
    done: new Set(read.map(({ one }) => one.item_key)),
    failed,
  };
}

/** What several articles say of themselves is said of the site. */
function sharedSummaries(articles: readonly (readonly [url: string, article: Article])[]): Set<string> {
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
async function articleOf(
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
