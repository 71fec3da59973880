/** The feed: signals by day, with filters and a pager, as the home, brand, theme and city pages show it. */
import { html } from 'hono/html';
import { z } from 'zod';
import {
  address,
  brandPath,
  cityPath,
  FEED_FORMATS,
  type Filters,
  type Markup,
  outwardLink,
  timeTag,
} from '../presentation/markup.ts';
import { listSignalPage } from '../presentation/public-records.ts';
import {
  clip,
  formatCount,
  formatDayParts,
  formatTime,
  istDay,
  labelToWords,
  MOVE_NAMES,
  parseDocument,
} from '../presentation/text.ts';
import type { Directory } from '../schemas/directory.ts';
import { Cursor, MoveKind } from '../schemas/parameters.ts';
import { SignalItem } from '../schemas/resources.ts';
import { type BrandSlug, brandSlugOf, MOVES, slugify } from '../schemas/scalar.ts';
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

const MAXIMUM_BRANDS = 4;
const MAXIMUM_CITIES = 3;
/** A longer address of a report is linked only on the page of its signal, so that lists stay small. */
const LONGEST_ADDRESS = 400;

/** Brands as links, primary brands first. @param maximum how many are shown */
export const brandLinks = (brands: SignalItem['brands'], maximum = Number.POSITIVE_INFINITY): Markup[] =>
  brands
    .toSorted((one, other) => one.role.localeCompare(other.role))
    .slice(0, maximum)
    .map(({ slug, name, role }) => html`<a class="brand ${role}" href="${brandPath(slug)}">${clip(name, 50)}</a> `);

/** Cities as links. @param maximum how many are shown */
export const cityLinks = (cities: readonly string[], maximum = Number.POSITIVE_INFINITY): Markup[] =>
  cities.slice(0, maximum).map((city) => html`<a class="city" href="${cityPath(city)}">${clip(city, 40)}</a> `);

/** The line above a headline: move, kind and theme. */
export const kicker = ({ move, kind, theme }: SignalItem): Markup => html`<p class="kicker">
  <a href="${address('/', { kind: move })}">${MOVE_NAMES[move]}</a>
  ${kind && kind.toLowerCase() !== move ? html`<span>${clip(labelToWords(kind), 40)}</span>` : null}
  ${theme ? html`<a class="theme" href="/theme/${theme.slug}">${clip(theme.name, 40)}</a>` : null}
</p>`;

/** The outlet whose report is shown, and the number of other outlets. */
const sourceLine = ({ source, outlets }: SignalItem): Markup => {
  const outlet = clip(source.outlet ?? 'Original report', 50);
  const link =
    (source.url?.length ?? 0) > LONGEST_ADDRESS ? html`<span>${outlet}</span>` : outwardLink(source.url, outlet);
  return html`${link}${outlets > 1 ? html` <span class="others">and ${formatCount(outlets - 1, 'more outlet')}</span>` : null}`;
};

const summaryLine = ({ summary, headline }: SignalItem): Markup | null =>
  summary && summary !== headline ? html`<p class="summary">${clip(summary, 260)}</p>` : null;

/** The hour, for entries that are grouped by day. */
const hourOf = ({ published_at }: SignalItem): string => `${formatTime(published_at)} IST`;

/** One signal as an entry of the feed. @param when writes its time */
export const signalEntry = (
  signal: SignalItem,
  when = hourOf,
  isLead = false,
): Markup => html`<article class="entry${isLead ? ' lead' : ''}">
  <p class="hour">${timeTag(signal.published_at, when(signal))}</p>
  <div class="particulars">${kicker(signal)}
    <h3><a href="/signal/${signal.slug}">${clip(signal.headline, 200)}</a></h3>
    ${summaryLine(signal)}
    <p class="about">${brandLinks(signal.brands, MAXIMUM_BRANDS)}${cityLinks(signal.cities, MAXIMUM_CITIES)}</p>
    <p class="byline">${sourceLine(signal)}</p>
  </div>
  ${signal.delta ? html`<p class="delta">${clip(signal.delta, 40)}</p>` : null}
</article>
`;

/** Groups a list, newest first, by the IST day of publication. */
const byDay = (signals: readonly SignalItem[]): [day: string, signals: SignalItem[]][] => [
  ...Map.groupBy(signals, (signal) => istDay(signal.published_at)),
];

const dayHeading = (instant: string): Markup => {
  const { weekday, day, year } = formatDayParts(instant);
  return html`<header class="day-head"><h2><time datetime="${istDay(instant)}"><b>${weekday}</b>
    <span>${day} ${year}</span></time></h2></header>`;
};

interface FeedStyle {
  /** The id of the signal that is shown larger. */
  readonly lead?: string | null;
  /** The script of the page checks for newer entries. */
  readonly live?: boolean;
}

/** A list of signals by day. */
export const feedList = (
  signals: readonly SignalItem[],
  { lead = null, live = false }: FeedStyle = {},
): Markup => html`<div class="feed"${live ? html` data-live` : null}>
  ${byDay(signals).map(
    ([day, entries]) => html`<section class="day">
    ${dayHeading(entries[0]?.published_at ?? day)}
    <div class="entries">${entries.map((entry) => signalEntry(entry, hourOf, entry.id === lead))}</div>
  </section>`,
  )}
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

const NAMES = { q: 'search', brand: 'brand', theme: 'theme', city: 'city' } as const;

/** The other filters that are set, each with a link that removes it. */
export const setFilters = (path: string, filters: Filters): Markup | null => {
  const set = (['q', 'brand', 'theme', 'city'] as const).filter((name) => filters[name] !== undefined);
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

/** Entries of a page: with the longest texts a page stays under 60 KB. */
const PAGE_ENTRIES = 20;

interface FeedPage {
  readonly signals: readonly SignalItem[];
  /** Address of the next older page; null at the end. */
  readonly older: string | null;
  /** Address of the first page; null on the first page. */
  readonly newest: string | null;
}

/**
 * Loads one page of the feed.
 * @param shown the filters in the address
 * @param fixed the filters of the page itself, such as its brand
 */
export async function loadFeedPage(
  site: Site,
  path: string,
  { q: _, ...shown }: FeedQuery,
  fixed: { brand?: readonly BrandSlug[]; theme?: string; city?: string; mentions?: boolean } = {},
): Promise<FeedPage> {
  const page = await listSignalPage(site.database, { ...shown, ...fixed, limit: PAGE_ENTRIES });
  return {
    signals: page.documents.map((document) => parseDocument(document, SignalItem)),
    older: page.next_cursor === null ? null : address(path, { ...shown, cursor: page.next_cursor }),
    newest: shown.cursor === undefined ? null : address(path, { ...shown, cursor: undefined }),
  };
}

/** Filters, feed and pager. */
export const feedBody = (
  path: string,
  shown: FeedQuery,
  page: FeedPage,
  empty: Markup,
  style: FeedStyle = {},
): Markup => html`
${kindFilter(path, shown)}${setFilters(path, shown)}
${page.signals.length === 0 ? empty : feedList(page.signals, style)}
${pager(page.newest, page.older)}`;

/** The message of a page without matching signals. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  No signals match these filters. <a href="${path}">Remove the filters</a>.
</p>`;
