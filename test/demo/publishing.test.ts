import { describe, expect, it } from 'vitest';
import { outletById } from '../../demo/outlets.ts';
import { fillWords, styleFigures, styleHeadline, styleSummary, titleCase } from '../../demo/publishing.ts';

const outlet = (id: string) => {
  const found = outletById.get(id);
  if (!found) throw new Error(`no outlet ${id}`);
  return found;
};

describe('house style', () => {
  it.each([
    ['patrika', '₹230 Cr, ₹45 lakh, ₹999, $12.5 Mn, 18%'],
    ['dukaan', 'Rs 230 crore, Rs 45 lakh, Rs 999, $12.5 million, 18 per cent'],
    ['highstreet', 'INR 230 Cr, INR 45 Lakh, INR 999, USD 12.5 mn, 18%'],
    ['vyapar', 'Rs 230 crore, Rs 45 lakh, Rs 999, $12.5 million, 18 pc'],
  ])('of %s writes figures as %s', (id, expected) => {
    expect(styleFigures('[₹230cr], [₹45L], [₹999], [$12.5m], [18%]', outlet(id).voice)).toBe(expected);
  });

  it('capitalises titles but for small words and names with capitals of their own', () => {
    expect(titleCase('boAt goes to the mall with ready-to-eat snacks')).toBe(
      'boAt Goes to the Mall with Ready-To-Eat Snacks',
    );
  });

  it('announces money that is raised with the prefix of the house', () => {
    expect(styleHeadline('Snitch raises [$40m]', outlet('patrika'), 'funding')).toBe(
      '{Funding Alert} Snitch Raises $40 Mn',
    );
  });

  it('begins a sentence with a capital, unless a brand does not want one', () => {
    expect(styleHeadline('school bags join Mokobara', outlet('bazaar'), null)).toBe('School bags join Mokobara');
    expect(styleHeadline('boAt goes premium', outlet('bazaar'), null)).toBe('boAt goes premium');
  });

  it('prints no summary, the whole, or the beginning', () => {
    const long = 'One word and then another word and so on '.repeat(6).trim();
    expect(styleSummary(long, outlet('patrika'))).toBeNull();
    expect(styleSummary(long, outlet('dukaan'))).toBe(long);
    const cut = styleSummary(long, outlet('sutra')) ?? '';
    expect(cut.endsWith('…')).toBe(true);
    expect(long.startsWith(`${cut.slice(0, -1)} `)).toBe(true);
  });

  it('names a word without a value', () => {
    expect(() => fillWords('opens in {town}', () => undefined)).toThrow('no value for {town} in "opens in {town}"');
  });
});
