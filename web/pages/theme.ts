/** GET /theme/{slug}: the signals of a theme. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import type { Markup } from '../../presentation/markup.ts';
import { describeMonth, slugToWords } from '../../presentation/text.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Slug } from '../../schemas/scalar.ts';
import { narrows } from '../../schemas/signal-filter.ts';
import { cardPath } from '../cards/subjects.ts';
import { feedLinks } from '../feed.ts';
import { filteredList, listedPage, listLoader, nothingFits } from '../feed-page.ts';
import { followButton, shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { dayTag, excerpt, subject } from '../parts.ts';
import type { Site } from '../site.ts';

/** What the page says of an entry that operators retired. */
export const retiredNote = (entry: { readonly retired_at?: string } | null): Markup | null =>
  entry?.retired_at === undefined
    ? null
    : html`<p class="note">Retired from the catalogue on ${dayTag(entry.retired_at)}: the stories until then are here, new ones are not put under it.</p>`;

/** Signals, newest first; 301 for a retired slug; 404 for a theme that neither the catalogue nor a signal has. */
export function themePage(server: FastifyInstance, site: Site): void {
  const loadList = listLoader(site);
  const { database, directory, baseUrl } = site;
  server.get<{ Params: { slug: string } }>('/theme/:slug', async (request, reply) => {
    const { slug } = request.params;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No theme of the record has this address.');
    const entry = directory.theme(slug);
    if (entry && entry.slug !== slug) return reply.redirect(`${baseUrl}/theme/${entry.slug}`, 301);
    const path = `/theme/${slug}`;
    const [list, counted] = await Promise.all([
      loadList(request, { path, fixed: { theme: [slug] } }),
      findTheme(database, slug, { now: site.now(), baseUrl, retiredSlugs: directory.themeSlugsOf(slug).slice(1) }),
    ]);
    if ('redirect' in list) return reply.redirect(list.redirect, 303);
    const { shown, page } = list;
    if (page.signals.length === 0 && !narrows(shown) && !entry)
      throw new Refusal('not_found', 'No public signal has a theme with this address.');
    const stated = page.signals.find(({ theme }) => theme?.slug === slug)?.theme;
    const name = excerpt(entry?.name ?? stated?.name ?? slugToWords(slug), 80);
    const follow = await followButton(site, request, { type: 'theme', slug, name });
    return showPage(reply, site, {
      ...listedPage(list, name, directory),
      description: `Every dated, source-cited move in Indian retail under the theme ${name}.`,
      card: cardPath('theme', slug),
      head: feedLinks(path, name),
      body: html`${subject(
        'Theme',
        name,
        html`${counted ? html`<p>${describeMonth(counted.last_30_days)}</p>` : null}${retiredNote(entry)}`,
        html`${follow}${shareButton(name, path)}`,
      )}
        <div class="with-rail">${filteredList(site, list, { empty: nothingFits(path) })}</div>`,
    });
  });
}
