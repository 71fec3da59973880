import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slips } from '../../schemas/name-search.ts';
import { smallGazetteer as gazetteer, smallFile } from '../harness/gazetteer.ts';
import { brandSlug } from '../harness/ids.ts';

describe('a city', () => {
  it.each([
    ['Pune', 'Pune'],
    ['pune ', 'Pune'],
    ['POONA', 'Pune'],
    ['bangalore', 'Bengaluru'],
    ['Bengalooru', 'Bengaluru'],
    ['Nagpr', 'Nagpur'],
  ])('given %j, then it is %s', (name, city) => {
    expect(gazetteer.findCity(name).found?.name).toBe(city);
  });

  it.each(['', '   ', 'Atlantis', 'Puno', '💥', 'x'.repeat(10_000)])('given %j, then there is none', (name) => {
    expect(gazetteer.findCity(name).found).toBeNull();
  });

  it('given an unknown name, then the closest name is offered first', () => {
    expect(gazetteer.findCity('Nagar').nearest?.[0]).toBe('Nagpur');
  });
});

describe('a mall', () => {
  it('given an ambiguous name, then there is none until the city is known', () => {
    expect(gazetteer.findMall('lake mall')).toEqual({
      found: null,
      nearest: expect.arrayContaining(['Lake Mall Pune', 'Lake Mall Nagpur']),
    });
    expect(gazetteer.findMall('lake mall', 'Nagpur').found?.name).toBe('Lake Mall Nagpur');
    expect(gazetteer.findMall('Lake Mall, Pune').found?.name).toBe('Lake Mall Pune');
  });
});

describe('a company', () => {
  it.each([
    ['kiri-foods', 'kiri-foods'],
    ['kiri', 'kiri-foods'],
    ['Kiri Foods Pvt. Ltd.', 'kiri-foods'],
    ['Kiri Cafe', 'kiri-cafe'],
    ['Maya Mart', 'maya-mart'],
    ['maya retail', 'maya-stores'],
    ['Tilak Footwear', 'tilak-shoes'],
    ['Tilak', 'tilak-group'],
    ['Tillak Shoes', 'tilak-shoes'],
  ])('given %j, then it is %s', (name, slug) => {
    expect(gazetteer.findCompany(name).found?.slug).toBe(slug);
  });

  it('is found by its current and former slugs, and those of its brands; it may report under its only brand', () => {
    expect(gazetteer.company(brandSlug('kiri'))).toMatchObject({
      slugs: ['kiri-foods', 'kiri', 'kiri-cafe', 'kiri-juice'],
      reporting: ['kiri-foods', 'kiri'],
    });
    expect(gazetteer.company(brandSlug('maya-stores'))?.reporting).toEqual(['maya-stores', 'maya-mart']);
    expect(gazetteer.company(brandSlug('nobody'))).toBeNull();
  });
});

describe('a group, a category and a sector', () => {
  it('are found by their names, their aliases and each other', () => {
    expect(gazetteer.findGroup('Eatables').found?.slug).toBe('food');
    expect(gazetteer.findCategory('value fashion').found).toBe('value_fashion');
    expect(gazetteer.findCategory('food').found).toBe('food_and_beverage');
    expect(gazetteer.findSector('footwear').found?.slugs).toEqual(['tilak-shoes']);
    expect(new Set(gazetteer.findSector('food').found?.slugs)).toEqual(
      new Set(['kiri-foods', 'kiri', 'kiri-cafe', 'kiri-juice', 'maya-stores', 'maya-mart', 'tilak-shoes']),
    );
    expect(gazetteer.findSector('astronomy').found).toBeNull();
    expect(gazetteer.categoryOf(brandSlug('kiri'))).toBe('food_and_beverage');
  });
});

describe('every name of the catalogue', () => {
  it('finds its entry, in upper and lower case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...smallFile.brands), fc.boolean(), ({ name, slug }, loud) => {
        expect(gazetteer.findCompany(loud ? name.toUpperCase() : name.toLowerCase()).found?.slug).toBe(slug);
      }),
    );
  });
});

describe('the edit distance', () => {
  it.each([
    ['pune', 'pune', 0],
    ['pune', 'puna', 1],
    ['pune', 'punee', 1],
    ['pune', 'upne', 1],
    ['lenskart', 'lenskrat', 1],
    ['pune', 'nagpur', 3],
  ])('from %s to %s is at most %i', (one, other, count) => {
    expect(slips(one, other, 2)).toBe(count);
    expect(slips(other, one, 2)).toBe(count);
  });
});
