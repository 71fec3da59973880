/** GET / : the feed, and the search over it. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { SignalItem } from '../../schemas/resources.ts';
import { feedBody, loadFeedPage, nothingFits } from '../feed-page.ts';
import { type FeedQuery, isNarrowed, readFeedQuery } from '../feed-query.ts';
import { layout } from '../layout.ts';
import { address } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { feedLinks } from '../parts/feed-links.ts';
import { searchForm } from '../parts/search-form.ts';
import { searchResults } from '../parts/search-results.ts';
import { type Week, weekColumn, weekOf } from '../parts/week.ts';
import { sendPage } from '../send-page.ts';
import type { Frame, Site } from '../site.ts';
import { clip } from '../text.ts';

const DESCRIPTION =
  'Store openings, deals, people, results, launches, strategy and rules in Indian retail: every move dated and with its source.';
/** Seconds between two looks of a browser at a record that is still empty. */
const FIRST_SIGNALS = 3;

const firstSignals = html`<p class="empty">The first signals arrive within seconds. This page looks again by itself.</p>`;

const titleOf = ({ q, kind }: FeedQuery): string => {
  if (q) return `“${clip(q, 60)}” · Clarity`;
  return kind ? `${MOVE_NAMES[kind]} · Clarity` : 'Clarity · Indian retail, on the record';
};

/** A kind of move is a page under the feed. */
const trailOf = ({ kind }: FeedQuery) => (kind ? [{ name: MOVE_NAMES[kind], path: address('/', { kind }) }] : []);

/** What stands in the main column. */
interface Column {
  readonly body: Markup;
  /** What it lists; null where it answers a search. */
  readonly entries: readonly SignalItem[] | null;
  /** The record holds nothing at all yet. */
  readonly isEmpty: boolean;
}

async function column(site: Site, shown: FeedQuery): Promise<Column> {
  if (shown.q) return { body: await searchResults(site, shown), entries: null, isEmpty: false };
  const page = await loadFeedPage(site, '/', shown, shown.brand === undefined ? {} : { mentions: true });
  const isEmpty = !isNarrowed(shown) && page.signals.length === 0;
  const isFirst = page.newest === null;
  const empty = isEmpty ? firstSignals : nothingFits('/');
  const body = feedBody('/', shown, page, empty, { leads: isFirst, live: isFirst });
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
      <aside class="rail" aria-label="The week in figures">${weekColumn(week)}</aside>
    </div>`,
  });

export function homePage(server: FastifyInstance, site: Site): void {
  const { directory } = site;
  const loadWeek = weekOf(site);
  server.get('/', async (request, reply) => {
    const shown = readFeedQuery(request.query, directory);
    const [shownColumn, week] = await Promise.all([column(site, shown), loadWeek()]);
    const names = (told: readonly { name: string }[]): string[] => told.map(({ name }) => name);
    const choices = { brands: names(week.brands), cities: names(week.cities), themes: directory.themes };
    return sendPage(reply, await render(site, shown, shownColumn, searchForm(shown, choices), week));
  });
}
