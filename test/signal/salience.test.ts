import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOVES } from '../../schemas/scalar.ts';
import type { Standing } from '../../schemas/signal.ts';
import { salienceOf, type Weighed } from '../../signal/salience.ts';

const plain: Weighed = { move: 'deals', kind: 'Funding', outlets: 1, authority: 0.5, standing: null };
const standing = (changes: Partial<Standing> = {}): Standing => ({
  listed: false,
  first: false,
  sum_crore: null,
  revenue_share: null,
  stores: null,
  ...changes,
});
const gain = (changes: Partial<Weighed>): number => Math.round((salienceOf({ ...plain, ...changes }) - 10) * 10) / 10;

describe('salience', () => {
  it.each<[string, Partial<Weighed>, number]>([
    ['nothing but one outlet of middling authority', {}, 0],
    ['two outlets', { outlets: 2 }, 8],
    ['eight outlets', { outlets: 8 }, 24],
    ['forty outlets', { outlets: 40 }, 24],
    ['the highest authority', { authority: 1 }, 10],
    ['₹10 crore', { standing: standing({ sum_crore: 10 }) }, 5],
    ['₹1,000 crore', { standing: standing({ sum_crore: 1_000 }) }, 15],
    ['₹2 lakh crore', { standing: standing({ sum_crore: 200_000 }) }, 20],
    ['₹0.4 crore', { standing: standing({ sum_crore: 0.4 }) }, 0],
    ['a tenth of the revenue', { standing: standing({ revenue_share: 0.1 }) }, 4],
    ['three times the revenue', { standing: standing({ revenue_share: 3 }) }, 10],
    ['100 stores', { standing: standing({ stores: 100 }) }, 6],
    ['a listed company', { standing: standing({ listed: true }) }, 6],
    ['the first on record', { standing: standing({ first: true }) }, 6],
    ['a regulation', { move: 'rules', kind: 'Regulation' }, 8],
    ['a penalty', { move: 'rules', kind: 'Penalty' }, 4],
    ['a regulation by its label alone', { move: 'strategy', kind: 'Regulation' }, 0],
  ])('given %s, then %o adds %d', (_, changes, points) => expect(gain(changes)).toBe(points));

  it('given anything, then it is 0 to 100, and more of one thing never weighs less', () => {
    const sum = fc.double({ min: 0, max: 1e7, noNaN: true });
    const weighed = fc.record<Weighed>({
      move: fc.constantFrom(...MOVES),
      kind: fc.constantFrom(null, 'Regulation', 'Penalty', 'Funding'),
      outlets: fc.integer({ min: 0, max: 200 }),
      authority: fc.double({ min: 0, max: 1, noNaN: true }),
      standing: fc.record({
        listed: fc.boolean(),
        first: fc.boolean(),
        sum_crore: sum,
        revenue_share: sum,
        stores: sum,
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
