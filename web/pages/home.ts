/** GET /: the feed, and the search over it. GET /view: how dense it is. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { localPath } from '../../access/web-sessions.ts';
import { address, brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { clip, formatShortDay, MOVE_NAMES, neutralise, parseDocument } from '../../presentation/text.ts';
import { findNames, type Named } from '../../projector/models/names-queries.ts';
import { searchBox } from '../../projector/models/search-queries.ts';
import type { Entry } from '../../schemas/directory.ts';
import { SignalText } from '../../schemas/resources.ts';
import {
  DENSITIES,
  DENSITY_COOKIE,
  type Density,
  densityOf,
  type FeedEntry,
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
  withoutDeadLinks,
} from '../feed.ts';
import { hidden, readQuery } from '../forms.ts';
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

/** The form that filters the feed by names. @param shown the current filters */
const filterForm = (
  shown: FeedQuery,
  { brands, cities, themes }: SearchChoices,
): Markup => html`<details class="filter"${shown.brand || shown.theme || shown.city ? html` open` : null}>
  <summary>By brand, theme or city</summary>
  <form class="row" action="/" method="get">
    ${hidden(Object.fromEntries(Object.entries({ q: shown.q, kind: shown.kind }).filter(([, value]) => value !== undefined)) as Record<string, string>)}
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
  </form>
</details>`;

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
const ranked = (signals: readonly FeedEntry[]): Markup => html`<div class="feed"><section class="day">
  <header class="day-head"><h2>Best matches first</h2></header>
  <div class="entries">${signals.map((signal) => signalEntry(signal, ({ published_at }) => formatShortDay(published_at)))}</div>
</section></div>`;

/** What a search finds: matching names with a page, then signals. @param shown filters with search words */
async function searchResults(site: Site, shown: FeedQuery, more: Markup): Promise<Markup> {
  const { database, directory } = site;
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
  const signals = await withoutDeadLinks(
    site,
    found.map(({ signal }) => parseDocument(JSON.stringify(signal), SignalText)),
  );
  return html`<div class="tools">${kindFilter('/', shown)}${more}</div>${setFilters('/', shown)}
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

/** The main column. */
interface Column {
  readonly body: Markup;
  /** The listed signals; null for a search. */
  readonly entries: readonly FeedEntry[] | null;
  /** The record is still empty. */
  readonly isEmpty: boolean;
}

async function column(site: Site, shown: FeedQuery, density: Density, more: Markup): Promise<Column> {
  if (shown.q) return { body: await searchResults(site, shown, more), entries: null, isEmpty: false };
  const fixed = shown.brand === undefined ? { density } : { density, mentions: true };
  const page = await loadFeedPage(site, '/', shown, fixed);
  const isEmpty = !isNarrowed(shown) && page.signals.length === 0;
  const empty = isEmpty ? firstSignals : nothingFits('/');
  const body = feedBody('/', shown, page, empty, { live: page.newest === null, more });
  return { body, entries: page.signals, isEmpty };
}

const render = (site: Frame, shown: FeedQuery, { body, entries, isEmpty }: Column, week: Week) =>
  layout(site, {
    title: titleOf(shown),
    description: DESCRIPTION,
    path: address('/', shown),
    search: shown,
    head: feedLinks('', 'Clarity'),
    ...(entries ? { collection: { trail: trailOf(shown), entries } } : {}),
    ...(isEmpty ? { refreshAfter: FIRST_SIGNALS } : {}),
    body: html`<h1 class="unseen">The record of moves in Indian retail</h1>
    <div class="with-rail">
      <div>${body}</div>
      <aside class="rail" aria-label="The week in numbers">${weekColumn(week)}</aside>
    </div>`,
  });

export function homePage(server: FastifyInstance, site: Site): void {
  const { directory } = site;
  const loadWeek = weekLoader(site);
  server.get('/', async (request, reply) => {
    const shown = readFeedQuery(request.query, directory);
    const week = await loadWeek();
    const names = (counts: readonly { name: string }[]): string[] => counts.map(({ name }) => name);
    const choices = { brands: names(week.brands), cities: names(week.cities), themes: directory.themes };
    const shownColumn = await column(site, shown, densityOf(request), filterForm(shown, choices));
    return sendPage(reply, await render(site, shown, shownColumn, week));
  });
}

const View = z.object({
  density: z.enum(DENSITIES).describe(`one of ${DENSITIES.join(', ')}`),
  to: z.string().optional(),
});
const YEAR_SECONDS = 31_536_000;

/** GET /view: keeps the density of the feed in a cookie, and leads back. */
export function viewPage(server: FastifyInstance, { baseUrl }: Site): void {
  server.get('/view', async (request, reply) => {
    const { density, to } = readQuery(View, request.query);
    const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
    const cookie = `${DENSITY_COOKIE}=${density}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
    return reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).redirect(localPath(to, '/'), 303);
  });
}
