/** Openings, planned openings and closures of stores. */
import { dayInWords } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { defineFact } from '../fact.ts';
import { joined } from '../wording.ts';
import { type Opening, openings as stored } from './fields.ts';
import { openingsReading } from './read.ts';
import { openingsTable } from './table.ts';

const STATUSES = { opened: 'Opened', announced: 'Announced', planned: 'Planned', closed: 'Closed' } as const;

/** `Hill Mall, Pune`. */
const placeOf = ({ mall, city }: Pick<Opening, 'mall' | 'city'>): string | null => joined([mall, city]) || null;

export const openings = defineFact({
  kind: 'openings',
  stored,
  read: openingsReading,
  table: openingsTable,
  page: {
    title: 'Store openings and closures',
    about: 'Stores that opened, are announced or planned, or closed.',
    columns: [
      { name: 'Brand', shows: 'brand', link: 'brand_slug' },
      {
        name: 'City',
        shows: 'city',
        link: 'city',
        below: [
          ['', 'mall'],
          ['', 'locality'],
        ],
      },
      { name: 'Status', shows: 'status', below: [['on', 'date']] },
      { name: 'Stores', shows: 'stores', highFirst: true },
    ],
    totals: [
      ['opened', 'stores opened, at least'],
      ['planned', 'stores announced or planned, at least'],
      ['closed', 'stores closed, at least'],
    ],
    note: 'A report without a number of stores counts as one store: {unnumbered} of {rows}. A row is one opening, plan or closure; it counts once, however many outlets report it.',
  },
  form: {
    title: 'Openings',
    phrase: 'the openings',
    parts: ['status', 'brand', 'city', 'mall', 'locality', 'stores', 'date'],
  },
  ask: {
    move: 'stores',
    line: ({ brand, city, mall, locality, stores, status, date }) => ({
      name: STATUSES[status],
      value: joined([
        brand,
        stores !== null && formatCount(stores, 'store'),
        joined([mall, locality, city]),
        date && dayInWords(date),
      ]),
      words: [stores === null ? null : String(stores), mall, city, brand],
    }),
    columns: ['City', 'Brand', 'Status', 'Stores'],
    compare: (one, other) => ((placeOf(one) ?? '~') < (placeOf(other) ?? '~') ? -1 : 1),
    cells: ({ brand, status, stores, ...place }) => [
      placeOf(place),
      brand,
      status,
      stores === null ? null : String(stores),
    ],
  },
  example: {
    brand: 'Kiri Foods',
    city: 'Pune',
    mall: null,
    locality: null,
    stores: 40,
    status: 'opened',
    date: '2026-11-20',
  },
});
