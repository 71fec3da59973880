/** Competitor Watch as a table: a row a brand, a column a kind of move. */

import type { Watch } from '../../schemas/brand.ts';
import { MOVES } from '../../schemas/scalar.ts';
import type { CsvTable } from './send-csv.ts';

export const watchRows = ({ window_days, since, until, brands }: Watch): CsvTable => ({
  columns: [
    ...['brand', 'slug', 'url', 'window_days', 'since', 'until', 'total', 'prior_total'],
    ...MOVES,
    ...MOVES.map((move) => `prior_${move}`),
    'cities',
  ],
  rows: brands.map((brand) => [
    ...[brand.name, brand.slug, brand.url, window_days, since, until, brand.total, brand.prior_total],
    ...MOVES.map((move) => brand.by_move[move]),
    ...MOVES.map((move) => brand.prior_by_move[move]),
    brand.cities.join('; '),
  ]),
});
