/** What a poll of a source would find, without anything being kept. */
import type { Source } from '../../schemas/source.ts';
import { dueArticles, enqueue } from './article-queue.ts';
import { compare } from './compare.ts';
import { fetchArticles } from './fetch-articles.ts';
import { type Fetching, fetchEntries } from './fetch-entries.ts';
import type { JudgedEntry } from './items/judge-entries.ts';
import type { FoundItem } from './items/read-items.ts';
import { PollError } from './poll-error.ts';
import { NEVER_POLLED } from './poll-state.ts';
import { sharedPageReader } from './read/page-reader.ts';

export interface Trial {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly content_type: string | null;
  readonly encoding: string | null;
  readonly kind: Source['kind'];
  /** Who read a feed; `tolerant` means that it had to be repaired or is out of the common. */
  readonly reader: 'rss-parser' | 'tolerant' | null;
  /** The lasting address, when permanent redirects led there. */
  readonly moved_to: string | null;
  /** What the feed calls itself, plain and short; null where it does not say. */
  readonly title: string | null;
  /** In the order of the page. */
  readonly entries: readonly JudgedEntry[];
}

/** How a trial fetches and reads, and the time that it takes for now. */
export type TrialContext = Fetching & {
  readonly now: Date;
  /** Articles that are fetched for items without a date or a summary, at most; 0 when unset. */
  readonly articles?: number;
};

/** Kinds that are tried where none is given; the first reads every feed. */
const KINDS = ['rss', 'news_sitemap'] as const;
/** Failures that say that the page is of another kind. */
const OTHER_KIND = new Set(['not_a_feed', 'html_instead_of_feed']);

/**
 * Polls once.
 * @param source `kind` unset: it is found out
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
  const completed = await completedItems(source, judged, articles, fetching, now);
  return {
    url,
    status,
    content_type: headers['content-type'] ?? null,
    encoding: reading?.encoding ?? null,
    kind: source.kind,
    reader: reading?.reader ?? null,
    moved_to: movedTo,
    title: head?.title ?? null,
    entries: judged.map((one) => ({ ...one, item: one.item && (completed.get(one.item.item_key) ?? one.item) })),
  };
}

/** The items that the first articles complete, by their keys. */
async function completedItems(
  source: Source,
  judged: readonly JudgedEntry[],
  articles: number,
  fetching: Fetching,
  now: Date,
): Promise<Map<string, FoundItem>> {
  const items = judged.flatMap(({ item }) => item ?? []);
  const { findings } = compare(items, null, source.backlog_days, now);
  const { ready, waiting } = enqueue(findings, [], source, true, now);
  const due = dueArticles(waiting, now).slice(0, articles);
  const fetched = await fetchArticles(due, source, { ...fetching, clock: () => now });
  return new Map([...ready, ...fetched.findings].map(({ item }) => [item.item_key, item]));
}
