/** GET /map: store openings of India on a map and as lists, narrowed to states, cities, a mall and a category. */

import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatCount } from '../../language/prose.ts';
import { cityPath, type Markup } from '../../presentation/markup.ts';
import { categoryLabel } from '../../presentation/text.ts';
import { CATEGORIES, Category } from '../../schemas/catalogue.ts';
import { type Directory, statesOf } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import type { ExpansionMap } from '../../schemas/moves-by-kind.ts';
import { type Choice, choiceField, hidden, oneOf, plainChoices, readQuery } from '../forms.ts';
import { MAP_SCRIPT, type Page, showPage } from '../layout.ts';
import { cityMap, countStates, located, type Shown } from '../map.ts';
import { unknownName } from '../names.ts';
import { excerpt, part, subject } from '../parts.ts';
import type { Site } from '../site.ts';
import { EVERYTHING, type FileEnding, type TableFilters, tableAddress } from '../tables.ts';
import { openingsPivot, pivotTable } from './openings-pivot.ts';
import { countTable, findOpenings, openingCounts, openingFigures, openingList, pitchList } from './places.ts';

const WINDOWS = ['30', '90', '180', '365'] as const;
const USUAL = '90';
const OPENINGS = 15;
/** Cities and malls that are counted. */
const PLACES = 500;
/** Rows of the list next to the map. */
const MAXIMUM_CITIES = 150;
/** Cities of one marker. */
const MAXIMUM_CHOSEN = 50;

const name = z.string().trim().min(1).max(80);
const MapQuery = z.object({
  days: oneOf(WINDOWS).default(USUAL),
  category: Category.describe(`one of ${CATEGORIES.join(', ')}`).optional(),
  mall: z.string().trim().min(1).max(120).describe('the name of a mall').optional(),
  city: z
    .union([name, z.array(name).max(MAXIMUM_CHOSEN)])
    .transform((given) => [given].flat())
    .describe('names of cities')
    .optional(),
  state: name.describe('the name of a state').optional(),
});
type MapQuery = z.output<typeof MapQuery>;

const CATEGORY_CHOICES: readonly Choice[] = [
  { value: '', name: 'Every category' },
  ...CATEGORIES.map((category) => ({ value: category, name: categoryLabel(category) })),
];

function addressOf({ days, category, mall, city = [], state }: MapQuery): string {
  const fields = { category, mall, state, days: days === USUAL ? undefined : days };
  const parameters = [
    ...Object.entries(fields).flatMap(([field, value]): [string, string][] => (value ? [[field, value]] : [])),
    ...city.map((one): [string, string] => ['city', one]),
  ];
  return parameters.length === 0 ? '/map' : `/map?${new URLSearchParams(parameters)}`;
}

/** The form keeps the chosen places. */
const chooser = ({
  days,
  category,
  mall,
  city = [],
  state,
}: MapQuery): Markup => html`<form class="row" action="/map" method="get">
  ${city.map((one) => hidden({ city: one }))}${state ? hidden({ state }) : null}
  ${choiceField('category', 'Category', CATEGORY_CHOICES, category)}
  <div class="field"><label for="mall">Mall</label><input id="mall" name="mall" value="${mall ?? ''}" maxlength="120" placeholder="Phoenix Palladium"></div>
  ${choiceField('days', 'Days', plainChoices(WINDOWS), days)}
  <button type="submit">Show</button>
</form>`;

/** The places that are chosen, in words; null for all of India. */
const chosenName = ({ city = [], state }: MapQuery): string | null => {
  if (state !== undefined) return state;
  if (city.length === 0) return null;
  const names = city.slice(0, 3).map((one) => excerpt(one, 40));
  return `${names.join(', ')}${city.length > 3 ? ` and ${city.length - 3} more` : ''}`;
};

const headingOf = ({ place }: ExpansionMap, query: MapQuery): string => {
  if (place.type === 'mall') return `Opening at ${excerpt(place.name)}`;
  const chosen = chosenName(query);
  return chosen === null ? 'Who is opening where' : `Who is opening in ${chosen}`;
};

/** The cities with openings. The script of the page shows those that the map shows. */
function cityList(
  cities: ExpansionMap['by_city'],
  linkTo: (shown: Shown) => string,
  chosen: readonly string[],
): Markup {
  const places = new Map(located(cities).map(({ city, x, y }) => [city.city, { x, y }]));
  return html`<section class="part"><h2 id="cities-title">Cities</h2>
  <p class="note" role="status" data-in-view>${formatCount(cities.length, 'city', 'cities')} with openings, most openings first</p>
  <div class="scroll list" tabindex="0" role="region" aria-labelledby="cities-title"><table>
  <thead><tr><th scope="col">City</th><th scope="col" class="figure">Openings</th><th scope="col" class="figure">Opened</th><th scope="col" class="figure">Planned</th></tr></thead>
  <tbody>${cities.slice(0, MAXIMUM_CITIES).map(({ city, openings, stores_opened, stores_planned }) => {
    const at = places.get(city);
    return html`<tr${at ? html` data-x="${at.x.toFixed(0)}" data-y="${at.y.toFixed(0)}"` : null} data-openings="${openings}"><th scope="row"><a data-narrow href="${linkTo({ city: [city] })}"${chosen.includes(city) ? html` aria-current="true"` : null}>${excerpt(city, 40)}</a></th><td class="figure">${openings}</td><td class="figure">${stores_opened}</td><td class="figure">${stores_planned}</td></tr>
`;
  })}</tbody></table></div></section>`;
}

interface Loaded {
  readonly query: MapQuery;
  /** Of the chosen places. */
  readonly map: ExpansionMap;
  /** Of all India, for the map itself. */
  readonly india: ExpansionMap;
  /** Stores by month. */
  readonly months: Markup;
}

/** What changes with the chosen place, next to the map: its figures. */
const placeFigures = ({ query, map }: Loaded, linkTo: (shown: Shown) => string): Markup => {
  const chosen = chosenName(query);
  const [only] = query.city ?? [];
  return html`<div data-part="found"><h2>${chosen ?? 'All of India'}</h2>
    ${chosen === null ? null : html`<p>${query.city?.length === 1 && only ? html`<a href="${cityPath(only)}">All about ${excerpt(only, 40)}</a> · ` : null}<a data-narrow href="${linkTo({ city: [] })}">All of India</a></p>`}
    ${openingFigures(map, Number(query.days))}</div>`;
};

const details = ({ map, india, months }: Loaded, linkTo: (shown: Shown) => string): Markup => {
  const states = countTable(
    'state',
    countStates(india.by_city).map(({ state, ...counts }) => ({
      ...counts,
      name: html`<a data-narrow href="${linkTo({ state })}">${state}</a>`,
    })),
    Number.POSITIVE_INFINITY,
  );
  return html`<div data-part="details">${pitchList(map.who_to_pitch)}
    ${openingCounts(map, { cities: true, first: map.place.type === 'india' ? states : null })}
    ${months}
    ${openingList(map.openings)}</div>`;
};

const MONTH_ROWS = 12;

/** Stores by month for the filters of the map, as the table of openings has them. */
async function byMonth(site: Site, { days, category, mall, city = [], state }: MapQuery): Promise<Markup> {
  const by = mall ? 'brand' : state || city.length > 0 ? 'city' : 'state';
  const only = { category, mall, city, state };
  const filters: TableFilters = {
    ...EVERYTHING,
    only: Object.fromEntries(
      Object.entries(only).flatMap(([field, value]) => (value?.length ? [[field, [value].flat()]] : [])),
    ),
    days: Number(days),
    by,
  };
  const pivot = await openingsPivot(site, filters, by);
  if (pivot.rows.length === 0) return html``;
  const file = (ending: FileEnding, name: string): Markup =>
    html`<a class="button plain" href="${tableAddress('openings', filters, ending)}" download="clarity-openings${ending}">${name}</a>`;
  return part(
    'By month',
    html`${pivotTable(pivot, site, MONTH_ROWS)}<p class="do"><a class="button plain" href="${tableAddress('openings', filters)}">Whole table</a>${file('.xlsx', 'Excel')}${file('.csv', 'CSV')}</p>`,
  );
}

const mapView = (loaded: Loaded): Page => {
  const { query, map, india } = loaded;
  const heading = headingOf(map, query);
  const linkTo = (shown: Shown): string =>
    addressOf({
      days: query.days,
      category: query.category,
      ...('state' in shown ? shown : { city: [...shown.city] }),
    });
  const isMall = map.place.type === 'mall';
  const { city: chosen = [], state } = query;
  return {
    title: heading,
    description: 'Store openings in India by state, city, mall and category, every one with its report.',
    path: addressOf(query),
    ...(isMall ? {} : { head: html`<script src="${MAP_SCRIPT}" type="module"></script>` }),
    body: html`<div data-part="heading">${subject(
      html`<span>Expansion map</span>${map.category ? html`<span>${categoryLabel(map.category)}</span>` : null}`,
      heading,
      isMall && map.place.city
        ? html`<p>In <a href="${cityPath(map.place.city)}">${map.place.city}</a>. <a href="/map">All of India</a></p>`
        : null,
    )}</div>
    ${chooser(query)}
    ${
      isMall
        ? openingFigures(map, Number(query.days))
        : html`<div class="map-page">${cityMap(india.by_city, { address: linkTo, chosen, state })}
      <div>${placeFigures(loaded, linkTo)}${cityList(india.by_city, linkTo, chosen)}</div></div>`
    }
    ${details(loaded, linkTo)}`,
  };
};

/**
 * The places of a query under their names in the catalogue.
 * @throws Refusal for a state that has no city there, and for a city and a state together
 */
function placesOf({ city, state }: MapQuery, directory: Directory) {
  if (city && state) throw new Refusal('invalid_request', 'city and state cannot be combined. Leave one of them out.');
  if (state !== undefined) {
    const region = statesOf(directory.cities).find(({ name }) => name.toLowerCase() === state.toLowerCase());
    if (!region)
      throw new Refusal('invalid_request', `state: no state has this name. The table of states on /map has all.`);
    return { state: region.name, region };
  }
  const names = [...new Set((city ?? []).map((one) => directory.city(one)?.name ?? one))];
  if (names.length === 0) return {};
  return names.length === 1
    ? { city: names, one: names[0] }
    : { city: names, region: { name: names.join(', '), cities: names } };
}

/** 400 for a mall or a state that has no such name. */
export function mapPage(server: FastifyInstance, site: Site): void {
  const { directory, gazetteer } = site;
  server.get('/map', async (request, reply) => {
    const query = readQuery(MapQuery, request.query);
    const named = query.mall === undefined ? null : gazetteer.findMall(query.mall);
    if (named && !named.found) throw unknownName('mall', named.nearest);
    const mall = named?.found?.name;
    const { state, city, region, one } = mall ? {} : placesOf(query, directory);
    const { category } = query;
    const question = { category, days: Number(query.days), limit: OPENINGS, places: PLACES };
    const isIndia = !mall && !region && !one;
    const shown = { days: query.days, category, mall, state, city };
    const [map, all, months] = await Promise.all([
      findOpenings(site, { ...question, mall, region, city: one }),
      isIndia ? null : findOpenings(site, question),
      byMonth(site, shown),
    ]);
    return showPage(reply, site, mapView({ query: shown, map, india: all ?? map, months }));
  });
}
