import { describe, expect, it } from 'vitest';
import { money, type StoreStatus, statedAmounts, statedStores, sums } from '../../answer/figures.ts';
import { evidenceOf } from '../../answer/retrieve-evidence.ts';
import { detailExample } from '../../api/description/examples.ts';
import type { Deal, Opening } from '../../schemas/story.ts';
import { brandSlug } from '../harness/ids.ts';

describe('money', () => {
  const fundingSignal = (headline: string, deal: Partial<Deal>) => {
    const signal = { ...detailExample, headline, summary: null, move: 'deals' as const };
    const facts = {
      ...{ result: null, openings: [], people: [] },
      deal: { type: 'funding' as const, amount: null, target: 'Kiri Foods', buyers: [], ...deal },
    };
    return evidenceOf({
      signal,
      moved_at: '2026-11-20T04:00:00Z',
      rank: 1,
      about: [brandSlug('kiri-foods')],
      titles: [],
      facts,
    });
  };

  describe('amounts in signals', () => {
    it('given an amount, then it is quoted as the signal writes it', () => {
      const [one] = statedAmounts(
        [fundingSignal('Kiri Foods raises Rs. 60 crore from Asha', { amount: '₹60 Cr' })],
        'raised',
      );

      expect(one).toMatchObject({ brand: 'kiri-foods', currency: 'INR', value: 6e8, written: 'Rs. 60 crore' });
    });

    it.each([
      ['an amount that is sought', 'Kiri Foods to raise Rs 300 crore from shareholders', { amount: '₹300 Cr' }],
      ['an issue to come', 'Kiri Foods files for ₹900 Cr IPO', { amount: '₹900 Cr', type: 'ipo' as const }],
      ['an amount that its text does not have', 'Kiri Foods raises money', { amount: '₹60 Cr' }],
      ['the price of a product', 'Kiri Foods raises price of snacks to Rs 60', { amount: '₹60' }],
    ])('given %s, then there is no amount', (_, headline, deal) => {
      expect(statedAmounts([fundingSignal(headline, deal)], 'raised')).toEqual([]);
    });

    it('given several currencies, then each has its own sum, the larger first', () => {
      const all = statedAmounts(
        [
          fundingSignal('Kiri Foods raises ₹60 crore', { amount: '₹60 Cr' }),
          fundingSignal('Kiri Foods gets $12.5 million', { amount: '$12.5 Mn' }),
          fundingSignal('Kiri Foods nets ₹30 Cr', { amount: '₹30 Cr' }),
        ],
        'raised',
      );

      expect(sums(all).map(({ currency, value }) => money(currency, value))).toEqual(['$12.5 million', '₹90 crore']);
    });
  });
});

describe('stores', () => {
  const storeCounts = (headline: string, opening: Partial<Opening> = {}): Record<StoreStatus, number> => {
    const facts = {
      ...{ deal: null, result: null, people: [] },
      openings: [
        {
          ...{ brand: 'Kiri Foods', city: 'Pune', mall: null, locality: null, stores: null, date: null },
          ...{ status: 'opened' as const },
          ...opening,
        },
      ],
    };
    const signal = { ...detailExample, headline };
    const found = evidenceOf({
      signal,
      moved_at: '2026-11-20T04:00:00Z',
      rank: 1,
      about: [brandSlug('kiri-foods')],
      titles: [],
      facts,
    });
    const sum = (status: StoreStatus): number =>
      statedStores([found], status).reduce((all, { stores }) => all + stores, 0);
    return { opened: sum('opened'), closed: sum('closed'), planned: sum('planned') };
  };

  describe('stores in a headline', () => {
    it.each<[string, Partial<Opening>, Partial<Record<StoreStatus, number>>]>([
      ['Kiri Foods opens two stores in Pune', { stores: 2 }, { opened: 2 }],
      ['4 new Kiri Foods stores open across Pune', {}, { opened: 4 }],
      ['Pune sees four Kiri Foods stores open on the same day', {}, { opened: 4 }],
      ['Kiri Foods inaugurates Pune store', {}, { opened: 1 }],
      ['Maya adds three Kiri shops in Pune, takes city tally to 14', { stores: 14 }, { opened: 3 }],
      ['Kiri Foods reaches 840 stores with Pune opening', { stores: 840, status: 'planned' }, { opened: 1 }],
      ["Pune hosts Kiri Foods's 410th door", {}, { opened: 1 }],
      ['Kiri Foods sets sights on 290 new outlets', { stores: 290 }, { planned: 290 }],
      ['Kiri Foods to open 120 stores by FY28', { stores: 120, status: 'announced' }, { planned: 120 }],
      ['Kiri Foods shuts four airport stores', { stores: 4, status: 'closed' }, { closed: 4 }],
      ['Correction: Kiri Foods closed 21 stores and opened six', { stores: 6, status: 'closed' }, { closed: 21 }],
      ['Kiri Foods now has 14 Pune stores after triple opening', { stores: 14 }, {}],
      ['Pune loses its Kiri Foods at Lulu Mall', { stores: 1 }, { closed: 1 }],
    ])('given %j, then its stores are counted', (headline, opening, expected) => {
      expect(storeCounts(headline, opening)).toEqual({ opened: 0, closed: 0, planned: 0, ...expected });
    });
  });
});
