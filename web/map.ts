/**
 * The map of India: states shaded by their openings, and a marker for each city, or for cities that are too close to each
 * other to be distinguished. Markers and labels are laid out here for every zoom, so that the page is whole without its
 * script, which only chooses a zoom and a window.
 */
import { scaleSqrt, scaleThreshold } from 'd3-scale';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatCount, formatNumber } from '../language/prose.ts';
import type { Markup } from '../presentation/markup.ts';
import type { ExpansionMap } from '../schemas/moves-by-kind.ts';
import outline from './india-outline.json' with { type: 'json' };
import { excerpt } from './parts.ts';

/** Width of the drawing, in its units. */
const WIDTH = 612;
const HEIGHT = 696;

const Outline = z.object({
  /** Each with its names in the catalogue: the outline has no border between some. */
  states: z.array(z.object({ names: z.array(z.string()), path: z.string() })),
});

/** The states as the map draws them, with the outer boundary of India; `note` in the file says how the outline was made. */
export const { states: INDIA_STATES } = Outline.parse(outline);

/** The position of a place in the drawing: Mercator, fitted to the outline by known places. */
export const project = (longitude: number, latitude: number): { readonly x: number; readonly y: number } => ({
  x: 20.925 * longitude - 1426.68,
  y: 838.008 - 20.979 * (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)),
});

type City = ExpansionMap['by_city'][number];

/** Places beyond these are in the list alone. */
const MAXIMUM_PLACES = 120;

/** The cities that have openings and a position, most openings first. */
export const located = (cities: readonly City[]): { readonly city: City; readonly x: number; readonly y: number }[] =>
  cities
    .flatMap((city) =>
      city.longitude === null || city.latitude === null || city.openings === 0
        ? []
        : [{ city, ...project(city.longitude, city.latitude) }],
    )
    .slice(0, MAXIMUM_PLACES);

/** How much the script enlarges the map; a drawing without it has the first. */
export const ZOOMS = [1, 2.5, 6] as const;

/** Where the label of a marker is. */
type Side = 'right' | 'left' | 'below' | 'above';
const SIDES: readonly Side[] = ['right', 'left', 'below', 'above'];

/** A marker at one zoom, in pixels of that zoom. */
interface Marker {
  /** Most openings first; the first gives the place and the name. */
  readonly cities: readonly City[];
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Null where no side is free. */
  readonly side: Side | null;
  /** Whether the label is shown in a narrow window too, where letters are larger. */
  readonly narrow: boolean;
}

/** Size of letters in units of the drawing: in a wide window, and on a phone. */
const LETTERS = { wide: 13, narrow: 22 } as const;
/** Width of an average letter, as a share of its size. */
const LETTER_WIDTH = 0.56;
/** Markers closer than this could not be chosen by a finger. */
const CLOSEST = 16;
const GAP = 4;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The name of the largest city; the ring of the marker says that it has several. */
const labelOf = ({ cities: [first] }: Pick<Marker, 'cities'>): string => excerpt(first?.city ?? '', 24);

/** Where the text of a label begins, ends or has its middle, from the centre of its marker. */
function anchorOf(side: Side, radius: number) {
  const offset = radius + GAP;
  if (side === 'right') return { x: offset, y: GAP, anchor: 'start' } as const;
  if (side === 'left') return { x: -offset, y: GAP, anchor: 'end' } as const;
  return { x: 0, y: side === 'below' ? offset + LETTERS.wide - 2 : -offset, anchor: 'middle' } as const;
}

/** The box of a label. A box of large letters contains that of small ones. */
function boxOf(marker: Pick<Marker, 'cities' | 'x' | 'y' | 'radius'>, side: Side, size: number): Box {
  const { x, y, anchor } = anchorOf(side, marker.radius);
  const width = labelOf(marker).length * size * LETTER_WIDTH;
  const left = marker.x + x - (anchor === 'start' ? 0 : anchor === 'end' ? width : width / 2);
  const bottom = marker.y + y + size * 0.25;
  return { left, right: left + width, top: bottom - size * 1.1, bottom };
}

const circleBox = ({ x, y, radius }: Pick<Marker, 'x' | 'y' | 'radius'>): Box => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
});

/**
 * Lays out markers and labels at a zoom. Cities join the marker of a larger one that they would cover; labels go to the
 * first side where they cover nothing, those of most openings first.
 * @param cities most openings first
 */
export function layOut(cities: readonly City[], zoom: number): Marker[] {
  const places = located(cities);
  const radius = scaleSqrt([0, Math.max(4, ...places.map(({ city }) => city.openings))], [0, 15]);
  const size = (openings: number): number => Math.max(4, radius(openings));
  const groups: { cities: City[]; x: number; y: number }[] = [];
  for (const { city, ...at } of places) {
    const [x, y] = [at.x * zoom, at.y * zoom];
    const near = groups.find(({ cities: [first], ...group }) => {
      const covered = 0.6 * (size(first?.openings ?? 0) + size(city.openings));
      return Math.hypot(group.x - x, group.y - y) < Math.max(CLOSEST, covered);
    });
    if (near) near.cities.push(city);
    else groups.push({ cities: [city], x, y });
  }
  const sized = groups
    .map((group) => ({ ...group, radius: size(group.cities.reduce((sum, { openings }) => sum + openings, 0)) }))
    .sort((one, other) => other.radius - one.radius);
  const taken = sized.map(circleBox);
  const [right, bottom] = [WIDTH * zoom, HEIGHT * zoom];
  const free = (marker: (typeof sized)[number], size: number): Side | null => {
    const side = SIDES.find((one) => {
      const box = boxOf(marker, one, size);
      const isInside = box.left >= 0 && box.right <= right && box.top >= 0 && box.bottom <= bottom;
      return isInside && !taken.some((other) => overlap(box, other));
    });
    if (side) taken.push(boxOf(marker, side, size));
    return side ?? null;
  };
  return sized.map((marker) => {
    const narrow = free(marker, LETTERS.narrow);
    return { ...marker, side: narrow ?? free(marker, LETTERS.wide), narrow: narrow !== null };
  });
}

/** The boxes of all circles and labels that are shown, for tests. @param narrow on a phone */
export const boxesOf = (markers: readonly Marker[], narrow: boolean): { circles: Box[]; labels: Box[] } => ({
  circles: markers.map(circleBox),
  labels: markers.flatMap((marker) =>
    marker.side === null || (narrow && !marker.narrow)
      ? []
      : [boxOf(marker, marker.side, LETTERS[narrow ? 'narrow' : 'wide'])],
  ),
});

const caption = (cities: readonly City[]): string => {
  const sum = (of: (city: City) => number): number => cities.reduce((total, city) => total + of(city), 0);
  const names = cities.slice(0, 3).map(({ city }) => excerpt(city, 40));
  const more = cities.length > 3 ? ` and ${cities.length - 3} more` : '';
  return `${names.join(', ')}${more}: ${formatCount(
    sum(({ openings }) => openings),
    'opening',
  )}, ${formatCount(
    sum(({ stores_opened }) => stores_opened),
    'store',
  )} opened, ${formatNumber(sum(({ stores_planned }) => stores_planned))} planned`;
};

/** What a link of the map shows. */
export type Shown = { readonly city: readonly string[] } | { readonly state: string };

interface MapLinks {
  /** The address that shows the openings of some cities, or of a state. */
  address(shown: Shown): string;
  /** Names of the cities that are shown; none for all. */
  readonly chosen: readonly string[];
  /** Name of the state that is shown. */
  readonly state?: string | undefined;
}

interface DrawnMarker {
  readonly marker: Marker;
  /** The zooms that have it, counted from 1. */
  readonly at: number[];
  readonly x: number;
  readonly y: number;
  /** The classes of each label by its side. */
  readonly labels: Map<Side, string[]>;
}

/** The markers of all zooms; one that looks the same at several is drawn once. The class `z2` is the second zoom, `n2` a narrow window. */
function markerLinks(cities: readonly City[], { address, chosen }: MapLinks): Markup[] {
  const drawnMarkers = new Map<string, DrawnMarker>();
  ZOOMS.forEach((zoom, index) => {
    for (const marker of layOut(cities, zoom)) {
      const key = marker.cities.map(({ city }) => city).join('\n');
      const own: DrawnMarker = drawnMarkers.get(key) ?? {
        marker,
        at: [],
        x: marker.x / zoom,
        y: marker.y / zoom,
        labels: new Map(),
      };
      drawnMarkers.set(key, own);
      own.at.push(index + 1);
      if (marker.side === null) continue;
      const shown = [`z${index + 1}`, ...(marker.narrow ? [`n${index + 1}`] : [])];
      own.labels.set(marker.side, [...(own.labels.get(marker.side) ?? []), ...shown]);
    }
  });
  return [...drawnMarkers.values()].map(({ marker, at, x, y, labels }) => {
    const names = marker.cities.map(({ city }) => city);
    const isChosen = chosen.length > 0 && names.every((name) => chosen.includes(name));
    return html`<a class="marker ${at.map((zoom) => `z${zoom}`).join(' ')}" href="${address({ city: names })}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" data-tip data-cities="${names.length}"${isChosen ? html` aria-current="true"` : null} aria-label="${caption(marker.cities)}"><circle class="place${names.length > 1 ? ' several' : ''}" r="${marker.radius.toFixed(1)}"></circle>${[
      ...labels,
    ].map(([side, shown]) => {
      const place = anchorOf(side, marker.radius);
      return html`<text class="${shown.join(' ')}" x="${place.x.toFixed(1)}" y="${place.y.toFixed(1)}" text-anchor="${place.anchor}" aria-hidden="true">${labelOf(marker)}</text>`;
    })}</a>
    `;
  });
}

/** A state with the openings of its cities. */
export interface StateCount {
  readonly state: string;
  readonly cities: number;
  readonly openings: number;
  readonly stores_opened: number;
  readonly stores_planned: number;
}

/** Counts by state, most openings first; cities that the catalogue lacks are in none. */
export function countStates(cities: readonly City[]): StateCount[] {
  const states = Map.groupBy(
    cities.filter(({ state }) => state !== null),
    ({ state }) => state ?? '',
  );
  return [...states]
    .map(([state, own]) => ({
      state,
      cities: own.length,
      openings: own.reduce((sum, { openings }) => sum + openings, 0),
      stores_opened: own.reduce((sum, { stores_opened }) => sum + stores_opened, 0),
      stores_planned: own.reduce((sum, { stores_planned }) => sum + stores_planned, 0),
    }))
    .sort((one, other) => other.openings - one.openings || (one.state < other.state ? -1 : 1));
}

/** The least openings of each shade: few steps of whole numbers, up to the largest state. */
function shadesOf(states: readonly StateCount[]): number[] {
  const most = Math.max(0, ...states.map(({ openings }) => openings));
  const steps = most <= 4 ? [1, 2, 3, 4] : [1, Math.max(2, most / 8), Math.max(3, most / 4), Math.max(4, most / 2)];
  return steps.map(Math.ceil).filter((step) => step <= Math.max(1, most));
}

const shadeOf = (shades: readonly number[]) =>
  scaleThreshold<number, number>()
    .domain(shades)
    .range(shades.map((_, index) => index).concat(shades.length));

const legend = (shades: readonly number[]): Markup =>
  html`<p class="legend">Openings by state:${shades.map((least, index) => {
    const next = shades[index + 1];
    const range = next === undefined ? `${least} or more` : next - 1 === least ? `${least}` : `${least} to ${next - 1}`;
    return html` <span><i class="shade shade-${index + 1}"></i>${range}</span>`;
  })} <span><i class="dot"></i>a city, by its openings</span> <span><i class="dot several"></i>several cities</span></p>`;

/** The states, shaded. Their links are for the pointer: the table of states has the same ones. */
function stateShapes(states: readonly StateCount[], shades: readonly number[], { address, state: chosen }: MapLinks) {
  const shade = shadeOf(shades);
  return INDIA_STATES.map(({ names, path }) => {
    const own = states.filter(({ state }) => names.includes(state));
    const openings = own.reduce((sum, one) => sum + one.openings, 0);
    const [first] = own;
    const shape = html`<path class="land shade-${shade(openings)}${names.includes(chosen ?? '') ? ' chosen' : ''}" d="${path}"></path>`;
    if (!first) return shape;
    const cities = own.reduce((sum, one) => sum + one.cities, 0);
    return html`<a href="${address({ state: first.state })}" tabindex="-1" aria-hidden="true" data-tip="${own.map(({ state }) => state).join(' and ')}: ${formatCount(openings, 'opening')} in ${formatCount(cities, 'city', 'cities')}">${shape}</a>`;
  });
}

/** The map with its legend. @param cities most openings first */
export function cityMap(cities: readonly City[], links: MapLinks): Markup {
  const states = countStates(cities);
  const shades = shadesOf(states);
  return html`<figure class="chart-frame map" data-map aria-label="Openings by state and city on a map of India">
  <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" data-zoom="1" data-zooms="${ZOOMS.join(' ')}">
    <g>${stateShapes(states, shades, links)}</g>
    ${markerLinks(cities, links)}
  </svg>
  <figcaption class="note">${legend(shades)}Outline of the states: @svg-maps/india, with fewer points; places by GeoNames; both <a href="https://creativecommons.org/licenses/by/4.0/" rel="license external">CC BY 4.0</a>.</figcaption>
</figure>`;
}

/** The outline alone, as a picture that small maps share; its greys are seen in both themes. */
export const indiaPicture = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"><path d="${INDIA_STATES.map(
    ({ path }) => path,
  ).join('')}" fill="#808080" fill-opacity="0.14" stroke="#808080" stroke-opacity="0.5" stroke-width="1"/></svg>`;

/** Of a marker of a small map, which is drawn at about half its size. */
const LEAST_RADIUS = 12;

/**
 * A small map of cities, as on the page of a brand.
 * @param cities most openings first
 * @param picture address of the outline
 * @param linkTo the address of a city
 */
export function miniMap(cities: readonly City[], picture: string, linkTo: (city: string) => string): Markup | null {
  const markers = layOut(cities, 1);
  if (markers.length === 0) return null;
  return html`<figure class="chart-frame mini" aria-label="Cities of its openings within a year, on a map of India"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}">
    <image href="${picture}" width="${WIDTH}" height="${HEIGHT}"></image>
    ${markers.map((marker) => {
      const [first] = marker.cities;
      const radius = Math.max(LEAST_RADIUS, marker.radius);
      const place = marker.narrow && marker.side ? anchorOf(marker.side, radius) : null;
      return html`<a class="marker" href="${linkTo(first?.city ?? '')}" transform="translate(${marker.x.toFixed(1)} ${marker.y.toFixed(1)})" data-tip aria-label="${caption(marker.cities)}"><circle class="place" r="${radius.toFixed(1)}"></circle>${
        place
          ? html`<text x="${place.x.toFixed(1)}" y="${place.y.toFixed(1)}" text-anchor="${place.anchor}" aria-hidden="true">${labelOf(marker)}</text>`
          : null
      }</a>
      `;
    })}</svg></figure>`;
}
