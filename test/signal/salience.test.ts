import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOVES } from '../../schemas/scalar.ts';
import type { Standing } from '../../schemas/signal.ts';
import { salienceOf, type Weighed } from '../../signal/salience.ts';

const plain: Weighed = { move: 'stores', kind: 'Store opening', outlets: 1, authority: 0.5, standing: null };
const standing = (changes: Partial<Standing> = {}): Standing => ({
  listed: false,
  first: false,
  sum_crore: null,
  revenue_share: null,
  stores: null,
  ...changes,
});
const score = (changes: Partial<Weighed>): number => salienceOf({ ...plain, ...changes });
const gain = (changes: Partial<Weighed>): number => Math.round((score(changes) - score({})) * 10) / 10;
const funding = { move: 'deals', kind: 'Funding' } as const;

describe('salience', () => {
  it.each<[string, Partial<Weighed>, number]>([
    ['a store, one outlet and middling authority', {}, 0],
    ['two outlets', { outlets: 2 }, 8],
    ['eight outlets', { outlets: 8 }, 24],
    ['forty outlets', { outlets: 40 }, 24],
    ['the highest authority', { authority: 1 }, 5],
    ['funding', funding, 8],
    ['an acquisition', { move: 'deals', kind: 'Acquisition' }, 16],
    ['a deal of another kind', { move: 'deals', kind: 'Deal' }, 8],
    ['a regulation', { move: 'rules', kind: 'Regulation' }, 20],
    ['a penalty', { move: 'rules', kind: 'Penalty' }, 16],
    ['a penalty of ₹10 crore', { move: 'rules', kind: 'Penalty', standing: standing({ sum_crore: 10 }) }, 21],
    ['funding of ₹10 crore', { ...funding, standing: standing({ sum_crore: 10 }) }, 13],
    ['funding of ₹2 lakh crore', { ...funding, standing: standing({ sum_crore: 200_000 }) }, 28],
    ['funding of ₹0.4 crore', { ...funding, standing: standing({ sum_crore: 0.4 }) }, 8],
    ['funding of an eighth of the revenue', { ...funding, standing: standing({ revenue_share: 0.125 }) }, 11],
    ['funding of three times the revenue', { ...funding, standing: standing({ revenue_share: 3 }) }, 14],
    ['results without a figure', { move: 'results', kind: 'Annual results' }, 16],
    [
      'results of ₹10,000 crore',
      { move: 'results', kind: 'Annual results', standing: standing({ sum_crore: 10_000 }) },
      26,
    ],
    ['100 stores', { standing: standing({ stores: 100 }) }, 4],
    ['funding of a listed company', { ...funding, standing: standing({ listed: true }) }, 14],
    ['a store of a listed company', { standing: standing({ listed: true }) }, 3],
    ['funding of a company of seven signals', { ...funding, standing: standing({ prominence: 3 }) }, 11],
    ['the first on record', { standing: standing({ first: true }) }, 4],
    ['an appointment', { move: 'people', kind: 'Appointment' }, 8],
  ])('given %s, then %o adds %d', (_, changes, points) => expect(gain(changes)).toBe(points));

  it('given a chief of a listed company, then it counts like an acquisition for ₹1,000 crore', () => {
    const chief = standing({ listed: true, chief: true });
    const deal = standing({ listed: true, sum_crore: 1_000 });
    expect(score({ move: 'people', kind: 'Appointment', standing: chief })).toBe(
      score({ move: 'deals', kind: 'Acquisition', standing: deal }),
    );
  });

  it('given a headline that comments, then event and sum count nothing; one that advertises has no points at all', () => {
    const large = { listed: true, sum_crore: 5_000 };
    const comment = { move: 'deals', kind: 'IPO', standing: standing({ ...large, says: 'comment' }) } as const;
    expect(gain(comment)).toBe(3);
    expect(score({ ...comment, outlets: 9, standing: standing({ ...large, says: 'advertisement' }) })).toBe(0);
  });

  it('given anything, then it is 0 to 100, and more of one thing never weighs less', () => {
    const sum = fc.double({ min: 0, max: 1e7, noNaN: true });
    const weighed = fc.record<Weighed>({
      move: fc.constantFrom(...MOVES),
      kind: fc.constantFrom(null, 'Regulation', 'Penalty', 'Funding', 'Store opening'),
      outlets: fc.integer({ min: 0, max: 200 }),
      authority: fc.double({ min: 0, max: 1, noNaN: true }),
      standing: fc.record({
        listed: fc.boolean(),
        first: fc.boolean(),
        sum_crore: sum,
        revenue_share: sum,
        stores: sum,
        chief: fc.boolean(),
        prominence: fc.nat(30),
        says: fc.constantFrom('event', 'comment', 'advertisement'),
      }),
    });
    fc.assert(
      fc.property(weighed, fc.integer({ min: 1, max: 50 }), (one, more) => {
        const score = salienceOf(one);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        expect(salienceOf({ ...one, outlets: one.outlets + more })).toBeGreaterThanOrEqual(score);
        const larger = one.standing && {
          ...one.standing,
          listed: true,
          sum_crore: (one.standing.sum_crore ?? 0) * more,
        };
        expect(salienceOf({ ...one, standing: larger })).toBeGreaterThanOrEqual(score);
      }),
    );
  });
});
