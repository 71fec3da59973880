/** Saved searches as the API and the pages offer them: their filters, how many signals are unread, their digests and feeds. */
import type { Queryable } from '../log/postgres/database.ts';
import { type KeptSearch, searchById, searchesOf } from '../projector/models/saved-searches-queries.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Directory } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import {
  boundFilter,
  filterAddress,
  filterOfText,
  narrows,
  parametersOfFilter,
  type SignalQuery,
} from '../schemas/signal-filter.ts';
import { SavedSearchId, type SearchDocument, type SearchFeed } from '../schemas/subscriptions.ts';
import { describeFilter, first } from './filter-text.ts';

export interface SavedSearch extends KeptSearch {
  readonly filter: SignalQuery;
  /** Signals that were published since it was read; at most `MOST_UNREAD`. */
  readonly unread: number;
  /** RFC 3339; what was published at it or later is unread. */
  readonly unread_since: string;
}

/** Unread signals are counted up to so many. */
export const MOST_UNREAD = 100;

interface SearchContext {
  readonly database: Queryable;
  readonly search: SignalSearch;
  readonly directory: Directory;
  readonly now: () => Date;
}

const loaded = async ({ search, directory, now }: SearchContext, kept: KeptSearch): Promise<SavedSearch> => {
  const filter = filterOfText(kept.query, directory);
  const bound = boundFilter(filter, { now: now(), directory });
  // What was published at the moment itself was on the page that the reader saw.
  const after = new Date(kept.read_until.getTime() + 1).toISOString();
  const unread_since = bound.since !== undefined && bound.since > after ? bound.since : after;
  return {
    ...kept,
    filter,
    unread: await search.count({ ...bound, since: unread_since }, MOST_UNREAD),
    unread_since,
  };
};

/** The saved searches of an account, in the order of their names. */
export async function loadSearches(context: SearchContext, account: AccountId): Promise<SavedSearch[]> {
  const kept = await searchesOf(context.database, account);
  return Promise.all(kept.map((search) => loaded(context, search)));
}

/** @throws Refusal `not_found` for a search that the account does not have */
export async function loadSearch(context: SearchContext, account: AccountId, id: string): Promise<SavedSearch> {
  const kept = SavedSearchId.safeParse(id).success ? await searchById(context.database, account, id) : null;
  if (!kept) throw new Refusal('not_found', `You have no saved search ${quoted(id)}. /searches lists yours.`);
  return loaded(context, kept);
}

/** A filter as it is saved: without its place in a list. */
export const queryText = (filter: SignalQuery): string =>
  new URLSearchParams(parametersOfFilter(first(filter))).toString();

/** @throws Refusal for a filter that narrows nothing */
export function savedFilter(filter: SignalQuery): SignalQuery {
  if (!narrows(filter))
    throw new Refusal('invalid_request', 'No filter is set. Choose a filter or search for words, then save it.');
  return filter;
}

/** The list of a search on the pages: every signal that fits, the newest first. */
export const searchAddress = ({ filter }: Pick<SavedSearch, 'filter'>): string =>
  filterAddress('/', { ...filter, sort: 'time' });

/** The digest of a search that is mailed, or was until its mails were refused; null for none. */
export function digestOf({
  digest,
  digest_email,
  digest_ended_by,
}: KeptSearch): NonNullable<SearchDocument['digest']> | null {
  if (digest === null || digest_email === null) return null;
  if (digest_ended_by !== null && digest_ended_by !== 'undeliverable') return null;
  return { every: digest, email: digest_email, status: digest_ended_by === null ? 'active' : 'paused' };
}

/** A search as the API serves it. @param baseUrl without a slash at its end */
export const searchDocument = (
  search: SavedSearch,
  { directory, baseUrl }: { readonly directory: Directory; readonly baseUrl: string },
): SearchDocument => ({
  ...{ id: search.key, name: search.name, query: search.query },
  description: describeFilter(search.filter, directory),
  url: `${baseUrl}/searches/${search.key}`,
  unread: search.unread,
  read_until: search.read_until.toISOString(),
  saved_at: search.saved_at.toISOString(),
  feed: search.token_hash !== null,
  digest: digestOf(search),
});

/** The addresses of the feed of a token. */
export const searchFeed = (baseUrl: string, token: string): SearchFeed => {
  const url = (ending: string): string => `${baseUrl}/saved/${token}/feed.${ending}`;
  return { token, urls: { atom: url('atom'), json: url('json'), csv: url('csv') } };
};
