/**
 * Store openings of one place, and the parts that the map shares. GET /city/{slug}: openings and signals of a city;
 * GET /mall/{slug}: openings in a mall within a year, and announced ones.
 */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { capitalised, formatCount, formatNumber } from '../../language/prose.ts';
import { addressWith, cityPath, type Markup, mallPath, timeTag } from '../../presentation/markup.ts';
import { categoryLabel, formatAxisDay, labelToWords, neutralise } from '../../presentation/text.ts';
import { expansionMap } from '../../projector/models/expansion-map-queries.ts';
import type { ExpansionMap, Pitch, ReportedOpening } from '../../schemas/moves-by-kind.ts';
import { reportedAt } from '../../schemas/resources.ts';
import { narrows } from '../../schemas/signal-filter.ts';
import { cardPath } from '../cards/subjects.ts';
import { totalText } from '../facets.ts';
import { filterFeedLinks } from '../feed.ts';
import { filteredList, listedPage, listLoader, nothingFits } from '../feed-page.ts';
import { shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { brandName, cityFinder, findMall, MALL_KINDS, withPlainNames } from '../names.ts';
import { countedPart, dayTag, excerpt, figures, listPart, part, subject, table } from '../parts.ts';
import type { Site } from '../site.ts';
import { emptyPage, weekLoader } from '../week.ts';
import { saveSearchButton } from './searches-view.ts';

const MAXIMUM_ROWS = 12;

interface Row {
  readonly name: Markup | string;
  readonly openings: number;
  readonly stores_opened: number;
  readonly stores_planned: number;
}

/** Counts of openings by something, as a table; null without any. */
export const countTable = (what: string, rows: readonly Row[], maximum = MAXIMUM_ROWS): Markup | null =>
  listPart(`By ${what}`, rows, () =>
    table(
      `Openings by ${what}`,
      [capitalised(what), { figure: 'Openings' }, { figure: 'Stores opened' }, { figure: 'Stores planned' }],
      rows
        .slice(0, maximum)
        .map(
          ({ name, openings, stores_opened, stores_planned }) =>
            html`<tr><th scope="row">${name}</th><td class="figure">${openings}</td><td class="figure">${stores_opened}</td><td class="figure">${stores_planned}</td></tr>`,
        ),
    ),
  );

/** The name of a mall; a mall that the catalogue lacks has no page. */
const mallName = ({ mall, city }: ExpansionMap['by_mall'][number]): Markup =>
  city === null ? html`${excerpt(mall)}` : html`<a href="${mallPath(mall)}">${excerpt(mall)}</a>`;

interface CountedParts {
  /** Names of cities next to those of malls. */
  readonly cities?: boolean;
  readonly malls?: boolean;
  /** A table before them. */
  readonly first?: Markup | null;
}

/** Openings by category and mall, as tables side by side. Empty tables are omitted. */
export const openingCounts = (
  { by_category, by_mall }: ExpansionMap,
  { cities = false, malls = true, first = null }: CountedParts = {},
): Markup => html`<div class="columns">
  ${first}
  ${countTable(
    'category',
    by_category.map((row) => ({ ...row, name: categoryLabel(row.category) })),
  )}
  ${countTable(
    'mall',
    (malls ? by_mall : []).map((row) => ({
      ...row,
      name: html`${mallName(row)}${row.city && cities ? html`<small>${excerpt(row.city)}</small>` : null}`,
    })),
  )}
</div>`;

/** The totals: openings, stores opened, stores announced or planned, and closures. */
export const openingFigures = (
  { openings_total, stores_opened, stores_planned, closures_total }: ExpansionMap,
  days: number,
): Markup =>
  figures([
    [`openings in ${days} days`, formatNumber(openings_total)],
    ['stores opened, at least', formatNumber(stores_opened)],
    ['stores announced or planned, at least', formatNumber(stores_planned)],
    [closures_total === 1 ? 'closure' : 'closures', closures_total],
  ]);

const pitch = ({ brand, brand_slug, why, signal }: Pitch): Markup =>
  html`<li><b>${brandName(brand, brand_slug)}</b> ${neutralise(why)}
  <a href="/signal/${signal.slug}" aria-label="The newest report of ${excerpt(brand)}">Report</a></li>`;

/** Brands with announced or planned stores. */
export const pitchList = (pitches: readonly Pitch[]): Markup | null =>
  listPart(
    'Announced and planned',
    pitches,
    () => html`<ul class="plain-list pitches">${pitches.slice(0, MAXIMUM_ROWS).map(pitch)}</ul>`,
  );

/** The day of an opening, where it is, and the outlet of its report: `11 Nov · Hill Mall · Mint`. @param inCity whether the city is known */
const placeRow = (
  { brand, brand_slug, stores, date, mall, locality, city, outlet, signal }: ReportedOpening,
  inCity: boolean,
): Markup => {
  const places = (inCity ? [mall, locality] : [mall, locality, city]).flatMap((place) => place ?? []);
  const where = `${(mall ?? locality) ? ' at' : ' in'} ${places.map((place) => excerpt(place, 40)).join(', ')}`;
  const day = date ?? reportedAt(signal);
  return html`<li><span><b>${brandName(brand, brand_slug)}</b>${places.length > 0 ? where : ''}${stores === null || stores === 1 ? '' : `, ${formatCount(stores, 'store')}`}</span>
  <a href="/signal/${signal.slug}" title="${excerpt(signal.headline, 120)}">${timeTag(day, formatAxisDay(day))} · ${excerpt(outlet ?? 'report', 30)}</a></li>`;
};

const PLACE_GROUPS: readonly (readonly [heading: string, statuses: readonly string[]])[] = [
  ['Opened', ['opened']],
  ['Announced and planned', ['announced', 'planned']],
  ['Closed', ['closed']],
];

/** Days of openings that a column has, and how many it lists. */
export const COLUMN = { days: 90, limit: 15 } as const;

/** Openings for a narrow column: by what happened, each with its day and outlet; then their cities, or malls and categories of one. */
export const placeColumn = (map: ExpansionMap): Markup => html`${openingFigures(map, COLUMN.days)}
  ${PLACE_GROUPS.map(([heading, statuses]) =>
    countedPart(
      heading,
      map.openings.flatMap((row) => (statuses.includes(row.status) ? placeRow(row, map.place.city !== null) : [])),
    ),
  )}
  ${map.place.city === null ? openingsBy('Cities', map.by_city, ({ city }) => html`<a href="${cityPath(city)}">${excerpt(city, 40)}</a>`) : null}
  ${openingsBy('Malls', map.by_mall, mallName)}
  ${map.place.city === null ? null : openingsBy('Categories', map.by_category, ({ category }) => categoryLabel(category))}`;

/** The first names of a count of openings. */
const openingsBy = <Row extends { readonly openings: number }>(
  heading: string,
  rows: readonly Row[],
  nameOf: (row: Row) => Markup | string,
): Markup | null =>
  countedPart(
    heading,
    rows.slice(0, MAXIMUM_ROWS).map((row) => html`<li>${nameOf(row)} <span>${row.openings}</span></li>`),
  );

const openingRow = ({ brand, brand_slug, stores, status, date, mall, locality, city, signal }: ReportedOpening) =>
  html`<tr>
  <th scope="row">${brandName(brand, brand_slug)}</th>
  <td>${stores === null ? null : `${formatCount(stores, 'store')}, `}${labelToWords(status)}${date ? html`<small>${dayTag(date)}</small>` : null}</td>
  <td>${[mall, locality, city].flatMap((place) => (place === null ? [] : excerpt(place))).join(', ')}</td>
  <td class="long"><a href="/signal/${signal.slug}">${excerpt(signal.headline, 120)}</a></td>
</tr>`;

/** Every opening with the signal that reports it. */
export const openingList = (openings: readonly ReportedOpening[]): Markup =>
  part(
    'All openings',
    openings.length === 0
      ? html`<p class="empty">No openings are reported here in this period. <a href="/map?days=365">A year of openings</a>, or <a href="/tables/openings">every opening as a table</a>.</p>`
      : table('Openings', ['Brand', 'What', 'Where', 'Entry'], openings.map(openingRow)),
  );

/** The openings of a question, as pages show them: brands without a page as text. */
export async function findOpenings(site: Site, question: Parameters<typeof expansionMap>[1]): Promise<ExpansionMap> {
  const { database, now, baseUrl, gazetteer } = site;
  const map = await expansionMap(database, question, { now: now(), baseUrl, gazetteer });
  const openings = await withPlainNames(site, 'brand_slug', map.openings);
  return { ...map, openings, who_to_pitch: await withPlainNames(site, 'brand_slug', map.who_to_pitch) };
}

const kindOfPlace = (kind: string, state: string | null): string => (state ? `${kind} in ${state}` : kind);

/** 301 for an alternative name of a city, 404 for a city that neither the catalogue nor the record knows. */
export function cityPage(server: FastifyInstance, site: Site): void {
  const findCity = cityFinder(site);
  const loadList = listLoader(site);
  const loadWeek = weekLoader(site);
  server.get<{ Params: { slug: string } }>('/city/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: city, state, redirect } = await findCity(slug);
    if (redirect !== null) return reply.redirect(`${site.baseUrl}/city/${redirect}`, 301);
    const path = cityPath(city);
    const name = excerpt(city);
    const [list, map, save] = await Promise.all([
      loadList(request, { path, fixed: { city: [city] } }),
      findOpenings(site, { city, ...COLUMN }),
      saveSearchButton(site, request, { only: { city: [city] }, without: {} }, `Moves in ${name}`),
    ]);
    if ('redirect' in list) return reply.redirect(list.redirect, 303);
    const { shown, counts } = list;
    const nothingYet = html`No signals from ${name} yet. <a href="/map${state ? `?${new URLSearchParams({ state })}` : ''}">The map</a> shows openings ${state ? `in ${state}` : 'elsewhere'}.`;
    const empty = narrows(shown) ? nothingFits(path) : emptyPage(nothingYet, await loadWeek());
    return showPage(reply, site, {
      ...listedPage(list, name, site.directory),
      description: `Who is opening in ${name}, in which mall, and every dated, source-cited retail move there.`,
      card: cardPath('city', slug),
      head: filterFeedLinks({ only: { city: [city] }, without: {} }, name),
      body: html`${subject(
        null,
        name,
        html`<p>${kindOfPlace('City', state)} · ${totalText(counts)} on record</p>`,
        html`${save}${shareButton(name, path)}`,
      )}
        <div class="story-columns">
          <div class="stories">${filteredList(site, list, { empty }, null)}</div>
          <aside class="rail" aria-label="Openings in ${name}">${placeColumn(map)}
            <p class="note"><a href="${addressWith('/tables/openings', { city })}">Every opening in ${name}</a>, to sort and to take along</p></aside>
        </div>`,
    });
  });
}

/** Days of openings: one mall has few. */
const MALL_DAYS = 365;
const MALL_OPENINGS = 30;

/** 301 for an alternative name of a mall, 404 for a mall that the catalogue lacks. */
export function mallPage(server: FastifyInstance, site: Site): void {
  server.get<{ Params: { slug: string } }>('/mall/:slug', async (request, reply) => {
    const { slug } = request.params;
    const { name: mall, city, kind, redirect } = findMall(site.gazetteer, slug);
    if (redirect !== null) return reply.redirect(`${site.baseUrl}/mall/${redirect}`, 301);
    const map = await findOpenings(site, { mall, days: MALL_DAYS, limit: MALL_OPENINGS });
    const name = excerpt(mall);
    const path = mallPath(mall);
    const { state } = map.place;
    return showPage(reply, site, {
      title: name,
      description: `Who opened and who plans to open at ${name} in ${city}, every opening with its report.`,
      path,
      card: cardPath('mall', slug),
      body: html`${subject(
        null,
        name,
        html`<p>${kindOfPlace(MALL_KINDS[kind], state)} · <a href="${cityPath(city)}">${city}</a></p>`,
        shareButton(name, path),
      )}
        ${openingFigures(map, MALL_DAYS)}
        ${openingCounts(map, { malls: false })}
        ${pitchList(map.who_to_pitch)}
        ${openingList(map.openings)}`,
    });
  });
}
