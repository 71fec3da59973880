import { describe, expect, it } from 'vitest';
import { outletById } from '../../demo/outlets.ts';
import { fillWords, styleFigures, styleHeadline, styleSummary, titleCase } from '../../demo/publishing.ts';

const outlet = (id: string) => {
  const found = outletById.get(id);
  if (!found) throw new Error(`no outlet ${id}`);
  return found;
};

describe('the style of an outlet', () => {
  it.each([
    ['patrika', '₹230 Cr, ₹45 lakh, ₹999, $12.5 Mn, 18%'],
    ['dukaan', 'Rs 230 crore, Rs 45 lakh, Rs 999, $12.5 million, 18 per cent'],
    ['highstreet', 'INR 230 Cr, INR 45 Lakh, INR 999, USD 12.5 mn, 18%'],
    ['vyapar', 'Rs 230 crore, Rs 45 lakh, Rs 999, $12.5 million, 18 pc'],
  ])('given %s, then figures are written as %s', (id, expected) => {
    expect(styleFigures('[₹230cr], [₹45L], [₹999], [$12.5m], [18%]', outlet(id).voice)).toBe(expected);
  });

  it('capitalises titles except small words and names with their own capitals', () => {
    expect(titleCase('boAt goes to the mall with ready-to-eat snacks')).toBe(
      'boAt Goes to the Mall with Ready-To-Eat Snacks',
    );
  });

  it('announces a funding round with the prefix of the outlet', () => {
    expect(styleHeadline('Snitch raises [$40m]', outlet('patrika'), 'funding')).toBe(
      '{Funding Alert} Snitch Raises $40 Mn',
    );
  });

  it('begins a sentence with a capital, except for a brand in lower case', () => {
    expect(styleHeadline('school bags join Mokobara', outlet('bazaar'), null)).toBe('School bags join Mokobara');
    expect(styleHeadline('boAt goes premium', outlet('bazaar'), null)).toBe('boAt goes premium');
  });

  it('prints no summary, the complete one, or its beginning', () => {
    const long = 'One word and then another word and so on '.repeat(6).trim();
    expect(styleSummary(long, outlet('patrika'))).toBeNull();
    expect(styleSummary(long, outlet('dukaan'))).toBe(long);
    const cut = styleSummary(long, outlet('sutra')) ?? '';
    expect(cut.endsWith('…')).toBe(true);
    expect(long.startsWith(`${cut.slice(0, -1)} `)).toBe(true);
  });

  it('given a placeholder without a value, then the error names it', () => {
    expect(() => fillWords('opens in {town}', () => undefined)).toThrow('no value for {town} in "opens in {town}"');
  });
});
