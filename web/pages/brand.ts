/**
 * GET /brand/{slug}: stories, trends and signals of a brand, and what the record has of it: openings on a small map,
 * results by quarter, people and deals. GET /theme/{slug}: the signals of a theme.
 */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { formatDay } from '../../language/days.ts';
import { quarterOrder } from '../../language/fiscal.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { TABLES } from '../../presentation/fact-tables.ts';
import { addressWith, brandPath, cityPath, type Markup, timeTag } from '../../presentation/markup.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { clip, describeMonth, labelToWords, neutralise, slugToWords } from '../../presentation/text.ts';
import { busiestBrands, competitorWatch, findTheme, storiesByWeek } from '../../projector/models/brands-queries.ts';
import { countByPlace } from '../../projector/models/expansion-map-queries.ts';
import { listTable, type TableCell, type TableRow, tableTotals } from '../../projector/models/tables-queries.ts';
import type { FactKindName as TableName } from '../../schemas/facts.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { type ExpansionMap, Quarter } from '../../schemas/moves-by-kind.ts';
import { type Brand, FREE_WATCH, type WatchedBrand } from '../../schemas/resources.ts';
import { type BrandSlug, Slug } from '../../schemas/scalar.ts';
import { filterAddress, narrows } from '../../schemas/signal-filter.ts';
import { cardPath } from '../cards/subjects.ts';
import { moveBars, type Weeks, weekChart } from '../charts.ts';
import { choosable, facetCounter, facetPanel } from '../facets.ts';
import { densityOf, feedBody, feedLinks, loadFeedPage, nothingFits, readFeedQuery } from '../feed.ts';
import { followButton, hasEmptyFields, hidden } from '../forms.ts';
import { INDIA_PICTURE, layout, sendPage } from '../layout.ts';
import { miniMap } from '../map.ts';
import { countedList, startLoader, type Week, weekExamples, weekLoader } from '../names.ts';
import type { Site } from '../site.ts';
import { underIndex } from '../structured-data.ts';

/** Rows of each list; its table has all. */
const LISTED = 6;
const MAP_CITIES = 100;
/** Rows from which the quarters are made: several metrics a quarter. */
const RESULT_ROWS = 60;
const QUARTERS = 5;
const METRICS = 3;
const YEAR = 365 * 86_400_000;

const text = (value: TableCell | undefined, maximum = 60): string =>
  value === null || value === undefined ? '' : clip(neutralise([value].flat().join(', ')), maximum);

/** The rows of a brand. */
interface BrandRecord {
  readonly openings: readonly TableRow[];
  readonly stores: Readonly<Record<string, number>>;
  /** Cities with openings within a year, most openings first. */
  readonly cities: ExpansionMap['by_city'];
  readonly results: readonly TableRow[];
  readonly people: readonly TableRow[];
  readonly deals: readonly TableRow[];
}

/** Loads what the record has of a brand. @param slugs all that the brand has had */
async function loadBrandRecord(
  { database, gazetteer, now }: Pick<Site, 'database' | 'gazetteer' | 'now'>,
  slug: BrandSlug,
  slugs: readonly BrandSlug[],
): Promise<BrandRecord> {
  // A company that has one brand alone reports under its own name.
  const reporting = gazetteer.company(slug)?.reporting ?? slugs;
  const rows = (table: TableName, brand: readonly BrandSlug[], limit = LISTED): Promise<TableRow[]> =>
    listTable(
      database,
      table,
      { only: { brand }, without: {} },
      { order: { by: 'date', descending: true }, limit, after: null },
    );
  const [openings, totals, places, results, people, deals] = await Promise.all([
    rows('openings', slugs),
    tableTotals(database, 'openings', { only: { brand: slugs }, without: {} }),
    countByPlace(
      database,
      { since: new Date(now().getTime() - YEAR), until: now(), brands: slugs },
      'city',
      MAP_CITIES,
    ),
    rows('results', reporting, RESULT_ROWS),
    rows('people', slugs),
    rows('deals', slugs),
  ]);
  const cities = places.map(({ place, openings: count, opened, planned }) => {
    const { state = null, latitude = null, longitude = null } = gazetteer.city(place) ?? {};
    const stores = { stores: opened, stores_opened: opened, stores_planned: planned };
    return { city: place, state, latitude, longitude, openings: count, ...stores };
  });
  return { openings, stores: totals.sums, cities, results, people, deals };
}

const reported = ({ slug, headline, published_at }: TableRow): Markup =>
  html`<small><a href="/signal/${slug}" title="${text(headline, 160)}">${timeTag(published_at.toISOString(), formatDay(published_at))}</a></small>`;

const more = (brand: BrandSlug, table: TableName, name: string): Markup =>
  html`<p class="note"><a href="${addressWith(`/tables/${table}`, { brand })}">All ${name}</a></p>`;

const list = (heading: string, rows: readonly TableRow[], row: (row: TableRow) => Markup, end: Markup) =>
  rows.length === 0
    ? null
    : html`<section class="part"><h2>${heading}</h2><ul class="plain-list facts-list">${rows.map((one) => html`<li>${row(one)}${reported(one)}</li>`)}</ul>${end}</section>`;

const opening = ({ cells }: TableRow): Markup => {
  const where = [cells.mall, cells.locality, cells.city].map((one) => text(one, 40)).filter(Boolean);
  const stores = typeof cells.stores === 'number' ? `${formatCount(cells.stores, 'store')}, ` : '';
  return html`<b>${where.join(', ') || 'No place stated'}</b> ${stores}${text(cells.status)}${typeof cells.date === 'string' ? html` on ${timeTag(cells.date, formatDay(cells.date))}` : null}`;
};

/** The openings: a map of their cities within a year, what they add up to, and the latest. */
function brandOpenings(brand: BrandSlug, { openings, stores, cities }: BrandRecord): Markup | null {
  if (openings.length === 0) return null;
  const count = (sum: string): string => formatNumber(stores[sum] ?? 0);
  return html`<section class="part"><h2>Openings</h2>
    <p class="note">On record at least ${formatCount(stores.opened ?? 0, 'store')} opened, ${count('planned')} announced or planned, ${count('closed')} closed.</p>
    <div class="with-map">${cities.length === 0 ? null : miniMap(cities, INDIA_PICTURE, (city) => addressWith('/tables/openings', { brand, city }))}
    <ul class="plain-list facts-list">${openings.map((one) => html`<li>${opening(one)}${reported(one)}</li>`)}</ul></div>
    ${more(brand, 'openings', 'openings')}</section>`;
}

const percent = (growth: number): string => `${growth > 0 ? '+' : ''}${String(growth).replace('-', '−')}%`;

/** One figure: its value, its growth, and the story that reports it. */
const figure = (row: TableRow | undefined): Markup => {
  if (!row) return html`<td class="figure nothing">–</td>`;
  const { value, growth_pct } = row.cells;
  const growth = typeof growth_pct === 'number' ? percent(growth_pct) : '';
  return html`<td class="figure"><a href="/signal/${row.slug}" title="${text(row.headline, 160)}">${text(value, 24) || growth || 'reported'}</a>${value && growth ? html`<small>${growth}</small>` : null}</td>`;
};

/** Quarters from the newest on, a column for each of the metrics that are reported most; null without results. */
function brandResults(brand: BrandSlug, { results }: BrandRecord): Markup | null {
  const rows = results.filter(({ cells }) => Quarter.safeParse(cells.period).success);
  if (rows.length === 0) return null;
  const quarters = [...new Set(rows.map(({ cells }) => String(cells.period)))]
    .toSorted((one, other) => quarterOrder(other) - quarterOrder(one))
    .slice(0, QUARTERS);
  const metrics = [...Map.groupBy(rows, ({ cells }) => String(cells.metric))]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, METRICS)
    .map(([metric]) => metric);
  // Newest first: the first row of a quarter and metric is its newest report.
  const newest = (quarter: string, metric: string) =>
    rows.find(({ cells }) => cells.period === quarter && cells.metric === metric);
  return html`<section class="part"><h2>Results by quarter</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Results by quarter"><table>
    <thead><tr><th scope="col">Quarter</th>${metrics.map((metric) => html`<th scope="col" class="figure">${labelToWords(text(metric, 24))}</th>`)}</tr></thead>
    <tbody>${quarters.map((quarter) => html`<tr><th scope="row">${quarter}</th>${metrics.map((metric) => figure(newest(quarter, metric)))}</tr>`)}</tbody></table></div>
    <p class="note">As reported, with the growth against the same quarter of the year before.</p>${more(brand, 'results', 'results')}</section>`;
}

/** Who joined, left and was promoted; null without any. */
const brandPeople = (brand: BrandSlug, { people }: BrandRecord): Markup | null =>
  list(
    'People',
    people,
    ({ cells }) => html`<b>${text(cells.person)}</b> ${text(cells.direction)}, ${text(cells.role, 90)}`,
    more(brand, 'people', 'people'),
  );

/** Deals in which it is the company, a buyer or an investor; null without any. */
const brandDeals = (brand: BrandSlug, { deals }: BrandRecord): Markup | null =>
  list(
    'Deals',
    deals,
    ({ cells }) =>
      html`<b>${text(cells.amount, 30) || 'Amount not stated'}</b> ${labelToWords(text(cells.type))}${cells.target ? html` of ${text(cells.target)}` : null}${text(cells.buyers) ? html` by ${text(cells.buyers, 90)}` : null}${cells.status ? html`, ${text(cells.status)}` : null}`,
    more(brand, 'deals', 'deals'),
  );

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
    return `${stories} in ${DAYS} days. The record is kept since ${formatDay(start)}: there is no full period before to compare with.`;
  if (total === prior_total) return `${stories} in ${DAYS} days, as many as in the ${DAYS} before.`;
  return `${stories} in ${DAYS} days, ${total > prior_total ? 'up' : 'down'} from ${prior_total} in the ${DAYS} before.`;
};

const summary = ({ stories, stories_about, first_seen_at }: Brand, { window, start }: Windows): Markup =>
  html`<p>${first_seen_at === null ? 'No stories yet.' : html`${trend(window, start)} On record since ${timeTag(first_seen_at, formatDay(first_seen_at))}: ${formatCount(stories_about, 'story', 'stories')} about it, ${stories - stories_about} that only mention it.`}</p>`;

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
    : html`<p class="note">Retired from the catalogue on ${timeTag(entry.retired_at, formatDay(entry.retired_at))}: the stories until then are here, new ones are not put under it.</p>`;

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
