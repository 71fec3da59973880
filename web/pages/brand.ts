/** GET /brand/{slug}: stories, trends and signals of a brand. GET /theme/{slug}: the signals of a theme. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { address, addressWith, brandPath, cityPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { clip, describeMonth, formatCount, formatShortDay, neutralise, slugToWords } from '../../presentation/text.ts';
import { findTheme, storiesByWeek } from '../../projector/models/brands-queries.ts';
import { competitorWatch } from '../../projector/models/competitor-watch-queries.ts';
import type { Brand, WatchedBrand } from '../../schemas/brand.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Slug } from '../../schemas/scalar.ts';
import { TABLES } from '../../schemas/tables.ts';
import { cardPath } from '../cards/subjects.ts';
import { moveBars, type Weeks, weekChart } from '../charts.ts';
import { densityOf, feedBody, feedLinks, isNarrowed, loadFeedPage, nothingFits, readFeedQuery } from '../feed.ts';
import { followButton } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { countedList } from '../names.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';

const DAYS = 30;
const WEEKS = 26;
const WEEK = 604_800_000;
const MAXIMUM_CITIES = 12;

/** The change from the window before, in words. */
const trend = ({ total, prior_total }: WatchedBrand): string => {
  const stories = formatCount(total, 'story', 'stories');
  if (total === prior_total) return `${stories} in ${DAYS} days, as many as in the ${DAYS} before.`;
  return `${stories} in ${DAYS} days, ${total > prior_total ? 'up' : 'down'} from ${prior_total} in the ${DAYS} before.`;
};

const summary = ({ stories, stories_about, first_seen_at }: Brand, window: WatchedBrand): Markup =>
  html`<p>${first_seen_at === null ? 'No stories yet.' : html`${trend(window)} On record since ${timeTag(first_seen_at, formatShortDay(first_seen_at))}: ${formatCount(stories_about, 'story', 'stories')} about it, ${stories - stories_about} that only mention it.`}</p>`;

const listed = <Entry>(heading: string, entries: readonly Entry[], list: (entries: readonly Entry[]) => Markup) =>
  entries.length === 0 ? null : html`<section><h2>${heading}</h2>${list(entries)}</section>`;

const aside = ({ related_brands, themes, top_outlets }: Brand, cities: readonly string[]): Markup => html`
  ${listed('Mentioned together with', related_brands, (entries) =>
    countedList(
      entries.map(({ slug, name, stories }) => ({ key: slug, name: clip(neutralise(name), 50), stories })),
      brandPath,
    ),
  )}
  ${listed('Themes', themes, (entries) =>
    countedList(
      entries.map(({ slug, name, stories }) => ({ key: slug, name: clip(neutralise(name), 50), stories })),
      (slug) => `/theme/${slug}`,
    ),
  )}
  ${listed('Outlets', top_outlets, (entries) => html`<ul class="counted">${entries.map(({ outlet, stories }) => html`<li>${clip(neutralise(outlet), 50)} <span>${stories}</span></li>`)}</ul>`)}
  ${listed(`Cities, ${DAYS} days`, cities.slice(0, MAXIMUM_CITIES), (names) => html`<ul class="counted">${names.map((city) => html`<li><a href="${cityPath(city)}">${clip(neutralise(city), 40)}</a></li>`)}</ul>`)}`;

async function loadWindows({ database, directory, baseUrl, now }: Site, { slug, name }: Brand) {
  const slugs = directory.slugsOf(slug);
  const weeks = { since: new Date(now().getTime() - WEEKS * WEEK), weeks: WEEKS };
  const [watch, counts] = await Promise.all([
    competitorWatch(database, { brands: [{ slug, name, slugs }], days: DAYS, now: now(), baseUrl }),
    storiesByWeek(database, slugs, weeks),
  ]);
  return { window: watch.brands[0], timeline: { ...weeks, counts } satisfies Weeks };
}

/** The charts next to the stories; null on later and on filtered pages. */
const charts = (name: string, path: string, window: WatchedBrand | undefined, timeline: Weeks): Markup | null =>
  window === undefined
    ? null
    : html`<div class="charts">
    ${window.total + window.prior_total > 0 ? html`<section class="part"><h2>Last 30 days and the 30 days before</h2>${moveBars(`Stories about ${name} by kind of move`, { days: DAYS, now: window.by_move, before: window.prior_by_move }, path)}</section>` : null}
    ${timeline.counts.length > 0 ? html`<section class="part"><h2>Half a year by week</h2>${weekChart(name, timeline)}</section>` : null}</div>`;

/** Stories about the brand and stories that mention it; 301 for a retired slug, 404 for an unknown brand. */
export function brandPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/brand/:slug', async (request, reply) => {
    const found = await findPublicBrand(site, request.params.slug);
    if ('redirect' in found) return reply.redirect(`${site.baseUrl}${brandPath(found.redirect)}`, 301);
    const { brand } = found;
    const { brand: _, q: __, ...shown } = readFeedQuery(request.query, site.directory);
    const path = brandPath(brand.slug);
    const fixed = { brand: site.directory.slugsOf(brand.slug), mentions: true, density: densityOf(request) };
    const name = clip(neutralise(brand.name), 80);
    const [page, { window, timeline }, follow] = await Promise.all([
      loadFeedPage(site, path, shown, fixed),
      loadWindows(site, brand),
      followButton(site, request, { type: 'brand', slug: brand.slug, name }),
    ]);
    const isFirst = !isNarrowed(shown);
    const empty = brand.stories === 0 ? nothingYet(name) : nothingFits(path);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move of ${name} in Indian retail.`,
        path: address(path, shown),
        card: cardPath('brand', brand.slug),
        collection: {
          about: { '@type': 'Organization', name },
          trail: [underIndex, { name, path }],
          entries: page.signals,
        },
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Brand</p><h1>${name}</h1>
          ${window ? summary(brand, window) : null}
          ${follow}<p class="act"><a class="button plain" href="/watch?b=${brand.slug}">Compare</a></p>
          <nav class="kinds" aria-label="Tables of ${name}">${TABLES.map((table) => html`<a href="${addressWith(`/tables/${table}`, { brand: brand.slug })}">${slugToWords(table)}</a> `)}</nav></header>
        <div class="beside">
          <section class="part stories"><h2>${isFirst ? 'Latest' : 'On record'}</h2>${feedBody(path, shown, page, empty)}</section>
          ${charts(name, path, isFirst ? window : undefined, timeline)}
          <aside class="rail" aria-label="Related to ${name}">${aside(brand, window?.cities ?? [])}</aside>
        </div>`,
      }),
    );
  });
}

const nothingYet = (name: string): Markup => html`<p class="empty">
  No stories about ${name} yet. <a href="/index">The index</a> lists brands with stories.
</p>`;

/** Signals, newest first; 404 for a theme that neither the catalogue nor a signal has. */
export function themePage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/theme/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { database, directory, baseUrl } = site;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No theme of the record has this address.');
    const path = `/theme/${slug}`;
    const { theme: _, q: __, ...shown } = readFeedQuery(request.query, directory);
    const [page, found] = await Promise.all([
      loadFeedPage(site, path, shown, { theme: slug, density: densityOf(request) }),
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
