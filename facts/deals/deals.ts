/** Deals: funding, acquisitions, stake sales, IPOs, joint ventures and mergers. */
import { defineFact } from '../fact.ts';
import { joined } from '../wording.ts';
import { deals as stored } from './fields.ts';
import { dealsReading } from './read.ts';
import { dealsTable } from './table.ts';

const TYPES = {
  funding: 'Funding',
  acquisition: 'Acquisition',
  stake_sale: 'Stake sale',
  ipo: 'Listing',
  jv: 'Joint venture',
  merger: 'Merger',
} as const;

export const deals = defineFact({
  kind: 'deals',
  stored,
  read: dealsReading,
  table: dealsTable,
  page: {
    title: 'Deals',
    about: 'Funding, acquisitions, stake sales, IPOs, joint ventures and mergers.',
    columns: [
      { name: 'Type', shows: 'type', isLabel: true },
      { name: 'Company', shows: 'target', link: 'target_slug' },
      { name: 'Buyers or investors', shows: 'buyers', longest: 90 },
      { name: 'Amount', shows: 'amount', isFigure: true, longest: 30 },
      { name: 'Status', shows: 'status', isLabel: true },
    ],
    totals: [
      ['completed', 'completed'],
      ['agreed', 'agreed'],
      ['rumoured', 'rumoured'],
      ['unstated', 'without a stated status'],
    ],
    note: '{rows}. Amounts are as reported, in several currencies, and many deals state none: they are not added up.',
  },
  form: {
    title: 'Deal',
    phrase: 'the deal',
    parts: ['type', 'amount', 'target', ['buyers', 'buyer, buyer'], 'status'],
  },
  ask: {
    move: 'deals',
    line: ({ type, amount, target, buyers, status }) => ({
      name: TYPES[type],
      value: joined([amount, target, buyers.length > 0 && `by ${buyers.join(', ')}`, status]),
      words: [amount ?? target, target, ...buyers],
    }),
    columns: ['Company', 'Deal', 'Amount', 'Investors or buyers', 'Status'],
    cells: ({ type, amount, target, buyers, status = null }) => [
      target,
      type.replace('_', ' '),
      amount,
      buyers.join(', ') || null,
      status,
    ],
  },
  example: { type: 'funding', amount: '₹40 Cr', target: 'Kiri Foods', buyers: ['Tilak Capital'], status: 'completed' },
});
