/** What a poll of a source would find, without anything being kept. */
import type { Source } from '../../schemas/source.ts';
import type { FetchPage } from './fetch/fetch-page.ts';
import { fetchEntries } from './fetch-entries.ts';
import { cleanText } from './items/clean-text.ts';
import { dateOf, type FoundItem, LONGEST_TITLE, readItems, whyRefused } from './items/read-items.ts';
import { PollError } from './poll-error.ts';
import { NEVER_POLLED } from './poll-state.ts';
import type { Entry } from './read/entry.ts';

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
  readonly entries: readonly {
    /** As the outlet wrote it. */
    readonly entry: Entry;
    /** What is read of it, also where it gives no item. */
    readonly read: {
      readonly title: string;
      readonly link: string | null;
      readonly id: string | null;
      readonly published_at: Date | null;
    };
    readonly item: FoundItem | null;
    readonly refused: string | null;
  }[];
}

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
  context: { readonly fetchPage: FetchPage; readonly signal: AbortSignal; readonly now: Date },
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

async function tryAs(
  source: Source,
  { fetchPage, signal, now }: { readonly fetchPage: FetchPage; readonly signal: AbortSignal; readonly now: Date },
): Promise<Trial> {
  const { url, status, headers, entries, reading, movedTo, head } = await fetchEntries(
    source,
    NEVER_POLLED,
    { fetchPage, signal },
    now,
  );
  const seen = new Set<string>();
  // All at once, since an id counts only where it is not shared.
  const { items } = readItems(entries, url, now);
  let next = 0;
  const judged = (entry: Entry) => {
    const refused = whyRefused(entry, url);
    if (refused) return { entry, item: null, refused };
    const [alone] = readItems([entry], url, now).items;
    const item = items[next];
    if (item && alone && item.url === alone.url && item.title === alone.title && !seen.has(item.item_key)) {
      seen.add(item.item_key);
      next += 1;
      return { entry, item, refused: null };
    }
    return { entry, item: null, refused: 'an entry with the same id stands before it' };
  };
  return {
    url,
    status,
    content_type: headers['content-type'] ?? null,
    encoding: reading?.encoding ?? null,
    kind: source.kind,
    reader: reading?.reader ?? null,
    moved_to: movedTo,
    title: head?.title ?? null,
    entries: entries.map((entry) => ({ ...judged(entry), read: readOf(entry, now) })),
  };
}

const readOf = (entry: Entry, now: Date) => ({
  title: cleanText(entry.title ?? '', LONGEST_TITLE),
  link: entry.link,
  id: entry.id,
  published_at: dateOf(entry, now).published,
});
