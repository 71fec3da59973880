/**
 * Which items are completed from their articles, and when. Pure: the queue is kept in the poll event, so that it survives
 * restarts; a poll that is repeated decides the same.
 */

import { DAY } from '../../language/days.ts';
import type { ItemKey, WaitingArticle } from '../../schemas/poll.ts';
import { fingerprint } from '../../schemas/scalar.ts';
import type { Source } from '../../schemas/source.ts';
import { parseDate } from './normalise/parse-date.ts';
import type { FoundItem } from './normalise/read-items.ts';
import { type Finding, firstSeenOf } from './poll-state.ts';
import type { Article } from './read/read-article.ts';

/** Maximum number of articles that one poll of a source fetches. */
export const MAX_ARTICLES = 10;
/** Maximum number of items that wait at once, and their size in a poll event in bytes. */
const MAX_WAITING = 100;
const MAX_WAITING_BYTES = 300_000;
/** After so many tries, or so long after it was found, an item is published as it is. */
const MAX_TRIES = 5;
const MAX_WAIT = 2 * 86_400_000;
/** Between one try and the next: 15 minutes, 1, 4 and 12 hours. */
const RETRY_AFTER = [15, 60, 240, 720].map((minutes) => minutes * 60_000);
/** Older items make no public signal: their articles are not requested. */
const MAX_AGE = 7 * 86_400_000;

/** The items of a poll, by what happens to them. */
export interface Queue {
  /** To be published as they are. */
  readonly ready: readonly Finding[];
  /** To be completed, at this poll or a later one. */
  readonly waiting: readonly WaitingArticle[];
  /** Keys of items without a date for which there is no room: they count as never seen. */
  readonly postponed: readonly ItemKey[];
}

/** True for an item that lacks what its article may have. */
export function needsArticle(
  { summary, published_at, approximate_at }: FoundItem,
  { articles, role }: Pick<Source, 'articles' | 'role'>,
  now: Date,
): boolean {
  if (articles === 'never') return false;
  const about = published_at ?? approximate_at;
  if (about && now.getTime() - about.getTime() > MAX_AGE) return false;
  // A reference feed is only matched with what others report: its items need no summary.
  return published_at === null || (summary === null && role === 'news');
}

/**
 * Sorts what a poll found.
 * @param findings new and edited items, oldest first
 * @param waiting those of earlier polls
 * @param first whether it is the first poll of the source
 */
export function enqueue(
  findings: readonly Finding[],
  waiting: readonly WaitingArticle[],
  source: Pick<Source, 'articles' | 'role'>,
  first: boolean,
  now: Date,
): Queue {
  const itemKeys = new Set(findings.map(({ item }) => item.item_key));
  const earlier = waiting.filter(({ item_key }) => !itemKeys.has(item_key));
  if (source.articles === 'never')
    return { ready: [...findings, ...earlier.flatMap((one) => publishAsListed(one))], waiting: [], postponed: [] };
  const ready: Finding[] = [];
  const queue: WaitingArticle[] = [...earlier];
  const postponed: ItemKey[] = [];
  let bytes = queue.reduce((sum, one) => sum + sizeOf(one), 0);
  // The newest first: where the queue is full, the older ones are left out.
  for (const finding of findings.toReversed()) {
    const { item } = finding;
    if (!needsArticle(item, source, now)) {
      ready.push(withApproximateDate(finding));
      continue;
    }
    const one = waitingFor(finding, first, now);
    bytes += sizeOf(one);
    if (queue.length < MAX_WAITING && bytes <= MAX_WAITING_BYTES) queue.push(one);
    else {
      bytes -= sizeOf(one);
      if (one.held) postponed.push(item.item_key);
      else ready.push(finding);
    }
  }
  return { ready: ready.reverse(), waiting: queue, postponed };
}

const sizeOf = (one: WaitingArticle): number => Buffer.byteLength(JSON.stringify(one));

const waitingFor = (
  { item, firstSeen, before, edits, wasCompleted }: Finding,
  first: boolean,
  now: Date,
): WaitingArticle => ({
  item_key: item.item_key,
  url: item.url,
  title: item.title,
  summary: item.summary,
  published_at: item.published_at?.toISOString() ?? null,
  approximate_at: item.approximate_at?.toISOString() ?? null,
  listed_as: item.fingerprint,
  first_seen_at: firstSeen.toISOString(),
  backlog: first,
  before,
  edits,
  // Without its date an item makes no signal; without its text an edit would remove the text of its article.
  held: item.published_at === null || wasCompleted,
  published: false,
  found_at: now.toISOString(),
  next_try_at: now.toISOString(),
  tries: 0,
});

/** Items that are due: held ones first, then those with the fewest tries. */
export function dueArticles(waiting: readonly WaitingArticle[], now: Date): WaitingArticle[] {
  return waiting
    .filter(({ next_try_at }) => {
      const left = Date.parse(next_try_at) - now.getTime();
      // More than the longest wait is left when the clock was set back.
      return left <= 0 || left > MAX_WAIT;
    })
    .toSorted((one, other) => one.tries - other.tries || Number(other.held) - Number(one.held))
    .slice(0, MAX_ARTICLES);
}

/** The item after a permanent error of its article, as where robots.txt disallows it. */
export const afterRefusal = (one: WaitingArticle): WaitingArticle => ({ ...one, tries: MAX_TRIES });

/** The item after a transient error of its article. @param retryAt of the server, null where it states none */
export function afterFailure(one: WaitingArticle, now: Date, retryAt: Date | null): WaitingArticle {
  const wait = RETRY_AFTER[Math.min(one.tries, RETRY_AFTER.length - 1)] ?? 0;
  const next = Math.max(now.getTime() + wait, Math.min(retryAt?.getTime() ?? 0, now.getTime() + MAX_WAIT));
  return { ...one, tries: one.tries + 1, next_try_at: new Date(next).toISOString() };
}

/** True for an item that is not worth another try. */
export const isGivenUp = ({ tries, found_at }: WaitingArticle, now: Date): boolean =>
  tries >= MAX_TRIES || now.getTime() - Date.parse(found_at) > MAX_WAIT;

/** An item as its source lists it, to be published while its article is waited for or when it is given up. */
export function publishAsListed(one: WaitingArticle): Finding[] {
  return one.published ? [] : [withApproximateDate(findingOf(one, itemOf(one)))];
}

/** The item once it was published as its source lists it. */
export const afterPublishing = (one: WaitingArticle): WaitingArticle =>
  one.published ? one : { ...one, published: true, before: one.listed_as, edits: one.edits + 1 };

/**
 * An item with what its article says.
 * @param summary of the article that is to be taken, null for none
 * @returns none where it was published and the article adds nothing
 */
export function completeItem(
  one: WaitingArticle,
  article: Article,
  summary: string | null,
  source: Pick<Source, 'backlog_days'>,
  now: Date,
): Finding[] {
  const listed = itemOf(one);
  const dated = article.dates.map(parseDate).find((date) => date && date.getTime() <= now.getTime() + DAY);
  const item = withFingerprint({
    ...listed,
    // An item that was published keeps the address under which it is known.
    url: listed.published_at ? listed.url : (article.canonical ?? listed.url),
    published_at: listed.published_at ?? dated ?? listed.approximate_at,
    summary: listed.summary ?? summary,
  });
  if (one.published && item.fingerprint === one.listed_as) return [];
  const finding = findingOf(one, item);
  const firstSeen =
    one.backlog && one.before === null ? firstSeenOf(item, source.backlog_days, finding.firstSeen) : finding.firstSeen;
  return [{ ...finding, firstSeen }];
}

/** The summary of an article: the first that shares a word with its headline and is not that of other articles. */
export function chooseSummary(title: string, { summaries }: Article, ofOthers: ReadonlySet<string>): string | null {
  const own = summaries.filter((summary) => !ofOthers.has(summary));
  const words = wordsOf(title);
  const about = own.find((summary) => [...wordsOf(summary)].some((word) => words.has(word))) ?? own[0] ?? null;
  // A description that was cut off is the beginning of a paragraph: then that is the better one.
  const begun = about && /(?:…|\.\.\.)$/.test(about) ? about.replace(/[\s.…]+$/, '') : null;
  return own.find((summary) => begun && summary !== about && summary.startsWith(begun)) ?? about;
}

const wordsOf = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]{2,}/gu) ?? []);

const itemOf = (one: WaitingArticle): FoundItem => ({
  item_key: one.item_key,
  url: one.url,
  title: one.title,
  summary: one.summary,
  published_at: one.published_at === null ? null : new Date(one.published_at),
  approximate_at: one.approximate_at === null ? null : new Date(one.approximate_at),
  fingerprint: one.listed_as,
});

const findingOf = (one: WaitingArticle, item: FoundItem): Finding => ({
  item,
  firstSeen: new Date(one.first_seen_at),
  before: one.before,
  edits: one.edits,
  wasCompleted: one.held && one.published_at !== null,
  listedAs: one.listed_as,
  listed: one,
});

/** A distance such as "2 hours ago" counts as the date where nothing better is known. */
const withApproximateDate = (finding: Finding): Finding => {
  const { item } = finding;
  return item.published_at || !item.approximate_at
    ? finding
    : { ...finding, item: withFingerprint({ ...item, published_at: item.approximate_at }) };
};

const withFingerprint = (item: FoundItem): FoundItem => ({
  ...item,
  approximate_at: null,
  fingerprint: fingerprint(item.title, item.summary, item.published_at?.toISOString()),
});
