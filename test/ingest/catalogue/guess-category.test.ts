/** What is sold, as names and headlines say it. */
import { describe, expect, it } from 'vitest';
import { guessCategory } from '../../../ingest/catalogue/guess-category.ts';

describe('the guessed category', () => {
  it.each([
    ['Quillon Bakery', ['Quillon Bakery opens in Surat'], 'restaurants_and_cafes'],
    ['Goofy Tails', ['Pet food brand Goofy Tails raises ₹12 Cr'], 'pet_care'],
    ['Palmonas', ['Palmonas opens a demi-fine jewellery store in Pune'], 'jewellery'],
    ['Aristo', ['Aristo takes its sneakers to Phoenix Mall', 'Shoes of Aristo on quick commerce'], 'footwear'],
    ['Nimbus', ['Nimbus opens at a mall of Nexus Malls'], 'malls_and_real_estate'],
  ])('given %s with %j, then %s', (name, headlines, category) => {
    expect(guessCategory(name, headlines)).toBe(category);
  });

  it('given nothing that says what is sold, then none; a part of a word says nothing', () => {
    expect(guessCategory('Quillon', ['Quillon names a chief'])).toBeNull();
    expect(guessCategory('Carpetright', ['Carpetright petitions the court'])).toBeNull();
  });
});
