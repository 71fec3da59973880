/** Changes of prices, fees and tariffs. */
import { dayInWords } from '../../language/days.ts';
import { defineFact } from '../fact.ts';
import { joined, percentInWords } from '../wording.ts';
import { prices as stored } from './fields.ts';
import { pricesReading } from './read.ts';
import { pricesTable } from './table.ts';

const DIRECTIONS = { raised: 'Price raised', cut: 'Price cut', set: 'Price set' } as const;

export const prices = defineFact({
  kind: 'prices',
  stored,
  read: pricesReading,
  table: pricesTable,
  page: {
    title: 'Prices, fees and tariffs',
    about: 'Prices, fees and tariffs that were raised, cut or set anew.',
    columns: [
      { name: 'Brand', shows: 'brand', link: 'brand_slug' },
      { name: 'Product or fee', shows: 'product', below: [['in', 'place']] },
      { name: 'What', shows: 'direction', isLabel: true, below: [['from', 'effective']] },
      { name: 'From', shows: 'from_price', isFigure: true, longest: 30 },
      { name: 'To', shows: 'to_price', isFigure: true, longest: 30 },
      { name: 'By', shows: 'changed_by', isFigure: true, longest: 30 },
      { name: 'Change', shows: 'change_pct', highFirst: true },
    ],
    totals: [
      ['raised', 'raised'],
      ['cut', 'cut'],
      ['set', 'set, without the price before'],
    ],
    note: '{rows}. A row is one change of one price, as reported. A change in per cent is stated, or follows from both prices. Share prices, market rates and discounts of a sale are none.',
  },
  form: {
    title: 'Prices',
    phrase: 'the prices',
    parts: [
      'direction',
      'brand',
      'product',
      'from',
      'to',
      'by',
      ['change_pct', 'change in per cent'],
      'place',
      'effective',
    ],
  },
  ask: {
    move: 'launches',
    line: ({ brand, product, direction, from, to, by, change_pct, place, effective }) => ({
      name: DIRECTIONS[direction],
      value: joined([
        brand,
        product,
        by ? `by ${by}` : change_pct !== null && percentInWords(change_pct),
        joined([from && `from ${from}`, to && `to ${to}`], ' '),
        place,
        effective && `from ${dayInWords(effective)}`,
      ]),
      words: [to ?? by ?? product ?? brand, product, brand],
    }),
    columns: ['Brand', 'Product or fee', 'Price', 'Change'],
    cells: ({ brand, product, direction, from, to, by, change_pct }) => [
      brand,
      product,
      joined([from, to], ' to ') || null,
      by ? `${direction} by ${by}` : change_pct === null ? direction : percentInWords(change_pct),
    ],
  },
  example: {
    brand: 'Kiri Foods',
    product: 'ghee',
    direction: 'cut',
    from: '₹640',
    to: '₹600',
    by: null,
    change_pct: -6.3,
    place: null,
    effective: '2026-12-01',
  },
});
