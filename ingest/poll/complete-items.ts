/** Completes what a poll found from articles: what is complete is published before the first of them is fetched. */
import { isDeepStrictEqual } from 'node:util';
import type { WaitingArticle } from '../../schemas/poll.ts';
import type { Source } from '../../schemas/source.ts';
import { afterPublishing, dueArticles, enqueue, isGivenUp, unpublished } from './article-queue.ts';
import { byTime, type Comparison, type Finding, publishedValue } from './compare.ts';
import { fetchArticles } from './fetch-articles.ts';
import type { Fetching } from './fetch-entries.ts';
import { type Listed, listedKey, listedValue } from './listed.ts';
import type { PollState } from './poll-state.ts';

export interface Completion {
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

export interface CompletionContext extends Fetching {
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
  const atOnce = byTime([...queue.ready, ...queue.waiting.filter(goesAhead).flatMap(unpublished)]);
  const isPublished = due.length > 0 && context.publish !== undefined;
  if (isPublished && atOnce.length > 0) await context.publish?.(atOnce);

  const articles = await fetchArticles(due, source, context);
  const untilNow = queue.waiting.map((one) => (goesAhead(one) ? afterPublishing(one) : one));
  const { late, waiting } = settle(untilNow, articles, context.clock());
  const findings = [...atOnce, ...byTime([...articles.findings, ...late])];
  return {
    findings,
    unpublished: isPublished ? findings.slice(atOnce.length) : findings,
    listed: remembered(compared.listed, queue, findings),
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
    late: left.filter(({ one, isOver }) => isOver || !one.held).flatMap(({ one }) => unpublished(one)),
    waiting: left.filter(({ isOver }) => !isOver).map(({ one }) => (one.held ? one : afterPublishing(one))),
  };
}

/** The memory with what is held, what was published otherwise than it is listed, and without what was postponed. */
function remembered(listed: Listed, queue: ReturnType<typeof enqueue>, findings: readonly Finding[]): Listed {
  const memory: Record<string, string> = { ...listed };
  for (const itemKey of queue.postponed) delete memory[listedKey(itemKey)];
  for (const { item_key, before, first_seen_at, edits, listed_as, held } of queue.waiting)
    if (held)
      memory[listedKey(item_key)] = listedValue(before, new Date(first_seen_at), Math.max(0, edits - 1), listed_as);
  for (const finding of findings) memory[listedKey(finding.item.item_key)] = publishedValue(finding);
  return memory;
}
