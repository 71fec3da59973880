/** The feed: signals by day, with filters and a pager, as the home, brand, theme and city pages show it. */
import { html } from 'hono/html';
import { z } from 'zod';
import { clock, dayParts, istDay } from '../presentation/dates.ts';
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
import { listPage } from '../presentation/public-records.ts';
import { clip, counted, MOVE_NAMES, readDocument, unkebab } from '../presentation/text.ts';
import type { Directory } from '../schemas/directory.ts';
import { Cursor, MoveKind } from '../schemas/parameters.ts';
import { SignalItem } from '../schemas/resources.ts';
import { MOVES, slugify } from '../schemas/scalar.ts';
import { readQuery } from './forms.ts';
import type { Site } from './site.ts';

// The filters of a feed page as they stand in its address.

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
export type FeedQuery = z.output<typeof FeedQuery>;

/**
 * Reads them. People type names; what a name stands for is looked up: a brand and a theme become their slugs, a city its
 * name in the catalogue.
 * @throws Refusal naming what cannot be used
 */
export function readFeedQuery(query: unknown, directory: Directory): FeedQuery {
  const { brand, theme, city, ...others } = readQuery(FeedQuery, query);
  return {
    ...others,
    ...(brand && { brand: directory.currentSlug(directory.brandNamed(brand)?.slug ?? slugify(brand)) }),
    ...(theme && { theme: slugify(theme) }),
    ...(city && { city: directory.city(city)?.name ?? city }),
  };
}

/** Whether anything narrows the feed. */
export const isNarrowed = (shown: FeedQuery): boolean => Object.values(shown).some((value) => value !== undefined);

// One signal as a line of the ledger: when, what moved, by how much, who says so.

const MAXIMUM_BRANDS = 4;
const MAXIMUM_CITIES = 3;
/** A longer address of a report is left to the signal's own page, so that no list grows heavy. */
const LONGEST_ADDRESS = 400;

/** Brands as links, the ones that the story is about first and stronger. */
export const brandLinks = (brands: SignalItem['brands'], most = Number.POSITIVE_INFINITY): Markup[] =>
  brands
    .toSorted((one, other) => one.role.localeCompare(other.role))
    .slice(0, most)
    .map(({ slug, name, role }) => html`<a class="brand ${role}" href="${brandPath(slug)}">${clip(name, 50)}</a> `);

/** Cities as links to their pages. */
export const cityLinks = (cities: readonly string[], most = Number.POSITIVE_INFINITY): Markup[] =>
  cities.slice(0, most).map((city) => html`<a class="city" href="${cityPath(city)}">${clip(city, 40)}</a> `);

/** The kind of move with what stands beside it. */
export const kicker = ({ move, kind, theme }: SignalItem): Markup => html`<p class="kicker">
  <a href="${address('/', { kind: move })}">${MOVE_NAMES[move]}</a>
  ${kind && kind.toLowerCase() !== move ? html`<span>${clip(unkebab(kind), 40)}</span>` : null}
  ${theme ? html`<a class="theme" href="/theme/${theme.slug}">${clip(theme.name, 40)}</a>` : null}
</p>`;

/** The outlet whose words are shown, with its report, and how many others told it. */
const sourceLine = ({ source, outlets }: SignalItem): Markup => {
  const outlet = clip(source.outlet ?? 'Original report', 50);
  const link =
    (source.url?.length ?? 0) > LONGEST_ADDRESS ? html`<span>${outlet}</span>` : outwardLink(source.url, outlet);
  return html`${link}${outlets > 1 ? html` <span class="others">and ${counted(outlets - 1, 'more outlet')}</span>` : null}`;
};

const summaryLine = ({ summary, headline }: SignalItem): Markup | null =>
  summary && summary !== headline ? html`<p class="summary">${clip(summary, 260)}</p>` : null;

/** The hour, for a list that stands under its day. */
const hourOf = ({ published_at }: SignalItem): string => `${clock(published_at)} IST`;

/** The entry as an article of the feed. @param when what stands for its time */
export const signalEntry = (signal: SignalItem, when = hourOf): Markup => html`<article class="entry">
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

// Signals in the order of the record: by IST day, newest first.

/** Groups a list, which is newest first already, by the IST day of publication. */
const byDay = (signals: readonly SignalItem[]): [day: string, signals: SignalItem[]][] => [
  ...Map.groupBy(signals, (signal) => istDay(signal.published_at)),
];

const dayHeading = (instant: string): Markup => {
  const { weekday, day, year } = dayParts(instant);
  return html`<header class="day-head"><h2><time datetime="${istDay(instant)}"><b>${weekday}</b>
    <span>${day} ${year}</span></time></h2></header>`;
};

interface FeedStyle {
  /** The newest entry is set larger. */
  readonly leads?: boolean;
  /** The page asks for newer entries by itself, where scripts run. */
  readonly live?: boolean;
}

/** The days with their entries. */
export const feedList = (
  signals: readonly SignalItem[],
  { leads = false, live = false }: FeedStyle = {},
): Markup => html`<div class="feed${leads ? ' leads' : ''}"${live ? html` data-live` : null}>
  ${byDay(signals).map(
    ([day, entries]) => html`<section class="day">
    ${dayHeading(entries[0]?.published_at ?? day)}
    <div class="entries">${entries.map((entry) => signalEntry(entry))}</div>
  </section>`,
  )}
</div>`;

/** The way to older entries and back to the newest, as plain links. */
const pager = (newest: string | null, older: string | null): Markup | null =>
  newest === null && older === null
    ? null
    : html`<nav class="pager" aria-label="Pages">
  ${newest === null ? html`<span></span>` : html`<a href="${newest}">Back to the newest</a>`}
  ${older === null ? html`<span>The record begins here.</span>` : html`<a href="${older}" rel="next">Older entries</a>`}
</nav>`;

// What narrows a feed: the kinds of move as links, and what is set now, each with a way out.

const kindLink = (path: string, filters: Filters, kind: string | undefined, name: string): Markup => {
  const current = filters.kind === kind ? html` aria-current="true"` : null;
  return html`<a href="${address(path, { ...filters, kind, cursor: undefined })}"${current}>${name}</a> `;
};

/** The eight kinds as links that keep every other filter. */
export const kindFilter = (
  path: string,
  filters: Filters,
): Markup => html`<nav class="kinds" aria-label="Kinds of move">
  ${kindLink(path, filters, undefined, 'All')}${MOVES.map((kind) => kindLink(path, filters, kind, MOVE_NAMES[kind]))}
</nav>`;

const NAMES = { q: 'search', brand: 'brand', theme: 'theme', city: 'city' } as const;

/** Filters that are set beside the kind, each with a link that takes it off. */
export const setFilters = (path: string, filters: Filters): Markup | null => {
  const set = (['q', 'brand', 'theme', 'city'] as const).filter((name) => filters[name] !== undefined);
  if (set.length === 0) return null;
  return html`<p class="set">Only ${set.map(
    (name) => html`<span>${NAMES[name]} <b>${clip(filters[name] ?? '', 60)}</b>
    <a href="${address(path, { ...filters, [name]: undefined, cursor: undefined })}" aria-label="Without this ${NAMES[name]}">✕</a></span> `,
  )}</p>`;
};

// Tells browsers and feed readers where the feeds of a page stand.

/** Elements for the head. @param path of the page, such as `/brand/zudio`; empty for the whole record */
export const feedLinks = (path: string, title: string): Markup =>
  html`${FEED_FORMATS.map(
    ({ ending, name, type }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${path}/feed.${ending}">
    `,
  )}`;

// What home, brand, theme and city pages share: a page of the feed with its filters.

/** With the longest texts that are shown, so many keep a page under 60 KB. */
const PAGE_ENTRIES = 20;

interface FeedPage {
  readonly signals: readonly SignalItem[];
  /** Address of the next older page, null at the end. */
  readonly older: string | null;
  /** Address of the first page, null on it. */
  readonly newest: string | null;
}

/**
 * Loads one page.
 * @param shown the filters that stand in the address
 * @param fixed what the page itself narrows to, such as its brand
 */
export async function loadFeedPage(
  site: Site,
  path: string,
  { q: _, ...shown }: FeedQuery,
  fixed: { brand?: string | readonly string[]; theme?: string; city?: string; mentions?: boolean } = {},
): Promise<FeedPage> {
  const page = await listPage(site.database, { ...shown, ...fixed, limit: PAGE_ENTRIES });
  return {
    signals: page.documents.map((document) => readDocument(document, SignalItem)),
    older: page.next_cursor === null ? null : address(path, { ...shown, cursor: page.next_cursor }),
    newest: shown.cursor === undefined ? null : address(path, { ...shown, cursor: undefined }),
  };
}

/** The feed with the filters over it and the pager under it. */
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

/** For a page whose filters leave nothing. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  Nothing in the record fits this choice. <a href="${path}">Take the filters off</a>.
</p>`;
