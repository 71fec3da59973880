/** GET /: the feed, and the search over it. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { address, brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { clip, formatShortDay, MOVE_NAMES, neutralise, parseDocument } from '../../presentation/text.ts';
import { leadSince } from '../../projector/models/brief-queries.ts';
import { findNames, type Named } from '../../projector/models/names-queries.ts';
import { searchBox } from '../../projector/models/search-queries.ts';
import type { Entry } from '../../schemas/directory.ts';
import { SignalItem } from '../../schemas/resources.ts';
import {
  type FeedQuery,
  feedBody,
  feedLinks,
  isNarrowed,
  kindFilter,
  loadFeedPage,
  nothingFits,
  readFeedQuery,
  setFilters,
  signalEntry,
} from '../feed.ts';
import { layout, sendPage } from '../layout.ts';
import { type Week, weekColumn, weekLoader } from '../names.ts';
import type { Frame, Site } from '../site.ts';

/** The names that the search form suggests. */
interface SearchChoices {
  /** Suggested while typing. */
  readonly brands: readonly string[];
  readonly cities: readonly string[];
  readonly themes: readonly Entry[];
}

const suggested = (id: string, names: readonly string[]): Markup =>
  html`<datalist id="${id}">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;

/** The form that searches and filters the feed. @param shown the current filters */
const searchForm = (
  shown: FeedQuery,
  { brands, cities, themes }: SearchChoices,
): Markup => html`<form class="narrow" action="/" method="get" role="search">
  ${shown.kind ? html`<input type="hidden" name="kind" value="${shown.kind}">` : null}
  <div class="row">
    <div class="field"><label for="q">Search the record</label>
      <input id="q" type="search" name="q" value="${shown.q ?? ''}" maxlength="200" placeholder="mall, funding, chief executive"></div>
    <button type="submit">Search</button>
  </div>
  <details${shown.brand || shown.theme || shown.city ? html` open` : null}>
    <summary>By brand, theme or city</summary>
    <div class="narrow">
      <div class="field"><label for="brand">Brand</label>
        <input id="brand" name="brand" list="brands" value="${shown.brand ?? ''}" maxlength="80" autocomplete="off">${suggested('brands', brands)}</div>
      <div class="field"><label for="theme">Theme</label>
        <select id="theme" name="theme"><option value="">Every theme</option>${themes.map(
          ({ slug, name }) =>
            html`<option value="${slug}"${shown.theme === slug ? html` selected` : null}>${name}</option>`,
        )}</select></div>
      <div class="field"><label for="city">City</label>
        <input id="city" name="city" list="cities" value="${shown.city ?? ''}" maxlength="80" autocomplete="off">${suggested('cities', cities)}</div>
      <button type="submit">Filter</button>
    </div>
  </details>
</form>`;

const MAXIMUM_RESULTS = 20;
const MAXIMUM_NAMES = 4;
/** The least similarity of a name to the search. */
const MINIMUM_SIMILARITY = 0.5;

const pathOf = ({ type, slug, name }: Named): string => {
  if (type === 'brand') return brandPath(slug);
  return type === 'theme' ? `/theme/${slug}` : cityPath(name);
};

const named = (names: readonly Named[]): Markup | null =>
  names.length === 0
    ? null
    : html`<p class="note">Pages: ${names.map(
        (name) => html`<a href="${pathOf(name)}">${clip(neutralise(name.name), 50)}</a> (${name.type}) `,
      )}</p>`;

/** Signals in order of relevance, each with its date. */
const ranked = (signals: readonly SignalItem[]): Markup => html`<div class="feed"><section class="day">
  <header class="day-head"><h2>Best matches first</h2></header>
  <div class="entries">${signals.map((signal) => signalEntry(signal, ({ published_at }) => formatShortDay(published_at)))}</div>
</section></div>`;

/** What a search finds: matching names with a page, then signals. @param shown filters with search words */
async function searchResults({ database, directory }: Site, shown: FeedQuery): Promise<Markup> {
  const { q = '', kind, brand, theme, city } = shown;
  const one = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
  const [names, found] = await Promise.all([
    findNames(database, q, { limit: MAXIMUM_NAMES, directory }),
    searchBox(database, {
      text: q,
      brands: brand === undefined ? [] : directory.slugsOf(brand),
      themes: one(theme),
      cities: one(city),
      moves: kind ? [kind] : [],
      limit: MAXIMUM_RESULTS,
    }),
  ]);
  const signals = found.map(({ signal }) => parseDocument(JSON.stringify(signal), SignalItem));
  return html`${kindFilter('/', shown)}${setFilters('/', shown)}
    ${named(names.filter(({ score }) => score >= MINIMUM_SIMILARITY))}
    ${
      signals.length === 0
        ? html`<p class="empty">No signals found. Try fewer or other words; <a href="/index">the index</a> lists every name.</p>`
        : ranked(signals)
    }`;
}

const DESCRIPTION =
  'Store openings, deals, people, results, launches, strategy and rules in Indian retail: every move dated and with its source.';
/** Seconds after which the browser reloads the page while the record is empty. */
const FIRST_SIGNALS = 3;

const firstSignals = html`<p class="empty">The first signals arrive within seconds. This page reloads by itself.</p>`;

const titleOf = ({ q, kind }: FeedQuery): string => {
  if (q) return `“${clip(q, 60)}” · Clarity`;
  return kind ? `${MOVE_NAMES[kind]} · Clarity` : 'Clarity · Indian retail, on the record';
};

/** The breadcrumbs: a kind of move is a page below the feed. */
const trailOf = ({ kind }: FeedQuery) => (kind ? [{ name: MOVE_NAMES[kind], path: address('/', { kind }) }] : []);

/** The lead story is the weightiest of so many hours. */
const LEAD_HOURS = 24;

/** The main column. */
interface Column {
  readonly body: Markup;
  /** The listed signals; null for a search. */
  readonly entries: readonly SignalItem[] | null;
  /** The record is still empty. */
  readonly isEmpty: boolean;
}

async function column(site: Site, shown: FeedQuery): Promise<Column> {
  if (shown.q) return { body: await searchResults(site, shown), entries: null, isEmpty: false };
  const page = await loadFeedPage(site, '/', shown, shown.brand === undefined ? {} : { mentions: true });
  const isEmpty = !isNarrowed(shown) && page.signals.length === 0;
  const isFirst = page.newest === null;
  const empty = isEmpty ? firstSignals : nothingFits('/');
  const day = new Date(site.now().getTime() - LEAD_HOURS * 3_600_000);
  const lead = isFirst ? await leadSince(site.database, day) : null;
  const body = feedBody('/', shown, page, empty, { lead, live: isFirst });
  return { body, entries: page.signals, isEmpty };
}

const render = (site: Frame, shown: FeedQuery, { body, entries, isEmpty }: Column, choices: Markup, week: Week) =>
  layout(site, {
    title: titleOf(shown),
    description: DESCRIPTION,
    path: address('/', shown),
    head: feedLinks('', 'Clarity'),
    ...(entries ? { collection: { trail: trailOf(shown), entries } } : {}),
    ...(isEmpty ? { refreshAfter: FIRST_SIGNALS } : {}),
    body: html`<h1 class="unseen">The record of moves in Indian retail</h1>
    <div class="with-rail">
      <div>${choices}${body}</div>
      <aside class="rail" aria-label="The week in numbers">${weekColumn(week)}</aside>
    </div>`,
  });

export function homePage(server: FastifyInstance, site: Site): void {
  const { directory } = site;
  const loadWeek = weekLoader(site);
  server.get('/', async (request, reply) => {
    const shown = readFeedQuery(request.query, directory);
    const [shownColumn, week] = await Promise.all([column(site, shown), loadWeek()]);
    const names = (counts: readonly { name: string }[]): string[] => counts.map(({ name }) => name);
    const choices = { brands: names(week.brands), cities: names(week.cities), themes: directory.themes };
    return sendPage(reply, await render(site, shown, shownColumn, searchForm(shown, choices), week));
  });
}
