/** GET /: the feed, and the search over it. GET /view: how dense it is. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { localPath } from '../../access/web-sessions.ts';
import { brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { clip, MOVE_NAMES, neutralise } from '../../presentation/text.ts';
import { findNames, type Named } from '../../projector/models/names-queries.ts';
import { Move } from '../../schemas/scalar.ts';
import { filterAddress, narrows, type SignalQuery } from '../../schemas/signal-filter.ts';
import { facetCounter, facetPanel, type ListPlace } from '../facets.ts';
import {
  DENSITIES,
  DENSITY_COOKIE,
  type Density,
  densityOf,
  feedBody,
  feedLinks,
  loadFeedPage,
  nothingFits,
  readFeedQuery,
} from '../feed.ts';
import { hasEmptyFields, readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { type Week, weekColumn, weekExamples, weekLoader } from '../names.ts';
import type { Site } from '../site.ts';

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

/** Names of the week are examples of what the record has. */
const noMatches = (week: Week): Markup =>
  html`<div class="empty"><p>No signals found. Try fewer or other words; <a href="/index">the index</a> lists every name.</p>${weekExamples(week)}</div>`;

const DESCRIPTION =
  'Store openings, deals, people, results, launches, strategy and rules in Indian retail: every move dated and with its source.';
/** Seconds after which the browser reloads the page while the record is empty. */
const FIRST_SIGNALS = 3;

const firstSignals = html`<p class="empty">The first signals arrive within seconds. This page reloads by itself.</p>`;

const titleOf = ({ words, only: { kind = [] } }: SignalQuery): string => {
  if (words) return `“${clip(words, 60)}” · Clarity`;
  return kind.length > 0 ? `${kindNames(kind)} · Clarity` : 'Clarity · Indian retail, on the record';
};
const kindNames = (kinds: readonly string[]): string => kinds.map((kind) => MOVE_NAMES[Move.parse(kind)]).join(', ');

/** The breadcrumbs: a kind of move is a page below the feed. */
const trailOf = ({ only: { kind = [] } }: SignalQuery) =>
  kind.length > 0 ? [{ name: kindNames(kind), path: filterAddress('/', { only: { kind }, without: {} }) }] : [];

const PLACE: ListPlace = { path: '/', fixed: {} };

/** What the page shows: the list, the counts, and names that the words are near to. */
async function load(site: Site, shown: SignalQuery, density: Density, count: ReturnType<typeof facetCounter>) {
  const { database, directory } = site;
  const [page, counts, names] = await Promise.all([
    loadFeedPage(site, shown, PLACE, density),
    count(shown, PLACE),
    shown.words === undefined ? [] : findNames(database, shown.words, { limit: MAXIMUM_NAMES, directory }),
  ]);
  return { page, counts, names: names.filter(({ score }) => score >= MINIMUM_SIMILARITY) };
}

function render(site: Site, shown: SignalQuery, { page, counts, names }: Awaited<ReturnType<typeof load>>, week: Week) {
  const isEmpty = !narrows(shown) && page.signals.length === 0;
  const empty = isEmpty ? firstSignals : shown.words === undefined ? nothingFits('/') : noMatches(week);
  const live = page.newest === null && page.sort === 'time';
  return layout(site, {
    title: titleOf(shown),
    description: DESCRIPTION,
    path: filterAddress('/', shown),
    search: shown,
    head: feedLinks('', 'Clarity'),
    ...(shown.words === undefined ? { collection: { trail: trailOf(shown), entries: page.signals } } : {}),
    ...(isEmpty ? { refreshAfter: FIRST_SIGNALS } : {}),
    body: html`<h1 class="unseen">The record of moves in Indian retail</h1>
    <div class="with-rail">
      ${facetPanel(shown, PLACE, counts, site.directory)}
      <div class="stories" id="stories">${feedBody(PLACE, shown, page, site.directory, { empty, live, above: named(names) })}</div>
      <aside class="rail" aria-label="The week in numbers">${weekColumn(week)}</aside>
    </div>`,
  });
}

export function homePage(server: FastifyInstance, site: Site): void {
  const loadWeek = weekLoader(site);
  const count = facetCounter(site);
  server.get('/', async (request, reply) => {
    const shown = readFeedQuery(request.query, site.directory);
    if (hasEmptyFields(request)) return reply.redirect(filterAddress('/', shown), 303);
    const [week, loaded] = await Promise.all([loadWeek(), load(site, shown, densityOf(request), count)]);
    return sendPage(reply, await render(site, shown, loaded, week));
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
