import { describe, expect, it } from 'vitest';
import { readOtherResults, readResult } from '../../../ingest/understand/facts/results.ts';
import { readItem } from '../../../ingest/understand/item-reading.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

const told = (title: string) => {
  const reading = readItem(itemOf(title, null), smallCatalogue);
  const first = readResult(reading, 'Trent');
  return [
    first?.metric,
    ...readOtherResults(reading, first).map(({ metric, value, growth_pct }) => [metric, value, growth_pct]),
  ];
};

describe('further results of a headline', () => {
  it.each([
    ['Trent Q2 profit at Rs 39 crore, revenue up 19%', ['revenue', ['profit', '₹39 Cr', null]]],
    ['Trent Q2: Revenue rises 17% to Rs 885 crore, profit falls 4%', ['revenue', ['profit', null, -4]]],
    [
      'Trent narrows loss to Rs 11 crore, revenue grows 12%, same-store sales up 5%',
      ['revenue', ['loss', '₹11 Cr', null], ['same-store sales', null, 5]],
    ],
  ])('given "%s", then each metric with its own figure', (title, results) => {
    expect(told(title)).toEqual(results);
  });

  it.each([
    'Trent Q2 profit rises 24% to Rs 39 crore',
    'Trent same-store sales grow 4.8% in Q2',
    'Trent Q2 profit at Rs 39 crore against loss of Rs 12 crore a year ago',
    'Trent Q2 profit up 24%, margin at 11%',
    'Trent Q2 profit up 24%, H1 revenue at Rs 900 crore',
    'Trent Q2 profit up 24%, online contributes 15% of revenue',
    'Trent opens 12 stores',
  ])(
    'given "%s", then none: what is compared, shared, of another period or the same again is no further result',
    (title) => {
      expect(told(title).slice(1)).toEqual([]);
    },
  );

  it('given a figure of another company, then it is not counted as this one’s', () => {
    expect(told('Trent Q2 profit up 24%; Zepto revenue up 112%').slice(1)).toEqual([]);
  });
});
