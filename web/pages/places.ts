/**
 * Store openings of one place, and the parts that the map shares. GET /city/{slug}: openings and signals of a city;
 * GET /mall/{slug}: openings in a mall within a year, and announced ones.
 */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { brandPath, cityPath, type Markup, mallPath, timeTag } from '../../presentation/markup.ts';
import { provisionalBrands } from '../../presentation/public-records.ts';
import { clip, labelToWords, neutralise } from '../../presentation/text.ts';
import { expansionMap } from '../../projector/models/expansion-map-queries.ts';
import { categoryName } from '../../schemas/directory.ts';
import type { ExpansionMap, Pitch, ReportedOpening } from '../../schemas/moves-by-kind.ts';
import { filterAddress, narrows } from '../../schemas/signal-filter.ts';
import { cardPath } from '../cards/subjects.ts';
import { choosable, facetCounter, facetPanel } from '../facets.ts';
import { densityOf, feedBody, loadFeedPage, nothingFits, readFeedQuery } from '../feed.ts';
import { hasEmptyFields } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import { cityFinder, findMall, MALL_KINDS, type Week, weekExamples, weekLoader } from '../names.ts';
import type { Site } from '../site.ts';
import { cityAbout, mallAbout } from '../structured-data.ts';
import { saveSearchButton } from './searches.ts';

const shown = (text: string): string => clip(neutralise(text), 60);
const MAXIMUM_ROWS = 12;

const brandOf = ({ brand, brand_slug }: Pick<ReportedOpening, 'brand' | 'brand_slug'>): Markup =>
  brand_slug ? html`<a href="${brandPath(brand_slug)}">${shown(brand)}</a>` : html`${shown(brand)}`;

/** The map with brands that have no page as text: they lose their slug. */
export async function withPlainNames(site: Site, map: ExpansionMap): Promise<ExpansionMap> {
  const named = [...map.openings, ...map.who_to_pitch].flatMap(({ brand_slug }) => brand_slug ?? []);
  const provisional = await provisionalBrands(site, named);
  const plain = <One extends { brand_slug: ReportedOpening['brand_slug'] }>(one: One): One =>
    one.brand_slug !== null && provisional.has(one.brand_slug) ? { ...one, brand_slug: null } : one;
  return { ...map, openings: map.openings.map(plain), who_to_pitch: map.who_to_pitch.map(plain) };
}

/** A category as a heading; "Other brands" without one. */
export const categoryOf = (category: ExpansionMap['category']): string => {
  const name = category === null ? 'other brands' : categoryName(category);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

interface Row {
  readonly name: Markup | string;
  readonly openings: number;
  readonly stores_opened: number;
  readonly stores_planned: number;
}

/** Counts of openings by something, as a table; null without any. */
export const countTable = (what: string, rows: readonly Row[], maximum = MAXIMUM_ROWS): Markup | null =>
  rows.length === 0
    ? null
    : html`<section class="part"><h2>By ${what}</h2><div class="scroll" tabindex="0" role="region" aria-label="Openings by ${what}"><table>
  <thead><tr><th scope="col">${what.charAt(0).toUpperCase() + what.slice(1)}</th><th scope="col" class="figure">Openings</th><th scope="col" class="figure">Stores opened</th><th scope="col" class="figure">Stores planned</th></tr></thead>
  <tbody>${rows
    .slice(0, maximum)
    .map(
      ({ name, openings, stores_opened, stores_planned }) =>
        html`<tr><th scope="row">${name}</th><td class="figure">${openings}</td><td class="figure">${stores_opened}</td><td class="figure">${stores_planned}</td></tr>`,
    )}</tbody></table></div></section>`;

/** The name of a mall; a mall that the catalogue lacks has no page. */
const mallName = ({ mall, city }: ExpansionMap['by_mall'][number]): Markup =>
  city === null ? html`${shown(mall)}` : html`<a href="${mallPath(mall)}">${shown(mall)}</a>`;

/** Openings by category and mall, as tables side by side. Empty tables are omitted. @param first a table before them */
export const openingCounts = (
  { by_category, by_mall }: ExpansionMap,
  {
    cities,
    malls = true,
    first = null,
  }: { readonly cities: boolean; readonly malls?: boolean; readonly first?: Markup | null },
): Markup => html`<div class="columns">
  ${first}
  ${countTable(
    'category',
    by_category.map((row) => ({ ...row, name: categoryOf(row.category) })),
  )}
  ${
    malls
      ? countTable(
          'mall',
          by_mall.map((row) => ({
            ...row,
            name: html`${mallName(row)}${row.city && cities ? html`<small>${shown(row.city)}</small>` : null}`,
          })),
        )
      : null
  }
</div>`;

/** The totals: openings, stores opened, stores announced or planned, and closures. */
export const openingFigures = (
  { openings_total, stores_opened, stores_planned, closures_total }: ExpansionMap,
  days: number,
): Markup =>
  html`<dl class="figures"><div><dt>openings in ${days} days</dt><dd>${formatNumber(openings_total)}</dd></div>
  <div><dt>stores opened, at least</dt><dd>${formatNumber(stores_opened)}</dd></div>
  <div><dt>stores announced or planned, at least</dt><dd>${formatNumber(stores_planned)}</dd></div>
  <div><dt>${closures_total === 1 ? 'closure' : 'closures'}</dt><dd>${closures_total}</dd></div></dl>`;

const pitch = (one: Pitch): Markup => html`<li><b>${brandOf(one)}</b> ${neutralise(one.why)}
  <a href="/signal/${one.signal.slug}" aria-label="The newest report of ${shown(one.brand)}">Report</a></li>`;

/** Brands with announced or planned stores. */
export const pitchList = (pitches: readonly Pitch[]): Markup | null =>
  pitches.length === 0
    ? null
    : html`<section class="part"><h2>Announced and planned: who to pitch</h2><ul class="plain-list pitches">${pitches.slice(0, MAXIMUM_ROWS).map(pitch)}</ul></section>`;

const where = ({ mall, locality, city }: ReportedOpening): string =>
  [mall, locality, city]
    .filter((place) => place !== null)
    .map(shown)
    .join(', ');

const openingRow = (opening: ReportedOpening): Markup => html`<tr>
  <th scope="row">${brandOf(opening)}</th>
  <td>${opening.stores === null ? null : `${formatCount(opening.stores, 'store')}, `}${labelToWords(opening.status)}${opening.date ? html`<small>${timeTag(opening.date, formatDay(opening.date))}</small>` : null}</td>
  <td>${where(opening)}</td>
  <td class="long"><a href="/signal/${opening.signal.slug}">${clip(neutralise(opening.signal.headline), 120)}</a></td>
</tr>`;

/** Every opening with the signal that reports it. */
export const openingList = (openings: readonly ReportedOpening[]): Markup =>
  html`<section class="part"><h2>All openings</h2>${
    openings.length === 0
      ? html`<p class="empty">No openings are reported here in this period. <a href="/map?days=365">A year of openings</a>, or <a href="/tables/openings">every opening as a table</a>.</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Openings"><table>
  <thead><tr><th scope="col">Brand</th><th scope="col">What</th><th scope="col">Where</th><th scope="col">Entry</th></tr></thead>
  <tbody>${openings.map(openingRow)}</tbody></table></div>`
  }</section>`;

const nothingYet = (name: string, state: string | null, week: Week): Markup =>
  html`<div class="empty"><p>No signals from ${name} yet. <a href="/map${state ? `?${new URLSearchParams({ state })}` : ''}">The map</a> shows openings ${state ? `in ${state}` : 'elsewhere'}.</p>${weekExamples(week)}</div>`;

const CITY_DAYS = 90;
const CITY_OPENINGS = 15;

/** 301 for an alternative name of a city, 404 for a city that neither the catalogue nor the record knows. */
export function cityPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  const find = cityFinder(site);
  const count = facetCounter(site);
  const loadWeek = weekLoader(site);
  server.get<{ Params: { slug: string } }>('/city/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: city, state, redirect } = await find(slug);
    if (redirect !== null) return reply.redirect(`${baseUrl}/city/${redirect}`, 301);
    const path = cityPath(city);
    const place = { path, fixed: { city: [city] } };
    const shown = choosable(readFeedQuery(request.query, site.directory), place);
    if (hasEmptyFields(request)) return reply.redirect(filterAddress(path, shown), 303);
    const name = clip(neutralise(city), 60);
    const [places, page, counts, save] = await Promise.all([
      expansionMap(database, { city, days: CITY_DAYS, limit: CITY_OPENINGS }, { now: now(), baseUrl, gazetteer }),
      loadFeedPage(site, shown, place, densityOf(request)),
      count(shown, place),
      saveSearchButton(site, request, { only: { city: [city] }, without: {} }, `Moves in ${name}`),
    ]);
    const map = await withPlainNames(site, places);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Who is opening in ${name}, in which mall, and every dated, source-cited retail move there.`,
        path: filterAddress(path, shown),
        card: cardPath('city', slug),
        collection: {
          about: cityAbout(name, state),
          trail: [
            { name: 'Map', path: '/map' },
            { name, path },
          ],
          entries: page.signals,
        },
        body: html`<header class="subject"><p class="kicker"><span>City</span>${state ? html` <span>${state}</span>` : null}</p><h1>${name}</h1>
        ${save}</header>
        ${openingFigures(map, CITY_DAYS)}
        ${openingCounts(map, { cities: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}
        <section class="part"><h2>Latest from ${name}</h2>
          <div class="with-rail">${facetPanel(shown, place, counts, site.directory)}
          <div class="stories" id="stories">${feedBody(place, shown, page, site.directory, { empty: narrows(shown) ? nothingFits(path) : nothingYet(name, state, await loadWeek()) })}</div></div>
        </section>`,
      }),
    );
  });
}

/** Days of openings: one mall has few. */
const MALL_DAYS = 365;
const MALL_OPENINGS = 30;

/** 301 for an alternative name of a mall, 404 for a mall that the catalogue lacks. */
export function mallPage(server: FastifyInstance, site: Site): void {
  const { database, gazetteer, baseUrl, now } = site;
  server.get<{ Params: { slug: string } }>('/mall/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: mall, city, kind, redirect } = findMall(gazetteer, slug);
    if (redirect !== null) return reply.redirect(`${baseUrl}/mall/${redirect}`, 301);
    const places = await expansionMap(
      database,
      { mall, days: MALL_DAYS, limit: MALL_OPENINGS },
      { now: now(), baseUrl, gazetteer },
    );
    const map = await withPlainNames(site, places);
    const name = clip(neutralise(mall), 60);
    const path = mallPath(mall);
    return sendPage(
      reply,
      await layout(site, {
        title: `${name} · Clarity`,
        description: `Who opened and who plans to open at ${name} in ${city}, every opening with its report.`,
        path,
        card: cardPath('mall', slug),
        collection: {
          about: mallAbout({ name, city, kind }, map.place.state),
          trail: [
            { name: 'Map', path: '/map' },
            { name: city, path: cityPath(city) },
            { name, path },
          ],
          entries: map.openings.map(({ signal }) => signal),
        },
        body: html`<header class="subject"><p class="kicker"><span>${MALL_KINDS[kind]}</span>${map.place.state ? html` <span>${map.place.state}</span>` : null}</p><h1>${name}</h1>
          <p>In <a href="${cityPath(city)}">${city}</a>.</p></header>
        ${openingFigures(map, MALL_DAYS)}
        ${openingCounts(map, { cities: false, malls: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}`,
      }),
    );
  });
}
