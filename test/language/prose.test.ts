import { describe, expect, it } from 'vitest';
import { numberInWords, ordinalInWords } from '../../language/numbers.ts';
import { formatCount, joinNames } from '../../language/prose.ts';

describe('counts and lists in sentences', () => {
  it.each([
    [['Pune'], undefined, 'Pune'],
    [['Pune', 'Nagpur'], undefined, 'Pune and Nagpur'],
    [['Pune', 'Nagpur', 'Indore', 'Surat'], 2, 'Pune, Nagpur and 2 more'],
    [[], undefined, ''],
  ])('given %j and at most %s, then it reads "%s"', (names, maximum, text) => {
    expect(joinNames(names, maximum)).toBe(text);
  });

  it('given counts, then they have Indian grouping and the right noun', () => {
    expect([formatCount(1, 'store'), formatCount(123456, 'store'), formatCount(0, 'company', 'companies')]).toEqual([
      '1 store',
      '1,23,456 stores',
      '0 companies',
    ]);
  });

  it('given numbers, then small ones are words', () => {
    expect([0, 3, 9, 10].map(numberInWords)).toEqual(['none', 'three', 'nine', '10']);
    expect([1, 2, 9, 11, 12, 21, 22].map(ordinalInWords)).toEqual([
      'first',
      'second',
      'ninth',
      '11th',
      '12th',
      '21st',
      '22nd',
    ]);
  });
});
