import { describe, expect, it } from 'vitest';
import { money, statedAmounts, sums } from '../../../answer/figures.ts';
import { evidenceOf } from '../../../answer/retrieve-evidence.ts';
import { detailExample } from '../../../api/description/examples.ts';
import type { Deal } from '../../../schemas/story.ts';

const told = (headline: string, deal: Partial<Deal>) => {
  const signal = { ...detailExample, headline, summary: null, move: 'deals' as const };
  const facts = {
    ...{ result: null, openings: [], people: [] },
    deal: { type: 'funding' as const, amount: null, target: 'Kiri Foods', buyers: [], ...deal },
  };
  return evidenceOf({ signal, moved_at: '2026-11-20T04:00:00Z', rank: 1, about: ['kiri-foods'], titles: [], facts });
};

describe('money that signals tell', () => {
  it('given an amount, tells it as the signal writes it', () => {
    const [one] = statedAmounts([told('Kiri Foods raises Rs. 60 crore from Asha', { amount: '₹60 Cr' })], 'raised');

    expect(one).toMatchObject({ brand: 'kiri-foods', currency: 'INR', value: 6e8, written: 'Rs. 60 crore' });
  });

  it.each([
    ['an amount that is sought', 'Kiri Foods to raise Rs 300 crore from shareholders', { amount: '₹300 Cr' }],
    ['an issue to come', 'Kiri Foods files for ₹900 Cr IPO', { amount: '₹900 Cr', type: 'ipo' as const }],
    ['an amount that its text does not have', 'Kiri Foods raises money', { amount: '₹60 Cr' }],
    ['the price of a product', 'Kiri Foods raises price of snacks to Rs 60', { amount: '₹60' }],
  ])('given %s, tells nothing', (_, headline, deal) => {
    expect(statedAmounts([told(headline, deal)], 'raised')).toEqual([]);
  });

  it('given several currencies, sums each by itself, the larger first', () => {
    const all = statedAmounts(
      [
        told('Kiri Foods raises ₹60 crore', { amount: '₹60 Cr' }),
        told('Kiri Foods gets $12.5 million', { amount: '$12.5 Mn' }),
        told('Kiri Foods nets ₹30 Cr', { amount: '₹30 Cr' }),
      ],
      'raised',
    );

    expect(sums(all).map(({ currency, value }) => money(currency, value))).toEqual(['$12.5 million', '₹90 crore']);
  });
});
