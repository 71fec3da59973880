/** The feed: signals by day, with filters and a pager, as the home, brand, theme and city pages show it. */

import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { formatDay, istDay } from '../language/days.ts';
import { formatCount, formatNumber } from '../language/prose.ts';
import { usualSort } from '../presentation/filters.ts';
import {
  addressWith,
  brandPath,
  cityPath,
  FEED_FORMATS,
  type Markup,
  outwardLink,
  timeTag,
} from '../presentation/markup.ts';
import { listFiltered, provisionalBrands } from '../presentation/public-records.ts';
import { clip, formatDayParts, formatTime, labelToWords, MOVE_NAMES, parseDocument } from '../presentation/text.ts';
import { decodeCursor } from '../projector/models/query-parts.ts';
import { type FeedDay, feedDays, findSignal } from '../projector/models/signals-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { type SignalItem, SignalText } from '../schemas/resources.ts';
import { MOVES, type Move } from '../schemas/scalar.ts';
import {
  FilterParameters,
  filterAddress,
  filterOfParameters,
  narrows,
  type SignalQuery,
  type Sort,
} from '../schemas/signal-filter.ts';
import { chipList, filterOfPlace, type ListPlace } from './facets.ts';
import { readQuery } from './forms.ts';
import type { Site } from './site.ts';

/**
 * Reads the filter of a list from its address.
 * @throws Refusal that names the invalid fields
 */
export const readFeedQuery = (query: unknown, directory: Directory): SignalQuery =>
  filterOfParameters(readQuery(FilterParameters, query), directory);

const MAXIMUM_BRANDS = 3;
const MAXIMUM_CITIES = 2;
/** A longer address of a report is linked only on the page of its signal, so that lists stay small. */
const LONGEST_ADDRESS = 400;

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

/** Brands as links, those without a page as text, primary brands first. @param maximum how many are shown */
export const brandLinks = (brands: SignalItem['brands'], maximum = Number.POSITIVE_INFINITY): Markup[] =>
  brands
    .toSorted((one, other) => one.role.localeCompare(other.role))
    .slice(0, maximum)
    .map(({ slug, name, role, url }) =>
      url === ''
        ? html`<span class="brand ${role}">${clip(name, 50)}</span> `
        : html`<a class="brand ${role}" href="${brandPath(slug)}">${clip(name, 50)}</a> `,
    );

/** Cities as links. @param maximum how many are shown */
export const cityLinks = (cities: readonly string[], maximum = Number.POSITIVE_INFINITY): Markup[] =>
  cities.slice(0, maximum).map((city) => html`<a class="city" href="${cityPath(city)}">${clip(city, 40)}</a> `);

/** Move, kind and theme of a signal. */
export const kicker = ({ move, kind, theme }: SignalItem): Markup => html`<p class="kicker">
  <a href="${addressWith('/', { kind: move })}">${MOVE_NAMES[move]}</a>
  ${kind && kind.toLowerCase() !== move ? html`<span>${clip(labelToWords(kind), 40)}</span>` : null}
  ${theme ? html`<a class="theme" href="/theme/${theme.slug}">${clip(theme.name, 40)}</a>` : null}
</p>`;

/** Densities of the feed: three lines a story, or one. */
export const DENSITIES = ['default', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];
/** The cookie that keeps the choice. */
export const DENSITY_COOKIE = 'density';

/** The density that the reader chose. */
export const densityOf = ({ headers }: Pick<FastifyRequest, 'headers'>): Density =>
  /(?:^|;\s*)density=compact(?:;|$)/.test(headers.cookie ?? '') ? 'compact' : 'default';

/** A signal of the feed; its reports name every outlet. */
export type FeedEntry = SignalItem & Partial<Pick<SignalText, 'reports' | 'deck'>>;

/** More outlets than any real event has; a flood of copies must not make the page large. */
const MAXIMUM_OUTLETS = 12;

/** The outlets that reported a signal, the first first, each with its first report. */
function outletsOf({ source, reports = [], outlets }: FeedEntry): { named: SignalItem['source'][]; more: number } {
  const named: SignalItem['source'][] = [...new Map(reports.toReversed().map((one) => [one.outlet, one])).values()]
    .toReversed()
    .slice(0, MAXIMUM_OUTLETS);
  if (named.length === 0) return { named: [source], more: outlets - 1 };
  return { named, more: Math.max(0, new Set(reports.map(({ outlet }) => outlet)).size - named.length) };
}

const outletLink = ({ outlet, url }: SignalItem['source']): Markup => {
  const name = clip(outlet ?? 'Original report', 50);
  return (url?.length ?? 0) > LONGEST_ADDRESS ? html`<span>${name}</span>` : outwardLink(url, name);
};

/** Every outlet by name, each linked to its report. */
const outletLine = (entry: FeedEntry): Markup => {
  const { named, more } = outletsOf(entry);
  return html`<span class="byline">${named.map((one) => html`${outletLink(one)} `)}${more > 0 ? html`<a class="others" href="/signal/${entry.slug}">and ${formatCount(more, 'more outlet')}</a>` : null}</span>`;
};

/** The way to report a mistake in an entry. */
const reportLink = ({ slug, headline }: FeedEntry): Markup =>
  html`<a class="others" href="/signal/${slug}/report" rel="nofollow" title="Report a mistake" aria-label="Report a mistake: ${clip(headline, 60)}">⚑</a>`;

const summaryLine = ({ summary, deck, headline }: FeedEntry): Markup | null => {
  const text = summary ?? deck ?? null;
  return text && text !== headline ? html`<p class="summary">${clip(text, 220)}</p>` : null;
};

const kindOf = ({ move, kind }: SignalItem): string =>
  kind && kind.toLowerCase() !== move ? clip(labelToWords(kind), 40) : '';

/** The hour, for entries that are grouped by day. */
const hourOf = ({ published_at }: SignalItem): string => formatTime(published_at);

const figureOf = ({ delta }: SignalItem): Markup | null =>
  delta ? html`<p class="delta">${clip(delta, 40)}</p>` : null;

/** One signal as an entry of the feed. @param when writes its time */
export const signalEntry = (
  signal: FeedEntry,
  when = hourOf,
  isLead = false,
): Markup => html`<article class="entry${isLead ? ' lead' : ''}">
  <p class="hour">${timeTag(signal.published_at, when(signal))}</p>
  <div class="particulars"><h3><a href="/signal/${signal.slug}">${clip(signal.headline, 200)}</a></h3>
    ${summaryLine(signal)}
    <p class="about"><span class="kicker"><a href="${addressWith('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a> ${kindOf(signal) ? html`<span>${kindOf(signal)}</span>` : null}</span>
      ${brandLinks(signal.brands, MAXIMUM_BRANDS)}${cityLinks(signal.cities, MAXIMUM_CITIES)}${outletLine(signal)} ${reportLink(signal)}</p>
  </div>
  ${figureOf(signal)}
</article>
`;

/** One signal as a line. */
const signalLine = (signal: FeedEntry, isLead: boolean): Markup => {
  const { named, more } = outletsOf(signal);
  const others = named.length - 1 + more;
  return html`<article class="entry line${isLead ? ' lead' : ''}">
  <p class="hour">${timeTag(signal.published_at, hourOf(signal))}</p>
  <p class="kicker"><a href="${addressWith('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a></p>
  <h3><a href="/signal/${signal.slug}">${clip(signal.headline, 200)}</a></h3>
  ${figureOf(signal)}
  <p class="about">${brandLinks(signal.brands, 1)}</p>
  <p class="byline">${named.slice(0, 1).map(outletLink)}${others > 0 ? html` <a class="others" href="/signal/${signal.slug}" aria-label="and ${formatCount(others, 'more outlet')}">+${others}</a>` : null} ${reportLink(signal)}</p>
</article>
`;
};

/** Groups a list, newest first, by the IST day of publication. */
const byDay = (signals: readonly FeedEntry[]): [day: string, signals: FeedEntry[]][] => [
  ...Map.groupBy(signals, (signal) => istDay(signal.published_at)),
];

/** The day's counts by kind, each a link to the signals of that kind and day. */
const dayCounts = (path: string, { day, moves }: FeedDay): Markup =>
  html`<p class="counts">${MOVES.filter((move) => moves[move]).map(
    (move) =>
      html`<a href="${filterAddress(path, { only: { kind: [move] }, without: {}, from: day, to: day })}">${MOVE_NAMES[move]} <b>${formatNumber(moves[move] ?? 0)}</b></a> `,
  )}</p>`;

const dayHeading = (instant: string, counts: Markup | null): Markup => {
  const { weekday, day, year } = formatDayParts(instant);
  return html`<header class="day-head"><h2><time datetime="${istDay(instant)}"><b>${weekday}</b>
    <span>${day} ${year}</span></time></h2>${counts}</header>`;
};

interface FeedStyle {
  /** The script of the page checks for newer entries. */
  readonly live?: boolean;
  readonly density?: Density;
  /** The days of the list that have counts. */
  readonly days?: readonly FeedDay[];
  /** The ids of the lead stories. */
  readonly leads?: ReadonlySet<string>;
}

/** A list of signals by day. @param path that the counts of a day filter */
export const feedList = (
  signals: readonly FeedEntry[],
  { live = false, density = 'default', days = [], leads = new Set() }: FeedStyle = {},
  path = '/',
): Markup => html`<div class="feed${density === 'compact' ? ' compact' : ''}"${live ? html` data-live` : null}>
  ${byDay(signals).map(([day, entries]) => {
    const counted = days.find((one) => one.day === day);
    return html`<section class="day">
    ${dayHeading(entries[0]?.published_at ?? day, counted ? dayCounts(path, counted) : null)}
    <div class="entries">${entries.map((entry) =>
      density === 'compact' ? signalLine(entry, leads.has(entry.id)) : signalEntry(entry, hourOf, leads.has(entry.id)),
    )}</div>
  </section>`;
  })}
</div>`;

/** Links to older entries and back to the newest. */
const pager = ({ newest, older, sort }: FeedPage): Markup | null =>
  newest === null && older === null
    ? null
    : html`<nav class="pager" aria-label="Pages">
  ${newest === null ? html`<span></span>` : html`<a href="${newest}">${sort === 'time' ? 'Back to the newest' : 'Back to the first page'}</a>`}
  ${older === null ? html`<span>${sort === 'time' ? 'This is the end of the record.' : 'No more entries.'}</span>` : html`<a href="${older}" rel="next">${sort === 'time' ? 'Older entries' : 'More entries'}</a>`}
</nav>`;

const kindLink = (path: string, shown: SignalQuery, kind: Move | undefined, name: string): Markup => {
  const { cursor: _, ...rest } = shown;
  const { kind: set = [], ...others } = shown.only;
  const current = (kind === undefined ? set.length === 0 : set.includes(kind)) ? html` aria-current="true"` : null;
  const only = kind === undefined ? others : { ...others, kind: [kind] };
  return html`<a href="${filterAddress(path, { ...rest, only })}"${current}>${name}</a> `;
};

/** The kinds of move as links that keep the other filters. */
export const kindFilter = (
  path: string,
  shown: SignalQuery,
): Markup => html`<nav class="kinds" aria-label="Kinds of move">
  ${kindLink(path, shown, undefined, 'All')}${MOVES.map((kind) => kindLink(path, shown, kind, MOVE_NAMES[kind]))}
</nav>`;

/** Link elements that announce the feeds of a page. @param path such as `/brand/zudio`; empty for the whole record */
export const feedLinks = (path: string, title: string): Markup =>
  html`${FEED_FORMATS.map(
    ({ ending, name, type }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${path}/feed.${ending}">
    `,
  )}`;

/** The densities as links, which keep the choice in a cookie. @param here address of the page */
export const densityLinks = (here: string, density: Density): Markup => html`<nav class="kinds" aria-label="Density">
  ${DENSITIES.map((one) => html`<a href="${addressWith('/view', { density: one, to: here })}" rel="nofollow"${one === density ? html` aria-current="true"` : null}>${one === 'compact' ? 'Compact' : 'Summaries'}</a> `)}
</nav>`;

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
    const known = entries.find((entry) => entry.id === id);
    const found = known ? null : await findSignal(database, id);
    const lead = known ?? (found && 'document' in found ? textOf(found.document) : null);
    return lead ? [lead, ...others] : others;
  });
  return (await Promise.all(ordered)).flat();
}

/** A list that is not by time: best matches, or the highest salience, first. */
const ranked = (signals: readonly FeedEntry[], heading: string): Markup => html`<div class="feed"><section class="day">
  <header class="day-head"><h2>${heading}</h2></header>
  <div class="entries">${signals.map((signal) => signalEntry(signal, ({ published_at }) => formatDay(published_at)))}</div>
</section></div>`;

/** Best matches that a page lists. */
const MAXIMUM_RESULTS = 20;

/**
 * Loads one page of a list.
 * @param shown what the reader chose
 * @param place the page: its path, and what it fixes, such as its brand
 */
export async function loadFeedPage(
  site: Site,
  shown: SignalQuery,
  place: ListPlace,
  density: Density = 'default',
): Promise<FeedPage> {
  const asked = filterOfPlace(shown, place);
  const sort = shown.sort ?? usualSort(shown);
  const limit = sort === 'relevance' ? MAXIMUM_RESULTS : PAGE_ENTRIES[density];
  const page = await listFiltered(site, asked, { detail: 'text', limit, sort });
  const signals = page.documents.map(textOf);
  const { kind: _, ...others } = asked.only;
  // The days of the whole record have counts and a lead.
  const isWhole = sort === 'time' && !narrows({ ...asked, only: others });
  const days = isWhole
    ? await feedDays(
        site.database,
        byDay(signals).map(([one]) => one),
      )
    : [];
  const isLed = isWhole && asked.only.kind === undefined;
  const before = isWhole && shown.cursor !== undefined ? istDay(decodeCursor(shown.cursor)[0]) : null;
  const { cursor: __, ...first } = shown;
  return {
    signals: await withoutDeadLinks(site, isLed ? await withLeads(site, signals, days, before) : signals),
    older: page.next_cursor === null ? null : filterAddress(place.path, { ...shown, cursor: page.next_cursor }),
    newest: shown.cursor === undefined ? null : filterAddress(place.path, first),
    density,
    days,
    sort,
    leads: new Set(isLed ? days.flatMap(({ lead }) => lead ?? []) : []),
  };
}

const RANKED_HEADINGS = { salience: 'Highest salience first', relevance: 'Best matches first' } as const;

/**
 * Kinds, density, what is set, the list and its pager.
 * @param empty the message where nothing is listed
 * @param live true where newer entries are looked for
 */
export function feedBody(
  { path }: Pick<ListPlace, 'path'>,
  shown: SignalQuery,
  page: FeedPage,
  directory: Directory,
  {
    empty,
    live = false,
    above = null,
  }: { readonly empty: Markup; readonly live?: boolean; readonly above?: Markup | null },
): Markup {
  const list =
    page.sort === 'time'
      ? feedList(page.signals, { ...page, live }, path)
      : ranked(page.signals, RANKED_HEADINGS[page.sort]);
  return html`
<div class="tools">${kindFilter(path, shown)}${page.sort === 'time' ? densityLinks(filterAddress(path, shown), page.density) : null}</div>${chipList(shown, { path }, directory)}${above}
${page.signals.length === 0 && page.newest === null ? empty : list}
${page.sort === 'relevance' ? null : pager(page)}`;
}

/** The message of a page without matching signals. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  No signals match these filters. <a href="${path}">Remove the filters</a>.
</p>`;
