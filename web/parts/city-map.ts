/** Openings on a map of India: a circle for each city, its area the number. */
import { max } from 'd3-array';
import { scaleSqrt } from 'd3-scale';
import { html } from 'hono/html';
import type { ExpansionMap } from '../../schemas/expansion.ts';
import { cityPath } from '../links.ts';
import { HEIGHT, indiaOutline, project, WIDTH } from '../map/india.ts';
import type { Markup } from '../markup.ts';
import { clip, counted, neutralise, number } from '../text.ts';

/** Circles beyond these would cover each other; the list under the map has every city. */
const MOST = 50;
/** Cities that are named on the map itself. */
const NAMED = 6;

type City = ExpansionMap['by_city'][number];

const told = ({ city, openings, stores_opened, stores_planned }: City): string =>
  `${clip(neutralise(city), 40)}: ${counted(openings, 'opening')}, ${counted(stores_opened, 'store')} opened, ${number(stores_planned)} planned`;

export function cityMap(cities: readonly City[]): Markup {
  const placed = cities
    .flatMap((city) =>
      city.longitude === null || city.latitude === null || city.openings === 0
        ? []
        : [{ city, ...project(city.longitude, city.latitude) }],
    )
    .slice(0, MOST);
  const radius = scaleSqrt([0, Math.max(4, max(placed, ({ city }) => city.openings) ?? 1)], [0, 22]);
  return html`<figure class="chart-frame map">
  <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="Openings by city on a map of India">
    <path class="land" d="${indiaOutline()}" aria-hidden="true"></path>
    ${placed.map(
      ({ city, x, y }) =>
        html`<a href="${cityPath(city.city)}" data-tip aria-label="${told(city)}"><circle class="place" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${Math.max(3, radius(city.openings)).toFixed(1)}"></circle></a>
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
