/** The feed: signals by day, as entries of three lines or of one. */
import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { istDay } from '../language/days.ts';
import { formatCount, formatNumber } from '../language/prose.ts';
import {
  addressWith,
  brandPath,
  cityPath,
  FEED_FORMATS,
  type Markup,
  outwardLink,
  timeTag,
} from '../presentation/markup.ts';
import { clip, formatAxisDay, formatDayParts, formatTime, labelToWords, MOVE_NAMES } from '../presentation/text.ts';
import type { FeedDay } from '../projector/models/signals-queries.ts';
import { reportedAt, type SignalItem, type SignalText } from '../schemas/resources.ts';
import { MOVES } from '../schemas/scalar.ts';
import { filterAddress, type SignalQuery } from '../schemas/signal-filter.ts';

const MAXIMUM_BRANDS = 3;
const MAXIMUM_CITIES = 2;
/** A longer address of a report is linked only on the page of its signal, so that lists stay small. */
const LONGEST_ADDRESS = 400;

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

/** The kind of a move, where it says more than the move: not "Deal" next to "Deals". */
const kindOf = ({ move, kind }: SignalItem): Markup | null =>
  kind && !move.startsWith(kind.toLowerCase()) ? html`<span>${clip(labelToWords(kind), 40)}</span>` : null;

const moveLink = ({ move }: SignalItem): Markup =>
  html`<a href="${addressWith('/', { kind: move })}">${MOVE_NAMES[move]}</a>`;

/** Move, kind and theme of a signal, for the line above its headline. */
export const moveLine = (signal: SignalItem): Markup => html`
  ${moveLink(signal)} ${kindOf(signal)}
  ${signal.theme ? html`<a class="theme" href="/theme/${signal.theme.slug}">${clip(signal.theme.name, 40)}</a>` : null}`;

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

/** The page of the signal names all of them. */
const MAXIMUM_OUTLETS = 4;

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

/** The first outlets by name, each linked to its report. */
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

/** The hour of the first report, for entries that are grouped by its day. */
const hourOf = (signal: SignalItem): string => formatTime(reportedAt(signal));

const figureOf = ({ delta }: SignalItem): Markup | null =>
  delta ? html`<p class="delta">${clip(delta, 40)}</p>` : null;

const headingOf = ({ slug, headline }: FeedEntry): Markup =>
  html`<h3><a href="/signal/${slug}">${clip(headline, 200)}</a></h3>`;

/** One signal as an entry of the feed. @param when writes its time @param below what follows in the entry */
export const signalEntry = (
  signal: FeedEntry,
  when = hourOf,
  marks = '',
  below: Markup | null = null,
): Markup => html`<article class="entry${marks}">
  <p class="hour">${timeTag(reportedAt(signal), when(signal))}</p>
  <div class="particulars">${headingOf(signal)}
    ${summaryLine(signal)}
    <p class="about"><span class="kicker">${moveLink(signal)} ${kindOf(signal)}</span>
      ${brandLinks(signal.brands, MAXIMUM_BRANDS)}${cityLinks(signal.cities, MAXIMUM_CITIES)}${outletLine(signal)} ${reportLink(signal)}</p>
  </div>
  ${figureOf(signal)}${below}
</article>
`;

const signalLine = (signal: FeedEntry, when: typeof hourOf, marks: string): Markup => {
  const { named, more } = outletsOf(signal);
  const others = named.length - 1 + more;
  return html`<article class="entry line${marks}">
  <p class="hour">${timeTag(reportedAt(signal), when(signal))}</p>
  <p class="kicker">${moveLink(signal)}</p>
  ${headingOf(signal)}
  ${figureOf(signal)}
  <p class="about">${brandLinks(signal.brands, 1)}</p>
  <p class="byline">${named.slice(0, 1).map(outletLink)}${others > 0 ? html` <a class="others" href="/signal/${signal.slug}" aria-label="and ${formatCount(others, 'more outlet')}">+${others}</a>` : null} ${reportLink(signal)}</p>
</article>
`;
};

/** Groups a list, newest first, by the IST day of publication. */
export const byDay = (signals: readonly FeedEntry[]): [day: string, signals: FeedEntry[]][] => [
  ...Map.groupBy(signals, (signal) => istDay(reportedAt(signal))),
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

const monthOf = (instant: string): string => istDay(instant).slice(0, 7);

const monthHeading = (instant: string): Markup => {
  const { month, year } = formatDayParts(instant);
  return html`<header class="day-head"><h2><time datetime="${monthOf(instant)}"><b>${month}</b>
    <span>${year}</span></time></h2></header>`;
};

const reportDay = (signal: SignalItem): string => formatAxisDay(reportedAt(signal));

/** A list with fewer stories a day has months for headings, and the day next to each story. */
const LEAST_A_DAY = 2;
/** Shorter lists keep their days: they are whole in any window. */
const LEAST_BY_MONTH = 4;

const isSparse = (signals: readonly FeedEntry[]): boolean =>
  signals.length >= LEAST_BY_MONTH && byDay(signals).length * LEAST_A_DAY > signals.length;

interface FeedStyle {
  /** The script of the page checks for newer entries. */
  readonly live?: boolean;
  readonly density?: Density;
  /** The days of the list that have counts. */
  readonly days?: readonly FeedDay[];
  /** The ids of the lead stories. */
  readonly leads?: ReadonlySet<string>;
  /** The ids of stories that the reader has not read. */
  readonly unread?: ReadonlySet<string>;
}

/** A list of signals by day, or by month where most days have one story. @param path that the counts of a day filter */
export function feedList(
  signals: readonly FeedEntry[],
  { live = false, density = 'default', days = [], leads = new Set(), unread = new Set() }: FeedStyle = {},
  path = '/',
): Markup {
  const byMonth = days.length === 0 && isSparse(signals);
  const groups = byMonth ? Map.groupBy(signals, (signal) => monthOf(reportedAt(signal))) : byDay(signals);
  const when = byMonth ? reportDay : hourOf;
  const group = ([day, entries]: [day: string, entries: FeedEntry[]]): Markup => {
    const first = entries[0] ? reportedAt(entries[0]) : day;
    const counted = days.find((one) => one.day === day);
    return html`<section class="day">
    ${byMonth ? monthHeading(first) : dayHeading(first, counted ? dayCounts(path, counted) : null)}
    <div class="entries">${entries.map((entry) => {
      const marks = `${leads.has(entry.id) ? ' lead' : ''}${unread.has(entry.id) ? ' new' : ''}`;
      return density === 'compact' ? signalLine(entry, when, marks) : signalEntry(entry, when, marks);
    })}</div>
  </section>`;
  };
  return html`<div class="feed${density === 'compact' ? ' compact' : ''}"${live ? html` data-live` : null}>
  ${[...groups].map(group)}
</div>`;
}

/** A list that is not by time: best matches, or the highest salience, first. */
export const rankedList = (signals: readonly FeedEntry[], heading: string): Markup => {
  const yearOf = (signal: FeedEntry): string => istDay(reportedAt(signal)).slice(0, 4);
  const newest = signals.map(yearOf).toSorted().at(-1);
  /** With the year where it is another one than that of the newest story. */
  const dayOf = (signal: FeedEntry): string =>
    `${formatAxisDay(reportedAt(signal))}${yearOf(signal) === newest ? '' : ` ${yearOf(signal)}`}`;
  return html`<div class="feed"><section class="day">
  <header class="day-head"><h2>${heading}</h2></header>
  <div class="entries">${signals.map((signal) => signalEntry(signal, dayOf))}</div>
</section></div>`;
};

/** Link elements that announce the feeds of a page. @param addressOf a feed, by the ending of its format */
const alternates = (title: string, addressOf: (ending: string) => string): Markup =>
  html`${FEED_FORMATS.map(
    ({ ending, name, type }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${name})" href="${addressOf(ending)}">
    `,
  )}`;

/** The feeds of a brand or theme. @param path such as `/brand/zudio`; empty for the whole record */
export const feedLinks = (path: string, title: string): Markup =>
  alternates(title, (ending) => `${path}/feed.${ending}`);

/** The feeds of what a filter matches, such as the signals of a city. */
export const filterFeedLinks = (filter: SignalQuery, title: string): Markup =>
  alternates(title, (ending) => filterAddress(`/feed.${ending}`, filter));
