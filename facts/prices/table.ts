/** Rows of prices: one for each price, fee or tariff that changed according to a public signal. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import { completed, completedRows, countWhere, factTable, type Origin, slugIn } from '../rows.ts';
import { Price } from './fields.ts';

/** A change, with the slug of its brand where the text names the brand. */
interface PriceRow extends Price {
  readonly brand_slug: BrandSlug | null;
}
type Stated = PriceRow & Origin;

/** One report names the product, another the fee: both are of one change where they name no other amount. */
const isSameChange = (one: Stated, other: Stated): boolean =>
  one.brand === other.brand &&
  (one.product === null || other.product === null || one.product.toLowerCase() === other.product.toLowerCase()) &&
  (one.to === null || other.to === null || one.to === other.to) &&
  (one.direction === other.direction || one.direction === 'set' || other.direction === 'set');

export const pricesTable = factTable<PriceRow>({
  table: 'prices',
  file: import.meta.url,
  columns: [
    { name: 'brand', type: 'text', required: true, sort: 'brand' },
    { name: 'brand_slug', type: 'name', filter: 'brand' },
    {
      name: 'product',
      type: 'text',
      sort: 'product',
      describe: 'A product, a service or a fee; null for the prices of the brand at large',
    },
    {
      name: 'direction',
      type: 'text',
      required: true,
      filter: 'direction',
      title: 'Direction',
      values: Price.shape.direction.options,
      sort: 'direction',
      describe: '`set` where the report does not say from which price',
    },
    { name: 'from_price', type: 'text', describe: 'As reported' },
    { name: 'to_price', type: 'text', describe: 'As reported' },
    { name: 'changed_by', type: 'text', describe: 'As reported: ₹40, up to 3%' },
    {
      name: 'change_pct',
      type: 'number',
      sort: 'change',
      describe: 'In per cent, as stated, or computed where both prices are; negative for a cut',
    },
    { name: 'place', type: 'text' },
    { name: 'effective', type: 'day' },
  ],
  indexes: [
    'CREATE INDEX prices_newest ON prices (reported_at, key, number) INCLUDE (direction)',
    'CREATE INDEX prices_of_brand ON prices (brand_slug, reported_at, key, number)',
  ],
  totals: {
    raised: countWhere(`t.direction = 'raised'`),
    cut: countWhere(`t.direction = 'cut'`),
    set: countWhere(`t.direction = 'set'`),
  },
  rowsOf: (text) => (text.prices ?? []).map((price) => ({ ...price, brand_slug: slugIn(text, price.brand) })),
  combine: (rows, more) =>
    completedRows(rows, more, isSameChange, (row, other) =>
      completed(row, other, ['product', 'from', 'to', 'by', 'change_pct', 'place', 'effective', 'brand_slug']),
    ),
  cells: ({ from, to, by, ...row }) => ({ ...row, from_price: from, to_price: to, changed_by: by }),
});
