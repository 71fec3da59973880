/** GET / : the feed. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type FeedPage, feedBody, loadFeedPage, nothingFits } from '../feed-page.ts';
import { type FeedQuery, readFeedQuery } from '../feed-query.ts';
import { layout } from '../layout.ts';
import { address } from '../links.ts';
import { MOVE_NAMES } from '../moves.ts';
import { feedLinks } from '../parts/feed-links.ts';
import { sendPage } from '../send-page.ts';
import type { Frame, Site } from '../site.ts';

const DESCRIPTION =
  'Store openings, deals, people, results, launches, strategy and rules in Indian retail: every move dated and with its source.';
/** Seconds between two looks of a browser at a record that is still empty. */
const FIRST_SIGNALS = 3;

const firstSignals = html`<p class="empty">The first signals arrive within seconds. This page looks again by itself.</p>`;

/** Renders it from a loaded page of the feed. */
export function renderHome(site: Frame, shown: FeedQuery, page: FeedPage): Promise<string> {
  const narrowed = Object.values(shown).some((value) => value !== undefined);
  const isEmpty = !narrowed && page.signals.length === 0;
  const title = shown.kind ? `${MOVE_NAMES[shown.kind]} · Clarity` : 'Clarity · Indian retail, on the record';
  return layout(site, {
    title,
    description: DESCRIPTION,
    path: address('/', shown),
    head: feedLinks('', 'Clarity'),
    ...(isEmpty ? { refreshAfter: FIRST_SIGNALS } : {}),
    body: html`<h1 class="unseen">The record of moves in Indian retail</h1>
    ${feedBody('/', shown, page, isEmpty ? firstSignals : nothingFits('/'))}`,
  });
}

export function homePage(server: FastifyInstance, site: Site): void {
  server.get('/', async (request, reply) => {
    const shown = readFeedQuery(request.query);
    const fixed = shown.brand === undefined ? {} : { mentions: true };
    return sendPage(reply, await renderHome(site, shown, await loadFeedPage(site, '/', shown, fixed)));
  });
}
