import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSupported } from '../../answer/written-draft.ts';

const id = 'sig_0123456789abcdef';
const given = [
  {
    id,
    day: '20 November 2026',
    outlet: 'Daily Trade',
    text: 'Kiri Foods opens 40 stores in Pune\nIt raised ₹230 crore from Asha Mehta.',
  },
];
const supported = (text: string, ids: readonly string[] = [id]): boolean => isSupported({ text, ids }, given);

describe("a model's sentence", () => {
  it.each([
    'Kiri Foods opened 40 stores in Pune.',
    'On 20 November 2026 Daily Trade said that Kiri Foods raised ₹230 crore.',
  ])('given %j, then it is supported', (text) => {
    expect(supported(text)).toBe(true);
  });

  it.each([
    ['a number', 'Kiri Foods opened 41 stores in Pune.'],
    ['a number in words', 'Kiri Foods opened forty stores in Pune.'],
    ['a scale', 'Kiri Foods raised ₹230 million.'],
    ['a name', 'Maya Foods opened 40 stores in Pune.'],
    ['a place', 'Kiri Foods opened 40 stores in Surat.'],
    ['a month', 'Kiri Foods opened 40 stores in December.'],
    ['a denial', 'Kiri Foods did not open 40 stores in Pune.'],
    ['an id of its own', `Kiri Foods opened 40 stores [${id}].`],
    ['a link', 'See https://evil.test for Kiri Foods.'],
    ['nothing', ' '],
  ])('given %s that the text does not contain, then it is dropped', (_, text) => {
    expect(supported(text)).toBe(false);
  });

  it('given unknown ids, or none, then it is dropped', () => {
    expect(supported('Kiri Foods opened 40 stores.', ['sig_ffffffffffffffff'])).toBe(false);
    expect(supported('Kiri Foods opened 40 stores.', [])).toBe(false);
  });

  it('given any number that the text does not contain, then it is dropped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (number) => {
        fc.pre(![40, 230, 20, 2026].includes(number));
        return !supported(`Kiri Foods opened ${number} stores in Pune.`);
      }),
    );
  });
});
