/** Saved searches as the pages and feeds offer them: their filters, and how many signals of each are unread. */
import type { Queryable } from '../log/postgres/database.ts';
import { type KeptSearch, searchesOf } from '../projector/models/saved-searches-queries.ts';
import { countFitting } from '../projector/models/signal-filter-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Directory } from '../schemas/directory.ts';
import { boundFilter, filterOfText, type SignalQuery } from '../schemas/signal-filter.ts';

export interface SavedSearch extends KeptSearch {
  readonly filter: SignalQuery;
  /** Signals that were published since it was read; at most `MOST_UNREAD`. */
  readonly unread: number;
}

/** Unread signals are counted up to so many. */
export const MOST_UNREAD = 100;

interface SearchContext {
  readonly database: Queryable;
  readonly directory: Directory;
  readonly now: () => Date;
}

/** The saved searches of an account, in the order of their names. */
export async function loadSearches(
  { database, directory, now }: SearchContext,
  account: AccountId,
): Promise<SavedSearch[]> {
  const kept = await searchesOf(database, account);
  return Promise.all(
    kept.map(async (search) => {
      const filter = filterOfText(search.query, directory);
      const bound = boundFilter(filter, { now: now(), directory });
      // What was published at the moment itself was on the page that the reader saw.
      const after = new Date(search.read_until.getTime() + 1).toISOString();
      const since = bound.since !== undefined && bound.since > after ? bound.since : after;
      return { ...search, filter, unread: await countFitting(database, { ...bound, since }, MOST_UNREAD) };
    }),
  );
}
