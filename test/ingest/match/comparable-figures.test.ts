import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreement, figuresOf } from '../../../ingest/match/comparable-figures.ts';

const best = (a: string, b: string): number =>
  Math.max(0, ...figuresOf(a, '').all.flatMap((one) => figuresOf('', b).all.map((other) => agreement(one, other))));

describe('figures of two reports', () => {
  it.each([
    ['raises ₹230 Cr', 'bags Rs 230 crore', 1],
    ['worth Rs 1.25 lakh crore', '₹1.25 Lakh Cr outlay', 1],
    ['margin up 120 bps', 'margin up 1.2 per cent', 1],
    ['raises $25 million', 'raises ₹237 Cr', 0.5],
    ['raises $25 million', 'raises ₹23.7 Cr', 0],
    ['profit up 18%', 'profit up 19%', 0],
    ['opens 40 stores', 'eyes 40 outlets', 1],
    ['in 2026', 'by 2026', 0],
    ['sells Rs 3,500-4,000 crore of shares', 'a ₹4,000 Cr offer', 1],
    ['27 crore shares on offer', 'offers 270 million shares', 1],
    ['losses narrow in FY26', 'FY26 losses halve', 1],
    ['losses narrow in FY26', '26 stores lose money', 0],
    ['its 2 founders', 'the 2 founders', 0],
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
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 4_000 }), (text) => figuresOf(text, text).all.length <= 12),
    );
  });

  it('of the headline are kept separate from those of the summary', () => {
    const { title, all } = figuresOf('Brewbarn raises ₹40 crore', 'It runs 60 stores.');
    expect(title).toEqual([{ value: 4e8, unit: 'inr' }]);
    expect(all).toEqual([...title, { value: 60, unit: '' }]);
  });
});
