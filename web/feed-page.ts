/** Pages with a list of signals: what the reader chose, the page of the list, its filters and its pager. */

import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { istDay } from '../language/days.ts';
import { capitalised } from '../language/prose.ts';
import { describeFilter, usualSort } from '../presentation/filters.ts';
import { addressWith, type Markup } from '../presentation/markup.ts';
import { listFiltered, provisionalBrands } from '../presentation/public-records.ts';
import { clip, MOVE_NAMES, parseDocument } from '../presentation/text.ts';
import { decodeCursor } from '../projector/models/query-parts.ts';
import type { FacetCounts } from '../projector/models/signal-filter-queries.ts';
import { type FeedDay, feedDays, findSignal } from '../projector/models/signals-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { type SignalItem, SignalText } from '../schemas/resources.ts';
import { MOVES, Move } from '../schemas/scalar.ts';
import {
  FilterParameters,
  filterAddress,
  filterOfParameters,
  narrows,
  type SignalQuery,
  type Sort,
} from '../schemas/signal-filter.ts';
import { chipList, choosable, facetCounter, facetPanel, filterOfPlace, type ListPlace } from './facets.ts';
import { byDay, DENSITIES, type Density, densityOf, type FeedEntry, feedList, rankedList } from './feed.ts';
import { hasEmptyFields, readQuery } from './forms.ts';
import { linkRow } from './parts.ts';
import type { Site } from './site.ts';

/**
 * Reads the filter of a list from its address.
 * @throws Refusal that names the invalid fields
 */
export const readFeedQuery = (query: unknown, directory: Directory): SignalQuery =>
  filterOfParameters(readQuery(FilterParameters, query), directory);

/**
 * Signals for pages: a brand without a page has an empty address, and `brandLinks` shows it as text.
 * @param signals as stored, where every brand has an address
 */
export async function withoutDeadLinks<Signal extends SignalItem>(
  site: Pick<Site, 'database' | 'directory'>,
  signals: readonly Signal[],
): Promise<Signal[]> {
  const provisional = await provisionalBrands(
    site,
    signals.flatMap(({ brands }) => brands.map(({ slug }) => slug)),
  );
  if (provisional.size === 0) return [...signals];
  return signals.map((signal) => ({
    ...signal,
    brands: signal.brands.map((brand) => (provisional.has(brand.slug) ? { ...brand, url: '' } : brand)),
  }));
}

/** Entries of a page: with the longest texts a page stays under 60 KB. */
const PAGE_ENTRIES: Readonly<Record<Density, number>> = { default: 20, compact: 40 };

interface FeedPage {
  /** In the order in which they are shown: newest first, save the lead of each day. */
  readonly signals: readonly FeedEntry[];
  /** Address of the next older page; null at the end. */
  readonly older: string | null;
  /** Address of the first page; null on the first page. */
  readonly newest: string | null;
  readonly density: Density;
  readonly days: readonly FeedDay[];
  readonly leads: ReadonlySet<string>;
  readonly sort: Sort;
}

const textOf = (document: string): SignalText => parseDocument(document, SignalText);

/**
 * The signals with the lead of each day at its head. A day begins on the page of its newest signal: its lead is shown
 * there, wherever it is in the order of time, and on no later page.
 * @param before the day of the last signal of the page before; null on the first page
 */
async function withLeads(
  { database }: Pick<Site, 'database'>,
  signals: readonly FeedEntry[],
  days: readonly FeedDay[],
  before: string | null,
): Promise<FeedEntry[]> {
  const ordered = byDay(signals).map(async ([day, entries]): Promise<FeedEntry[]> => {
    const id = days.find((one) => one.day === day)?.lead ?? null;
    if (id === null) return entries;
    const others = entries.filter((entry) => entry.id !== id);
    if (day === before) return others;
    const listed = entries.find((entry) => entry.id === id);
    const stored = listed ? null : await findSignal(database, id);
    const lead = listed ?? (stored && 'document' in stored ? textOf(stored.document) : null);
    return lead ? [lead, ...others] : others;
  });
  return (await Promise.all(ordered)).flat();
}

/** Best matches that a page lists. */
const MAXIMUM_RESULTS = 20;

async function loadFeedPage(site: Site, shown: SignalQuery, place: ListPlace, density: Density): Promise<FeedPage> {
  const filter = filterOfPlace(shown, place);
  const sort = shown.sort ?? usualSort(shown);
  const limit = sort === 'relevance' ? MAXIMUM_RESULTS : PAGE_ENTRIES[density];
  const { documents, next_cursor } = await listFiltered(site, filter, {
    detail: 'text',
    limit,
    sort,
    dated: 'reported_at',
  });
  const signals = documents.map(textOf);
  const { kind, ...others } = filter.only;
  // The days of the whole record have counts and a lead.
  const isWhole = sort === 'time' && !narrows({ ...filter, only: others });
  const listedDays = byDay(signals).map(([day]) => day);
  const days = isWhole ? await feedDays(site.database, listedDays) : [];
  const isLed = isWhole && kind === undefined;
  const before = isWhole && shown.cursor !== undefined ? istDay(decodeCursor(shown.cursor)[0]) : null;
  const { cursor: _, ...first } = shown;
  return {
    signals: await withoutDeadLinks(site, isLed ? await withLeads(site, signals, days, before) : signals),
    older: next_cursor === null ? null : filterAddress(place.path, { ...shown, cursor: next_cursor }),
    newest: shown.cursor === undefined ? null : filterAddress(place.path, first),
    density,
    days,
    sort,
    leads: new Set(isLed ? days.flatMap(({ lead }) => lead ?? []) : []),
  };
}

interface SignalList {
  readonly place: ListPlace;
  /** What the reader chose. */
  readonly shown: SignalQuery;
  readonly page: FeedPage;
  readonly counts: FacetCounts;
}

/** Makes the loader of the lists of a page, or of the shorter address where a form sent empty fields. */
export function listLoader(
  site: Site,
): (request: FastifyRequest, place: ListPlace) => Promise<SignalList | { readonly redirect: string }> {
  const count = facetCounter(site);
  return async (request, place) => {
    const shown = choosable(readFeedQuery(request.query, site.directory), place);
    if (hasEmptyFields(request)) return { redirect: filterAddress(place.path, shown) };
    const [page, counts] = await Promise.all([
      loadFeedPage(site, shown, place, densityOf(request)),
      count(shown, place),
    ]);
    return { place, shown, page, counts };
  };
}

/** Links to older entries and back to the newest. */
const pager = ({ newest, older, sort }: FeedPage): Markup | null => {
  if (newest === null && older === null) return null;
  const isByTime = sort === 'time';
  return html`<nav class="pager" aria-label="Pages">
  ${newest === null ? html`<span></span>` : html`<a href="${newest}">${isByTime ? 'Back to the newest' : 'Back to the first page'}</a>`}
  ${older === null ? html`<span>${isByTime ? 'This is the end of the record.' : 'No more entries.'}</span>` : html`<a href="${older}" rel="next">${isByTime ? 'Older entries' : 'More entries'}</a>`}
</nav>`;
};

/** The kinds of move as links that keep the other filters. */
const kindFilter = (path: string, { cursor: _, ...shown }: SignalQuery): Markup => {
  const { kind: chosen = [], ...others } = shown.only;
  return linkRow('Kinds of move', [
    { path: filterAddress(path, { ...shown, only: others }), name: 'All', isCurrent: chosen.length === 0 },
    ...MOVES.map((kind) => ({
      path: filterAddress(path, { ...shown, only: { ...others, kind: [kind] } }),
      name: MOVE_NAMES[kind],
      isCurrent: chosen.includes(kind),
    })),
  ]);
};

/** The densities as links, which keep the choice in a cookie. @param here address of the page */
export const densityLinks = (here: string, density: Density): Markup =>
  linkRow(
    'Density',
    DENSITIES.map((one) => ({
      path: addressWith('/view', { density: one, to: here }),
      name: one === 'compact' ? 'Compact' : 'Summaries',
      isCurrent: one === density,
      isUnlisted: true,
    })),
  );

const RANKED_HEADINGS = { salience: 'Top stories first', relevance: 'Best matches first' } as const;

interface ListStyle {
  /** The message where nothing is listed. */
  readonly empty: Markup;
  /** True where newer entries are looked for. */
  readonly live?: boolean;
  readonly above?: Markup | null;
}

/** Kinds, density, what is set, the list and its pager. */
function listBody(
  { place: { path }, shown, page }: SignalList,
  directory: Directory,
  { empty, live = false, above = null }: ListStyle,
): Markup {
  const { sort, signals } = page;
  const list =
    sort === 'time' ? feedList(signals, { ...page, live }, path) : rankedList(signals, RANKED_HEADINGS[sort]);
  return html`
<div class="tools">${kindFilter(path, shown)}${sort === 'time' ? densityLinks(filterAddress(path, shown), page.density) : null}</div>${chipList(shown, { path }, directory)}${above}
${signals.length === 0 && page.newest === null ? empty : list}
${sort === 'relevance' ? null : pager(page)}`;
}

/** The filters of a list, and the list. @param style of the list */
export const filteredList = (
  { directory }: Pick<Site, 'directory'>,
  list: SignalList,
  style: ListStyle,
  className: string | null = 'stories',
): Markup => html`${facetPanel(list.shown, list.place, list.counts, directory)}
  <div${className === null ? null : html` class="${className}"`} id="stories">${listBody(list, directory, style)}</div>`;

const ORDERS: Readonly<Record<Sort, string>> = { time: 'newest', salience: 'top stories', relevance: 'best matches' };

/**
 * The title of a page with a list: no two pages have the same.
 * @param name of the page; unset for the whole record
 */
export function listTitle(name: string | undefined, shown: SignalQuery, directory: Directory): string | undefined {
  const { kind, ...only } = shown.only;
  const kinds = kind?.map((one) => MOVE_NAMES[Move.parse(one)]).join(', ');
  const { cursor, sort, words, ...rest } = { ...shown, only };
  const parts = [
    name,
    words === undefined ? undefined : `“${clip(words, 60)}”`,
    kinds,
    describeFilter(rest, directory),
    sort === undefined ? undefined : ORDERS[sort],
    cursor === undefined ? undefined : 'older entries',
  ].filter((part) => part !== undefined && part !== '');
  const title = parts.join(', ');
  return title === '' ? undefined : clip(capitalised(title), 120);
}

/** What the pages of a brand, a theme and a city tell browsers: each is a list under a name. */
export const listedPage = ({ shown, place: { path } }: SignalList, name: string, directory: Directory) => ({
  title: listTitle(name, shown, directory) ?? name,
  path: filterAddress(path, shown),
});

/** The message of a page without matching signals. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  No signals match these filters. <a href="${path}">Remove the filters</a>.
</p>`;
