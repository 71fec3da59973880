/** The map of India with a circle for each city. */
import india from '@svg-maps/india';
import { max } from 'd3-array';
import { scaleSqrt } from 'd3-scale';
import { html } from 'hono/html';
import { z } from 'zod';
import { cityPath, type Markup } from '../presentation/markup.ts';
import { clip, formatCount, formatNumber, neutralise } from '../presentation/text.ts';
import type { ExpansionMap } from '../schemas/expansion.ts';

type Point = readonly [x: number, y: number];

/**
 * The rings of an SVG path of straight lines (M, L and Z, in either case).
 * @throws Error for any other command
 */
function ringsOf(path: string): Point[][] {
  const words = path.match(/[a-df-z]|-?\d*\.?\d+(?:e-?\d+)?/gi) ?? [];
  const rings: Point[][] = [];
  let [command, x, y] = ['', 0, 0];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? '';
    if (/^[a-z]/i.test(word)) {
      command = word;
      at += 1;
      if (/z/i.test(command)) [x, y] = rings.at(-1)?.[0] ?? [x, y];
      continue;
    }
    if (!/^[ml]$/i.test(command)) throw new Error(`a path with the command ${command} cannot be simplified`);
    const [dx, dy] = [Number(word), Number(words[at + 1])];
    at += 2;
    [x, y] = command === command.toLowerCase() ? [x + dx, y + dy] : [dx, dy];
    if (/m/i.test(command)) rings.push([]);
    rings.at(-1)?.push([x, y]);
    // Further pairs after a move are lines.
    command = command === 'm' ? 'l' : command === 'M' ? 'L' : command;
  }
  return rings;
}

const distance = ([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number => {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy);
  return length === 0 ? Math.hypot(x - ax, y - ay) : Math.abs(dy * x - dx * y + bx * ay - by * ax) / length;
};

/** Removes points that lie within `tolerance` of the line without them (Douglas-Peucker). */
function simplify(points: readonly Point[], tolerance: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 3) return points;
  let [farthest, greatest] = [0, 0];
  for (let at = 1; at < points.length - 1; at++) {
    const offset = distance(points[at] as Point, first, last);
    if (offset > greatest) [farthest, greatest] = [at, offset];
  }
  if (greatest <= tolerance) return [first, last];
  const before = simplify(points.slice(0, farthest + 1), tolerance);
  return [...before.slice(0, -1), ...simplify(points.slice(farthest), tolerance)];
}

/** A ring as a path of whole numbers, each relative to the one before. */
function pathOf(ring: readonly Point[]): string {
  let [x, y] = [0, 0];
  const steps = ring.map(([ringX, ringY], at) => {
    const [nextX, nextY] = [Math.round(ringX), Math.round(ringY)];
    const step = at === 0 ? `M${nextX} ${nextY}` : `l${nextX - x} ${nextY - y}`;
    [x, y] = [nextX, nextY];
    return step;
  });
  return `${steps.filter((step) => step !== 'l0 0').join('')}z`;
}

/** Width of the drawing, in its units. */
const WIDTH = 612;
const HEIGHT = 696;

/** Points within this distance of a straight line are removed; at the width of a page the drawing looks the same. */
const TOLERANCE = 1.3;
/** Rings with fewer points are islets too small to see. */
const LEAST_POINTS = 5;

/** The package's own types do not match its module. */
const Outline = z.object({ locations: z.array(z.object({ path: z.string() })) });

let outline: string | undefined;

/** The states as one path. The outline is that of @svg-maps/india (CC BY 4.0), with fewer points. */
export function indiaOutline(): string {
  outline ??= Outline.parse(india)
    .locations.flatMap(({ path }) => ringsOf(path))
    .map((ring) => simplify(ring, TOLERANCE))
    .filter((ring) => ring.length >= LEAST_POINTS)
    .map(pathOf)
    .join('');
  return outline;
}

/** The position of a place in the drawing: Mercator, fitted to the outline by known places. */
export const project = (longitude: number, latitude: number): { readonly x: number; readonly y: number } => ({
  x: 20.925 * longitude - 1426.68,
  y: 838.008 - 20.979 * (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)),
});

/** More circles would cover each other; the list below the map has every city. */
const MAXIMUM_CIRCLES = 50;
/** Cities with a label on the map. */
const NAMED = 6;

type City = ExpansionMap['by_city'][number];

const cityCaption = ({ city, openings, stores_opened, stores_planned }: City): string =>
  `${clip(neutralise(city), 40)}: ${formatCount(openings, 'opening')}, ${formatCount(stores_opened, 'store')} opened, ${formatNumber(stores_planned)} planned`;

export function cityMap(cities: readonly City[]): Markup {
  const placed = cities
    .flatMap((city) =>
      city.longitude === null || city.latitude === null || city.openings === 0
        ? []
        : [{ city, ...project(city.longitude, city.latitude) }],
    )
    .slice(0, MAXIMUM_CIRCLES);
  const radius = scaleSqrt([0, Math.max(4, max(placed, ({ city }) => city.openings) ?? 1)], [0, 22]);
  return html`<figure class="chart-frame map">
  <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="Openings by city on a map of India">
    <path class="land" d="${indiaOutline()}" aria-hidden="true"></path>
    ${placed.map(
      ({ city, x, y }) =>
        html`<a href="${cityPath(city.city)}" data-tip aria-label="${cityCaption(city)}"><circle class="place" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${Math.max(3, radius(city.openings)).toFixed(1)}"></circle></a>
    `,
    )}
    ${placed
      .slice(0, NAMED)
      .map(
        ({ city, x, y }) =>
          html`<text x="${(x + radius(city.openings) + 4).toFixed(1)}" y="${(y + 4).toFixed(1)}" aria-hidden="true">${clip(neutralise(city.city), 24)}</text>`,
      )}
  </svg>
  <figcaption class="note">A circle is a city, its area the number of openings. Outline of the states: @svg-maps/india, with fewer points; places by GeoNames; both <a href="https://creativecommons.org/licenses/by/4.0/" rel="license external">CC BY 4.0</a>.</figcaption>
</figure>`;
}
