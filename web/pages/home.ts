/** GET /: the feed, and the search over it. GET /view: how dense it is. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { localPath } from '../../access/web-sessions.ts';
import { formatCount } from '../../language/prose.ts';
import { brandPath, cityPath, type Markup } from '../../presentation/markup.ts';
import { findNames, type Named } from '../../projector/models/names-queries.ts';
import { countOutlets } from '../../projector/models/source-health-queries.ts';
import { filterAddress, narrows, type SignalQuery } from '../../schemas/signal-filter.ts';
import type { ListPlace } from '../facets.ts';
import { DENSITIES, DENSITY_COOKIE, feedLinks } from '../feed.ts';
import { filteredList, listLoader, listTitle, nothingFits } from '../feed-page.ts';
import { oneOf, readQuery } from '../forms.ts';
import { showPage } from '../layout.ts';
import { cacheFor } from '../names.ts';
import { excerpt } from '../parts.ts';
import type { Site } from '../site.ts';
import { emptyPage, weekColumn, weekLoader } from '../week.ts';
import { followField } from './my-brands-view.ts';

const MAXIMUM_NAMES = 4;
/** The least similarity of a name to the search. */
const MINIMUM_SIMILARITY = 0.5;

const pathOf = ({ type, slug, name }: Named): string => {
  if (type === 'brand') return brandPath(slug);
  return type === 'theme' ? `/theme/${slug}` : cityPath(name);
};

const nameLinks = (names: readonly Named[]): Markup | null =>
  names.length === 0
    ? null
    : html`<p class="note">Pages: ${names.map(
        (name) => html`<a href="${pathOf(name)}">${excerpt(name.name, 50)}</a> (${name.type}) `,
      )}</p>`;

const DESCRIPTION =
  'Store openings, deals, people, results, launches, strategy and rules in Indian retail: every move dated and with its source.';
/** Seconds after which the browser reloads the page while the record is empty. */
const FIRST_SIGNALS = 3;

const firstSignals = html`<p class="empty">The first signals arrive within seconds. This page reloads by itself.</p>`;

const titleOf = (shown: SignalQuery, directory: Site['directory']): { title?: string } => {
  const title = listTitle(undefined, shown, directory);
  return title === undefined ? {} : { title };
};

const OUTLETS_SECONDS = 300;

/** For visitors: what the site is, and the brands that they want to follow. */
const pitch = (outlets: number): Markup => html`<aside class="pitch" aria-label="What this is">
  <p>Every move in Indian retail${outlets > 0 ? `, from ${formatCount(outlets, 'outlet')}` : null}.</p>${followField(null)}</aside>`;

const PLACE: ListPlace = { path: '/', fixed: {} };

const NO_MATCHES = html`No signals found. Try fewer or other words; <a href="/index">the index</a> lists every name.`;

export function homePage(server: FastifyInstance, site: Site): void {
  const { database, directory } = site;
  const loadWeek = weekLoader(site);
  const loadList = listLoader(site);
  const outletCount = cacheFor(
    OUTLETS_SECONDS,
    site.now,
    () => countOutlets(database),
    (outlets) => outlets > 0,
  );
  /** Names that the words are near to. */
  const loadNames = async (words: string): Promise<Named[]> =>
    (await findNames(database, words, { limit: MAXIMUM_NAMES, directory })).filter(
      ({ score }) => score >= MINIMUM_SIMILARITY,
    );

  server.get('/', async (request, reply) => {
    const [list, week, outlets] = await Promise.all([loadList(request, PLACE), loadWeek(), outletCount()]);
    if ('redirect' in list) return reply.redirect(list.redirect, 303);
    const { shown, page } = list;
    const isEmpty = !narrows(shown) && page.signals.length === 0;
    const isPitched = request.reader === null && !narrows(shown) && site.sessions.signIn.kind !== 'off';
    const noMatches = shown.words === undefined ? nothingFits('/') : emptyPage(NO_MATCHES, week);
    const style = {
      empty: isEmpty ? firstSignals : noMatches,
      live: page.newest === null && page.sort === 'time',
      above: shown.words === undefined ? null : nameLinks(await loadNames(shown.words)),
    };
    return showPage(reply, site, {
      ...titleOf(shown, directory),
      description: DESCRIPTION,
      path: filterAddress('/', shown),
      search: shown,
      head: feedLinks('', 'Clarity'),
      ...(isEmpty ? { refreshAfter: FIRST_SIGNALS } : {}),
      body: html`<h1 class="unseen">The record of moves in Indian retail</h1>${isPitched ? pitch(outlets) : null}
    <div class="with-rail">
      ${filteredList(site, list, style)}
      <aside class="rail" aria-label="The week in numbers">${weekColumn(week)}</aside>
    </div>`,
    });
  });
}

const View = z.object({
  density: oneOf(DENSITIES),
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
