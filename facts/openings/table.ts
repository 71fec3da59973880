/** Rows of openings: one for each opening, planned opening or closure that the reports of a public signal state. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import { completed, countWhere, factTable, type Origin, slugIn } from '../rows.ts';
import { Opening } from './fields.ts';

/** An opening, with the slug of its brand where the text names the brand. */
interface OpeningRow extends Opening {
  readonly brand_slug: BrandSlug | null;
}
type Stated = OpeningRow & Origin;

const brandOf = ({ brand, brand_slug }: OpeningRow): string => brand_slug ?? brand.toLowerCase();
const COMPLETED = ['city', 'mall', 'locality', 'stores', 'date', 'brand_slug'] as const;

/** Whether two openings are of one brand, of which one report may name the line: `Starbucks`, `Starbucks Reserve`. */
const isOneBrand = (one: OpeningRow, other: OpeningRow): boolean => {
  const [short = '', long = ''] = [one.brand, other.brand].map((name) => name.toLowerCase()).sort();
  return brandOf(one) === brandOf(other) || long.startsWith(`${short} `);
};

/** Whether two single openings of one brand can be the same. */
const mayBeOne = (one: OpeningRow, other: OpeningRow): boolean =>
  (one.status === 'closed') === (other.status === 'closed') &&
  (['city', 'mall'] as const).every(
    (field) => one[field] === null || other[field] === null || one[field] === other[field],
  );

/**
 * The openings of one event from a further report. Reports divide the same stores differently ("12 stores", "5 in Pune
 * and 7 in Indore"), so a brand keeps the openings of the first report that names it, and a single one is completed.
 */
function combine(rows: readonly Stated[], more: readonly Stated[]): readonly Stated[] {
  const of = (list: readonly Stated[], opening: Stated): Stated[] => list.filter((one) => isOneBrand(one, opening));
  const added = more.filter((opening) => of(rows, opening).length === 0);
  const complete = (one: Stated): Stated => {
    const others = of(more, one);
    const [other] = others;
    const isSingle = others.length === 1 && of(rows, one).length === 1;
    return other && isSingle && mayBeOne(one, other) ? completed(one, other, COMPLETED) : one;
  };
  return [...rows.map(complete), ...added];
}

/** Minimum of stores of a row: one without a number counts as one. */
const storesWhere = (condition: string): string =>
  `coalesce(sum(greatest(coalesce(t.stores, 1), 1)) FILTER (WHERE ${condition}), 0)`;

export const openingsTable = factTable<OpeningRow>({
  table: 'openings',
  file: import.meta.url,
  columns: [
    { name: 'brand', type: 'text', required: true, sort: 'brand' },
    { name: 'brand_slug', type: 'name', filter: 'brand' },
    { name: 'city', type: 'name', filter: 'city', sort: 'city' },
    { name: 'mall', type: 'name', filter: 'mall', title: 'Mall' },
    { name: 'locality', type: 'text' },
    { name: 'stores', type: 'integer', sort: 'stores', describe: 'As reported; null where no number is reported' },
    {
      name: 'status',
      type: 'text',
      required: true,
      filter: 'status',
      title: 'Status',
      values: Opening.shape.status.options,
      sort: 'status',
    },
    { name: 'date', type: 'day', describe: 'Day of the opening in IST, where reported' },
  ],
  // Each holds what is counted, so that a window is counted off the index alone.
  indexes: [
    `CREATE INDEX openings_newest ON openings (reported_at, key, number)
      INCLUDE (brand, brand_slug, city, mall, stores, status)`,
    `CREATE INDEX openings_of_city ON openings (city, reported_at, key, number)
      INCLUDE (brand, brand_slug, mall, stores, status) WHERE city IS NOT NULL`,
    `CREATE INDEX openings_of_mall ON openings (mall, reported_at, key, number)
      INCLUDE (brand, brand_slug, city, stores, status) WHERE mall IS NOT NULL`,
    'CREATE INDEX openings_of_brand ON openings (brand_slug, reported_at, key, number)',
  ],
  totals: {
    opened: storesWhere(`t.status = 'opened'`),
    planned: storesWhere(`t.status IN ('announced', 'planned')`),
    closed: storesWhere(`t.status = 'closed'`),
    unnumbered: countWhere('t.stores IS NULL'),
  },
  rowsOf: (text) => text.openings.map((opening) => ({ ...opening, brand_slug: slugIn(text, opening.brand) })),
  combine,
});
