/** GET /theme/{slug}: the signals of a theme. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { address } from '../../presentation/markup.ts';
import { clip, describeMonth, neutralise, slugToWords } from '../../presentation/text.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Slug } from '../../schemas/scalar.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedBody, feedLinks, isNarrowed, loadFeedPage, nothingFits, readFeedQuery } from '../feed.ts';
import { followButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';

/** Signals, newest first; 404 for a theme that neither the catalogue nor a signal has. */
export function themePage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/theme/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { database, directory, baseUrl } = site;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No theme of the record has this address.');
    const path = `/theme/${slug}`;
    const { theme: _, q: __, ...shown } = readFeedQuery(request.query, directory);
    const [page, found] = await Promise.all([
      loadFeedPage(site, path, shown, { theme: slug }),
      findTheme(database, slug, { now: site.now(), baseUrl }),
    ]);
    const entry = directory.theme(slug);
    if (page.signals.length === 0 && !isNarrowed(shown) && !entry)
      throw new Refusal('not_found', 'No public signal has a theme with this address.');
    const named = page.signals.find(({ theme }) => theme?.slug === slug)?.theme;
    const name = clip(neutralise(entry?.name ?? named?.name ?? slugToWords(slug)), 80);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move in Indian retail under the theme ${name}.`,
        path: address(path, shown),
        card: cardPath('theme', slug),
        collection: {
          about: { '@type': 'Thing', name },
          trail: [underIndex, { name, path }],
          entries: page.signals,
        },
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Theme</p><h1>${name}</h1>
        ${found ? html`<p>${describeMonth(found.last_30_days)}</p>` : null}
        ${await followButton(site, request, { type: 'theme', slug, name })}</header>
        ${feedBody(path, shown, page, nothingFits(path))}`,
      }),
    );
  });
}
