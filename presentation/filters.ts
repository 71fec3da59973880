/** Filters of signals in words, the filters one step away, and saved searches as API and pages offer them. */
import { formatDay } from '../language/days.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { type KeptSearch, searchById, searchesOf } from '../projector/models/saved-searches-queries.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import type { FacetGroup } from '../projector/models/signal-filter-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Directory } from '../schemas/directory.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { WATCH_BRANDS } from '../schemas/resources.ts';
import { type BrandSlug, Move, StoredBrandSlug } from '../schemas/scalar.ts';
import {
  boundFilter,
  type Chosen,
  FACETS,
  type Facet,
  filterAddress,
  filterOfText,
  MAXIMUM_VALUES,
  MY_BRANDS,
  narrows,
  parametersOfFilter,
  type SignalFilter,
  type SignalQuery,
  type Sort,
} from '../schemas/signal-filter.ts';
import { SavedSearchId, type SearchDocument, type SearchFeed } from '../schemas/subscriptions.ts';
import { followedNames } from './subscriptions.ts';
import { clip, MOVE_NAMES, neutralise, slugToWords } from './text.ts';

/** Names of what is filtered by. */
export const GROUP_NAMES: Readonly<Record<FacetGroup, string>> = {
  kind: 'Kind of move',
  days: 'Published',
  brand: 'Brand',
  theme: 'Theme',
  city: 'City',
  outlet: 'Outlet',
  outlets: 'Reported by',
};

/** The name of a value, as readers know it. */
export function facetValueName(facet: Facet, value: string, directory: Directory): string {
  if (facet === 'kind') return MOVE_NAMES[Move.parse(value)];
  const name =
    facet === 'brand'
      ? directory.brand(StoredBrandSlug.parse(value))?.name
      : facet === 'theme'
        ? directory.theme(value)?.name
        : value;
  return clip(neutralise(name ?? slugToWords(value)), 50);
}

// Changes of a filter; each starts the list from its first page.

/** The filter at its first page. */
export const first = (shown: SignalQuery): SignalQuery => {
  const { cursor: _, ...others } = shown;
  return others;
};

const withValues = (chosen: Chosen, facet: Facet, values: readonly string[]): Chosen => {
  const { [facet]: _, ...others } = chosen;
  return values.length > 0 ? { ...others, [facet]: values } : others;
};

/** The filter with a value added, or without it where it is set. */
export function toggled(shown: SignalQuery, side: 'only' | 'without', facet: Facet, value: string): SignalQuery {
  const set = shown[side][facet] ?? [];
  const values = set.includes(value) ? set.filter((one) => one !== value) : [...set, value];
  const other = side === 'only' ? 'without' : 'only';
  const left = (shown[other][facet] ?? []).filter((one) => one !== value);
  return {
    ...first(shown),
    [side]: withValues(shown[side], facet, values),
    [other]: withValues(shown[other], facet, left),
  };
}

/** The filter without some of its fields. */
export function without(shown: SignalQuery, ...fields: readonly (keyof SignalQuery)[]): SignalQuery {
  const left = Object.entries(first(shown)).filter(([field]) => !(fields as readonly string[]).includes(field));
  const narrowed = Object.fromEntries(left) as unknown as SignalQuery;
  // Without words there is no best match.
  return narrowed.words === undefined && narrowed.sort === 'relevance' ? without(narrowed, 'sort') : narrowed;
}

/** A filter that is set, in words, with the filter that is left without it. */
export interface FilterChip {
  readonly text: string;
  readonly left: SignalQuery;
}

/** The filters that are set, in the order of the address. */
export function filterChips(shown: SignalQuery, directory: Directory): FilterChip[] {
  const listed = (side: 'only' | 'without'): FilterChip[] =>
    FACETS.flatMap((facet) =>
      (shown[side][facet] ?? []).map((value) => {
        const name = `${GROUP_NAMES[facet]}: ${facetValueName(facet, value, directory)}`;
        return { text: side === 'only' ? name : `Not ${name}`, left: toggled(shown, side, facet, value) };
      }),
    );
  const { words, about, days, from, to, outlets } = shown;
  const isDay = from !== undefined && from === to;
  return [
    ...(words === undefined ? [] : [{ text: `Words: ${words}`, left: without(shown, 'words') }]),
    ...listed('only'),
    ...listed('without'),
    ...(about ? [{ text: 'Only about the brands', left: without(shown, 'about') }] : []),
    ...(days === undefined ? [] : [{ text: daysText(days), left: without(shown, 'days') }]),
    ...(isDay ? [{ text: `On ${formatDay(from)}`, left: without(shown, 'from', 'to') }] : []),
    ...(from && !isDay ? [{ text: `From ${formatDay(from)}`, left: without(shown, 'from') }] : []),
    ...(to && !isDay ? [{ text: `Until ${formatDay(to)}`, left: without(shown, 'to') }] : []),
    ...(outlets === undefined ? [] : [{ text: outletsText(outlets), left: without(shown, 'outlets') }]),
  ];
}

/** `Last 30 days`. */
export const daysText = (days: number): string => {
  if (days === 365) return 'Last year';
  return days === 1 ? 'Last 24 hours' : `Last ${days} days`;
};
const outletsText = (outlets: number): string => `Reported by at least ${outlets} outlets`;

/** A filter in words, such as `Kind of move: Stores, Last 30 days`; empty without any. */
export const describeFilter = (filter: SignalFilter, directory: Directory): string =>
  filterChips(filter, directory)
    .map(({ text }) => text)
    .join(', ');

/** The order of a list where its address has none. */
export const usualSort = ({ words }: SignalFilter): Sort => (words === undefined ? 'time' : 'relevance');

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

/** The filter of a saved search; "my brands" are those that its account follows now. */
export async function ownFilter(
  context: { readonly database: Queryable; readonly directory: Directory },
  { account, query }: { readonly account: AccountId; readonly query: string },
): Promise<SignalQuery> {
  const filter = filterOfText(query, context.directory);
  const { brand = [] } = filter.only;
  if (!brand.includes(MY_BRANDS)) return filter;
  const { brands } = await followedNames(context, account);
  // Who follows nothing has no stories in it, rather than all.
  const named = brands.length === 0 ? brand : [...brand.filter((slug) => slug !== MY_BRANDS), ...brands];
  return { ...filter, only: { ...filter.only, brand: [...new Set(named)].slice(0, MAXIMUM_VALUES) } };
}

const loaded = async (context: SearchContext, kept: KeptSearch): Promise<SavedSearch> => {
  const { search, directory, now } = context;
  const filter = await ownFilter(context, kept);
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
  id: search.key,
  name: search.name,
  query: search.query,
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

/** The brands that a filter compares, which is all that it says; none for another filter. */
export const comparedBrands = ({ only, ...others }: SignalFilter): readonly BrandSlug[] => {
  const { brand = [], ...rest } = only;
  const isAlone = !narrows({ ...others, only: rest });
  return isAlone && brand.length > 1 ? brand.slice(0, WATCH_BRANDS).map((slug) => StoredBrandSlug.parse(slug)) : [];
};
