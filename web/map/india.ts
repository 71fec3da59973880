/** India as the map draws it: the outline of its states, and where a city lies in it. */
import india from '@svg-maps/india';
import { z } from 'zod';
import { pathOf, ringsOf, simplify } from './simplify.ts';

/** Units of the drawing. */
export const WIDTH = 612;
export const HEIGHT = 696;

/** Points nearer than this to a straight line are left out; a drawing as wide as a page shows no difference. */
const TOLERANCE = 1.3;
/** A ring of fewer points is an islet too small to see. */
const LEAST_POINTS = 5;

/** The package's own types are not those of the module that it is. */
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

/** Where a place lies in the drawing: Mercator, fitted to the outline by known places. */
export const project = (longitude: number, latitude: number): { readonly x: number; readonly y: number } => ({
  x: 20.925 * longitude - 1426.68,
  y: 838.008 - 20.979 * (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)),
});
