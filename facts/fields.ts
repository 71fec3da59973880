/** What each kind of fact adds to a story, a line for each kind. */
export { deals } from './deals/fields.ts';
export { enforcement } from './enforcement/fields.ts';
export { openings } from './openings/fields.ts';
export { people } from './people/fields.ts';
export { prices } from './prices/fields.ts';
export { results } from './results/fields.ts';
