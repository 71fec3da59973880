/** GET /brand/{slug}: what the record says of a brand. */
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

/** Stories about the brand and those that mention it, newest first; 301 for a retired slug, 404 for a brand that nobody knows. */
export function brandPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/brand/:slug', async (request, reply) => {
    const { slug } = request.params;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No brand of the record has this address.');
    const current = site.directory.currentSlug(slug);
    if (current !== slug) return reply.redirect(`${site.baseUrl}/brand/${current}`, 301);
    const path = `/brand/${slug}`;
    const { brand: _, ...shown } = readFeedQuery(request.query);
    const slugs = site.directory.slugsOf(slug);
    const page = await loadFeedPage(site, path, shown, { brand: slugs, mentions: true });
    const isNarrowed = Object.values(shown).some((value) => value !== undefined);
    const entry = site.directory.brand(slug);
    if (page.signals.length === 0 && !isNarrowed && !entry)
      throw new Refusal('not_found', 'No public signal names a brand of this address.');
    const known = page.signals.flatMap(({ brands }) => brands).find((brand) => brand.slug === slug);
    const name = clip(entry?.name ?? known?.name ?? unslug(slug), 80);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move of ${name} in Indian retail.`,
        path: address(path, shown),
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Brand</p><h1>${name}</h1></header>
        ${feedBody(path, shown, page, nothingFits(path))}`,
      }),
    );
  });
}
