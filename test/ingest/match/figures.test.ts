import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreement, figuresOf } from '../../../ingest/match/figures.ts';

const best = (a: string, b: string): number =>
  Math.max(0, ...figuresOf(a).flatMap((one) => figuresOf(b).map((other) => agreement(one, other))));

describe('figures of two tellings', () => {
  it.each([
    ['raises ₹230 Cr', 'bags Rs 230 crore', 1],
    ['worth Rs 1.25 lakh crore', '₹1.25 Lakh Cr outlay', 1],
    ['margin up 120 bps', 'margin up 1.2 per cent', 1],
    ['raises $25 million', 'raises ₹237 Cr', 0.5],
    ['raises $25 million', 'raises ₹23.7 Cr', 0],
    ['profit up 18%', 'profit up 19%', 0],
    ['opens 40 stores', 'eyes 40 outlets', 1],
    ['in 2026', 'by 2026', 0],
  ])('%s / %s agree by %d', (a, b, wanted) => {
    expect(best(a, b)).toBe(wanted);
    expect(best(b, a)).toBe(wanted);
  });

  it('are the same in crore and in billion', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999 }), (crore) => {
        expect(best(`₹${crore} crore`, `INR ${crore / 100} Bn`)).toBe(1);
      }),
    );
  });

  it('never throw and are few, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 4_000 }), (text) => figuresOf(text).length <= 12));
  });
});
