/** The feed: signals by day, with filters and a pager, as the home, brand, theme and city pages show it. */
import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import {
  address,
  addressWith,
  brandPath,
  cityPath,
  FEED_FORMATS,
  type Filters,
  type Markup,
  outwardLink,
  timeTag,
} from '../presentation/markup.ts';
import { listSignalPage, provisionalBrands } from '../presentation/public-records.ts';
import {
  clip,
  formatCount,
  formatDayParts,
  formatNumber,
  formatTime,
  istDay,
  labelToWords,
  MOVE_NAMES,
  parseDocument,
} from '../presentation/text.ts';
import { decodeCursor } from '../projector/models/query-parts.ts';
import { type FeedDay, feedDays, findSignal } from '../projector/models/signals-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { Cursor, MoveKind } from '../schemas/parameters.ts';
import { type SignalItem, SignalText } from '../schemas/resources.ts';
import { type BrandSlug, brandSlugOf, IstDay, MOVES, slugify } from '../schemas/scalar.ts';
import { readQuery } from './forms.ts';
import type { Site } from './site.ts';

const NAME = /^[\p{L}\p{M}\p{N} .,'’()&+!-]{1,80}$/u;
const name = (what: string) => z.string().trim().regex(NAME).describe(what);

const FeedQuery = z.object({
  q: z
    .string()
    .trim()
    .max(200)
    .refine((text) => !text.includes('\0'))
    .describe('words to search for, at most 200 characters')
    .optional(),
  kind: MoveKind.optional(),
  brand: name('a brand, such as Zudio').optional(),
  theme: name('a theme, such as quick-commerce').optional(),
  city: name('the name of a city, such as Pune').optional(),
  day: IstDay.describe('a day in India, such as 2026-11-21').optional(),
  cursor: Cursor.optional(),
});
export type FeedQuery = Omit<z.output<typeof FeedQuery>, 'brand'> & { brand?: BrandSlug };

/**
 * Reads the filters of a feed page from its address. Names that readers type are resolved: a brand and a theme to their
 * slugs, a city to its name in the catalogue.
 * @throws Refusal that names the invalid fields
 */
export function readFeedQuery(query: unknown, directory: Directory): FeedQuery {
  const { brand, theme, city, ...others } = readQuery(FeedQuery, query);
  return {
    ...others,
    ...(brand && { brand: directory.currentSlug(directory.brandNamed(brand)?.slug ?? brandSlugOf(brand)) }),
    ...(theme && { theme: slugify(theme) }),
    ...(city && { city: directory.city(city)?.name ?? city }),
  };
}

/** Whether any filter is set. */
export const isNarrowed = (shown: FeedQuery): boolean => Object.values(shown).some((value) => value !== undefined);

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
  <a href="${address('/', { kind: move })}">${MOVE_NAMES[move]}</a>
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
    <p class="about"><span class="kicker"><a href="${address('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a> ${kindOf(signal) ? html`<span>${kindOf(signal)}</span>` : null}</span>
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
  <p class="kicker"><a href="${address('/', { kind: signal.move })}">${MOVE_NAMES[signal.move]}</a></p>
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
      html`<a href="${address(path, { kind: move, day })}">${MOVE_NAMES[move]} <b>${formatNumber(moves[move] ?? 0)}</b></a> `,
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
const pager = (newest: string | null, older: string | null): Markup | null =>
  newest === null && older === null
    ? null
    : html`<nav class="pager" aria-label="Pages">
  ${newest === null ? html`<span></span>` : html`<a href="${newest}">Back to the newest</a>`}
  ${older === null ? html`<span>This is the end of the record.</span>` : html`<a href="${older}" rel="next">Older entries</a>`}
</nav>`;

const kindLink = (path: string, filters: Filters, kind: string | undefined, name: string): Markup => {
  const current = filters.kind === kind ? html` aria-current="true"` : null;
  return html`<a href="${address(path, { ...filters, kind, cursor: undefined })}"${current}>${name}</a> `;
};

/** The kinds of move as links that keep the other filters. */
export const kindFilter = (
  path: string,
  filters: Filters,
): Markup => html`<nav class="kinds" aria-label="Kinds of move">
  ${kindLink(path, filters, undefined, 'All')}${MOVES.map((kind) => kindLink(path, filters, kind, MOVE_NAMES[kind]))}
</nav>`;

const NAMES = { q: 'search', brand: 'brand', theme: 'theme', city: 'city', day: 'day' } as const;

/** The other filters that are set, each with a link that removes it. */
export const setFilters = (path: string, filters: Filters): Markup | null => {
  const set = (['q', 'brand', 'theme', 'city', 'day'] as const).filter((name) => filters[name] !== undefined);
  if (set.length === 0) return null;
  return html`<p class="set">Only ${set.map(
    (name) => html`<span>${NAMES[name]} <b>${clip(filters[name] ?? '', 60)}</b>
    <a href="${address(path, { ...filters, [name]: undefined, cursor: undefined })}" aria-label="Without this ${NAMES[name]}">✕</a></span> `,
  )}</p>`;
};

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
}

/** What a page fixes of its feed. */
interface FixedFeed {
  readonly brand?: readonly BrandSlug[];
  readonly theme?: string;
  readonly city?: string;
  readonly mentions?: boolean;
  readonly density?: Density;
}

const DAY_MILLISECONDS = 86_400_000;
/** The bounds of a day in India. */
const boundsOf = (day: string | undefined) => {
  if (day === undefined) return {};
  const since = new Date(`${day}T00:00:00+05:30`);
  return { since: since.toISOString(), until: new Date(since.getTime() + DAY_MILLISECONDS).toISOString() };
};

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

/**
 * Loads one page of the feed.
 * @param shown the filters in the address
 * @param fixed the filters of the page itself, such as its brand, and its density
 */
export async function loadFeedPage(
  site: Site,
  path: string,
  { q: _, ...shown }: FeedQuery,
  { density = 'default', ...fixed }: FixedFeed = {},
): Promise<FeedPage> {
  const { day, ...filters } = shown;
  const page = await listSignalPage(site.database, {
    ...{ ...filters, ...boundsOf(day), ...fixed },
    ...{ detail: 'text', limit: PAGE_ENTRIES[density] },
  });
  const signals = page.documents.map(textOf);
  // The days of the whole record have counts and a lead.
  const isWhole = path === '/' && [shown.brand, shown.theme, shown.city].every((filter) => filter === undefined);
  const days = isWhole
    ? await feedDays(
        site.database,
        byDay(signals).map(([one]) => one),
      )
    : [];
  const isLed = isWhole && shown.kind === undefined;
  const before = shown.cursor === undefined ? null : istDay(decodeCursor(shown.cursor)[0]);
  return {
    signals: await withoutDeadLinks(site, isLed ? await withLeads(site, signals, days, before) : signals),
    older: page.next_cursor === null ? null : address(path, { ...shown, cursor: page.next_cursor }),
    newest: shown.cursor === undefined ? null : address(path, { ...shown, cursor: undefined }),
    ...{ density, days, leads: new Set(isLed ? days.flatMap(({ lead }) => lead ?? []) : []) },
  };
}

/**
 * Filters, feed and pager.
 * @param empty the message where nothing is listed
 * @param options.more further filters, next to the kinds
 */
export const feedBody = (
  path: string,
  shown: FeedQuery,
  page: FeedPage,
  empty: Markup,
  { live = false, more = null }: { readonly live?: boolean; readonly more?: Markup | null } = {},
): Markup => html`
<div class="tools">${kindFilter(path, shown)}${more}${densityLinks(address(path, shown), page.density)}</div>${setFilters(path, shown)}
${page.signals.length === 0 && page.newest === null ? empty : feedList(page.signals, { ...page, live }, path)}
${pager(page.newest, page.older)}`;

/** The message of a page without matching signals. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  No signals match these filters. <a href="${path}">Remove the filters</a>.
</p>`;
