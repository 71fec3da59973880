/** GET /theme/{slug}: what the record says of a theme. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { Refusal } from '../../schemas/refusal.ts';
import { Slug } from '../../schemas/scalar.ts';
import { feedBody, loadFeedPage, nothingFits } from '../feed-page.ts';
import { readFeedQuery } from '../feed-query.ts';
import { layout } from '../layout.ts';
import { address } from '../links.ts';
import { feedLinks } from '../parts/feed-links.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';
import { clip, unslug } from '../text.ts';

/** Its signals, newest first; 404 for a theme without one. */
export function themePage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/theme/:slug', async (request, reply) => {
    const { slug } = request.params;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No theme of the record has this address.');
    const path = `/theme/${slug}`;
    const { theme: _, ...shown } = readFeedQuery(request.query);
    const page = await loadFeedPage(site, path, shown, { theme: slug });
    const isNarrowed = Object.values(shown).some((value) => value !== undefined);
    const entry = site.directory.theme(slug);
    if (page.signals.length === 0 && !isNarrowed && !entry)
      throw new Refusal('not_found', 'No public signal stands under a theme of this address.');
    const known = page.signals.find(({ theme }) => theme?.slug === slug)?.theme;
    const name = clip(entry?.name ?? known?.name ?? unslug(slug), 80);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move in Indian retail under the theme ${name}.`,
        path: address(path, shown),
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Theme</p><h1>${name}</h1></header>
        ${feedBody(path, shown, page, nothingFits(path))}`,
      }),
    );
  });
}
