/** GET /brand/{slug}: stories, trends and signals of a brand. GET /theme/{slug}: the signals of a theme. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { addressWith, brandPath, cityPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { clip, describeMonth, formatCount, formatShortDay, neutralise, slugToWords } from '../../presentation/text.ts';
import { findTheme, storiesByWeek } from '../../projector/models/brands-queries.ts';
import { busiestBrands, competitorWatch } from '../../projector/models/competitor-watch-queries.ts';
import { type Brand, FREE_WATCH, type WatchedBrand } from '../../schemas/brand.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { Slug } from '../../schemas/scalar.ts';
import { filterAddress, narrows } from '../../schemas/signal-filter.ts';
import { TABLES } from '../../schemas/tables.ts';
import {
  type BrandRecord,
  brandDeals,
  brandOpenings,
  brandPeople,
  brandResults,
  loadBrandRecord,
} from '../brand-record.ts';
import { cardPath } from '../cards/subjects.ts';
import { moveBars, type Weeks, weekChart } from '../charts.ts';
import { choosable, facetCounter, facetPanel } from '../facets.ts';
import { densityOf, feedBody, feedLinks, loadFeedPage, nothingFits, readFeedQuery } from '../feed.ts';
import { followButton, hasEmptyFields, hidden } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { countedList, startLoader, type Week, weekExamples, weekLoader } from '../names.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';

const DAYS = 30;
const WEEKS = 26;
const LEAST_WEEKS = 4;
const WEEK = 604_800_000;
const DAY = 86_400_000;
const MAXIMUM_CITIES = 12;

/** The change from the window before, in words. @param start of the record, where it does not reach back to the window before */
const trend = ({ total, prior_total }: WatchedBrand, start: Date | null): string => {
  const stories = formatCount(total, 'story', 'stories');
  if (start)
    return `${stories} in ${DAYS} days. The record is kept since ${formatShortDay(start)}: there is no full period before to compare with.`;
  if (total === prior_total) return `${stories} in ${DAYS} days, as many as in the ${DAYS} before.`;
  return `${stories} in ${DAYS} days, ${total > prior_total ? 'up' : 'down'} from ${prior_total} in the ${DAYS} before.`;
};

const summary = ({ stories, stories_about, first_seen_at }: Brand, { window, start }: Windows): Markup =>
  html`<p>${first_seen_at === null ? 'No stories yet.' : html`${trend(window, start)} On record since ${timeTag(first_seen_at, formatShortDay(first_seen_at))}: ${formatCount(stories_about, 'story', 'stories')} about it, ${stories - stories_about} that only mention it.`}</p>`;

const listed = <Entry>(heading: string, entries: readonly Entry[], list: (entries: readonly Entry[]) => Markup) =>
  entries.length === 0 ? null : html`<section><h2>${heading}</h2>${list(entries)}</section>`;

const aside = ({ related_brands, themes, top_outlets }: Brand, cities: readonly string[]): Markup => html`
  ${listed('Named together with', related_brands, (entries) =>
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
  ${listed('Sources: outlets that reported it', top_outlets, (entries) => html`<ul class="counted">${entries.map(({ outlet, stories }) => html`<li>${clip(neutralise(outlet), 50)} <span>${stories}</span></li>`)}</ul>`)}
  ${listed(`Cities, ${DAYS} days`, cities.slice(0, MAXIMUM_CITIES), (names) => html`<ul class="counted">${names.map((city) => html`<li><a href="${cityPath(city)}">${clip(neutralise(city), 40)}</a></li>`)}</ul>`)}`;

interface Windows {
  readonly window: WatchedBrand;
  /** When the record begins, where that is later than the window before; null where both windows are whole. */
  readonly start: Date | null;
  readonly timeline: Weeks;
}

/** @param loadStart when the record begins; null while it is empty */
async function loadWindows(
  { database, directory, baseUrl, now }: Site,
  { slug, name }: Brand,
  loadStart: () => Promise<Date | null>,
): Promise<Windows> {
  const slugs = directory.slugsOf(slug);
  const start = (await loadStart()) ?? now();
  const age = (now().getTime() - start.getTime()) / WEEK;
  // No more weeks than the record has, but enough for a chart.
  const count = Math.min(WEEKS, Math.max(LEAST_WEEKS, Math.ceil(age)));
  const weeks = { since: new Date(now().getTime() - count * WEEK), weeks: count };
  const [watch, counts] = await Promise.all([
    competitorWatch(database, { brands: [{ slug, name, slugs }], days: DAYS, now: now(), baseUrl }),
    storiesByWeek(database, slugs, weeks),
  ]);
  const [window] = watch.brands;
  if (!window) throw new Error('a watched brand came back as none');
  return { window, start: age * 7 < 2 * DAYS ? start : null, timeline: { ...weeks, counts } };
}

/** The charts next to the stories. */
const charts = (name: string, path: string, { window, start, timeline }: Windows, openings: Markup | null): Markup =>
  html`<div class="charts">
    ${window.total + window.prior_total > 0 ? html`<section class="part"><h2>${start ? `Last ${DAYS} days` : `Last ${DAYS} days and the ${DAYS} days before`}</h2>${moveBars(`Stories about ${name} by kind of move`, { days: DAYS, now: window.by_move, before: start ? null : window.prior_by_move }, path)}</section>` : null}
    ${timeline.counts.length > 0 ? html`<section class="part"><h2>By week, ${timeline.weeks === WEEKS ? 'half a year' : `${timeline.weeks} weeks`}</h2>${weekChart(name, timeline)}</section>` : null}
    ${openings}</div>`;

/** What the record has of the brand, and whom it is named with. */
const record = (brand: Brand, found: BrandRecord): Markup | null => {
  const parts = [brandResults, brandPeople, brandDeals].flatMap((part) => part(brand.slug, found) ?? []);
  return parts.length === 0 ? null : html`<div class="charts records">${parts}</div>`;
};

/** Competitors that the form offers: those of its category with most stories. */
const OFFERED = 8;
const OFFERED_DAYS = 90;

async function competitorsOf({ database, directory, gazetteer, now }: Site, { slug, related_brands }: Brand) {
  const category = gazetteer.categoryOf(slug);
  const own = new Set(directory.slugsOf(slug));
  const listed = category ? gazetteer.brandsOf(category).filter((one) => !own.has(one)) : [];
  const since = new Date(now().getTime() - OFFERED_DAYS * DAY);
  const busy = await busiestBrands(database, listed, { since, limit: OFFERED });
  const found = [...busy, ...related_brands].map((one) => directory.currentSlug(one.slug));
  return [...new Set(found)]
    .filter((one) => !own.has(one))
    .slice(0, OFFERED)
    .map((one) => ({ slug: one, name: directory.brand(one)?.name ?? slugToWords(one) }));
}

/** The form that compares the brand with others, up to as many as every reader may compare. */
const compareForm = (
  { slug }: Brand,
  name: string,
  competitors: Awaited<ReturnType<typeof competitorsOf>>,
): Markup => html`<details class="compare"><summary class="button plain">Compare</summary>
  <form class="pick" action="/watch" method="get" aria-label="Compare ${name}">${hidden({ b: slug })}
    <fieldset><legend>Compare ${name} with up to ${FREE_WATCH.brands - 1} others</legend><div class="choices">${competitors.map(
      (one) =>
        html`<label><input type="checkbox" name="b" value="${one.slug}">${clip(neutralise(one.name), 50)}</label>`,
    )}</div></fieldset>
    <div class="row"><div class="field"><label for="add">Other brands, separated by commas</label><input id="add" name="add" maxlength="500" autocomplete="off"></div>
      <button type="submit">Compare</button></div></form></details>`;

/** What the page says of an entry that operators retired. */
const retiredNote = (entry: { readonly retired_at?: string } | null): Markup | null =>
  entry?.retired_at === undefined
    ? null
    : html`<p class="note">Retired from the catalogue on ${timeTag(entry.retired_at, formatShortDay(entry.retired_at))}: the stories until then are here, new ones are not put under it.</p>`;

/** Stories about the brand and stories that mention it; 301 for a retired slug, 404 for an unknown brand. */
export function brandPage(server: FastifyInstance, site: Site): void {
  const count = facetCounter(site);
  const loadStart = startLoader(site);
  const loadWeek = weekLoader(site);
  server.get<{ Params: { slug: string } }>('/brand/:slug', async (request, reply) => {
    const known = await findPublicBrand(site, request.params.slug);
    if ('redirect' in known) return reply.redirect(`${site.baseUrl}${brandPath(known.redirect)}`, 301);
    const { brand } = known;
    const path = brandPath(brand.slug);
    const place = { path, fixed: { brand: [brand.slug] } };
    const shown = choosable(readFeedQuery(request.query, site.directory), place);
    if (hasEmptyFields(request)) return reply.redirect(filterAddress(path, shown), 303);
    const name = clip(neutralise(brand.name), 80);
    const [page, counts, windows, found, competitors, follow] = await Promise.all([
      loadFeedPage(site, shown, place, densityOf(request)),
      count(shown, place),
      loadWindows(site, brand, loadStart),
      loadBrandRecord(site, brand.slug, site.directory.slugsOf(brand.slug)),
      competitorsOf(site, brand),
      followButton(site, request, { type: 'brand', slug: brand.slug, name }),
    ]);
    const isFirst = !narrows(shown) && shown.sort === undefined && shown.cursor === undefined;
    const empty = brand.stories === 0 ? nothingYet(name, await loadWeek()) : nothingFits(path);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move of ${name} in Indian retail.`,
        path: filterAddress(path, shown),
        card: cardPath('brand', brand.slug),
        collection: {
          about: { '@type': 'Organization', name },
          trail: [underIndex, { name, path }],
          entries: page.signals,
        },
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Brand</p><h1>${name}</h1>
          ${summary(brand, windows)}${retiredNote(site.directory.brand(brand.slug))}
          ${follow}${compareForm(brand, name, competitors)}
          <nav class="kinds" aria-label="Tables of ${name}">${TABLES.map((table) => html`<a href="${addressWith(`/tables/${table}`, { brand: brand.slug })}">${slugToWords(table)}</a> `)}</nav></header>
        <div class="story-columns whole">
          <section class="part stories"><h2>${isFirst ? 'Latest' : 'On record'}</h2>${facetPanel(shown, place, counts, site.directory)}<div id="stories">${feedBody(place, shown, page, site.directory, { empty })}</div></section>
          ${isFirst ? html`${charts(name, path, windows, brandOpenings(brand.slug, found))}${record(brand, found)}` : null}
          <aside class="rail" aria-label="Related to ${name}">${aside(brand, windows.window.cities)}</aside>
        </div>`,
      }),
    );
  });
}

const nothingYet = (name: string, week: Week): Markup => html`<div class="empty"><p>
  No stories about ${name} yet. Follow it to be notified of the first one; <a href="/index">the index</a> lists brands with stories.</p>${weekExamples(week)}</div>`;

/** Signals, newest first; 301 for a retired slug; 404 for a theme that neither the catalogue nor a signal has. */
export function themePage(server: FastifyInstance, site: Site): void {
  const count = facetCounter(site);
  server.get<{ Params: { slug: string } }>('/theme/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { database, directory, baseUrl } = site;
    if (!Slug.safeParse(slug).success) throw new Refusal('not_found', 'No theme of the record has this address.');
    const entry = directory.theme(slug);
    if (entry && entry.slug !== slug) return reply.redirect(`${baseUrl}/theme/${entry.slug}`, 301);
    const path = `/theme/${slug}`;
    const place = { path, fixed: { theme: [slug] } };
    const shown = choosable(readFeedQuery(request.query, directory), place);
    if (hasEmptyFields(request)) return reply.redirect(filterAddress(path, shown), 303);
    const [page, counts, found] = await Promise.all([
      loadFeedPage(site, shown, place, densityOf(request)),
      count(shown, place),
      findTheme(database, slug, { now: site.now(), baseUrl, retiredSlugs: directory.themeSlugsOf(slug).slice(1) }),
    ]);
    if (page.signals.length === 0 && !narrows(shown) && !entry)
      throw new Refusal('not_found', 'No public signal has a theme with this address.');
    const named = page.signals.find(({ theme }) => theme?.slug === slug)?.theme;
    const name = clip(neutralise(entry?.name ?? named?.name ?? slugToWords(slug)), 80);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Every dated, source-cited move in Indian retail under the theme ${name}.`,
        path: filterAddress(path, shown),
        card: cardPath('theme', slug),
        collection: {
          about: { '@type': 'Thing', name },
          trail: [underIndex, { name, path }],
          entries: page.signals,
        },
        head: feedLinks(path, name),
        body: html`<header class="subject"><p class="kicker">Theme</p><h1>${name}</h1>
        ${found ? html`<p>${describeMonth(found.last_30_days)}</p>` : null}${retiredNote(entry)}
        ${await followButton(site, request, { type: 'theme', slug, name })}</header>
        <div class="with-rail">${facetPanel(shown, place, counts, directory)}
          <div class="stories" id="stories">${feedBody(place, shown, page, directory, { empty: nothingFits(path) })}</div></div>`,
      }),
    );
  });
}
