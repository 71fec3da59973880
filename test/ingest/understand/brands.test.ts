import { describe, expect, test } from 'vitest';
import { readSubjects } from '../../../facts/text/headline-subject.ts';
import { readItem } from '../../../facts/text/item-reading.ts';
import { findBrands } from '../../../ingest/understand/brands.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

const rolesIn = (title: string, summary: string | null = null) => {
  const reading = readItem(itemOf(title, summary), smallCatalogue);
  const { brands } = findBrands(reading, readSubjects(reading.title), smallCatalogue);
  return brands.map(
    (brand) => `${brand.role === 'primary' ? '' : 'by the way '}${brand.name}${brand.provisional ? '?' : ''}`,
  );
};

describe('the brand of a headline', () => {
  test.each([
    ['Trent Appoints New CFO', ['Trent']],
    ['Swadling Foods Raises Rs 10 Cr in Seed Round', ['Swadling Foods?']],
    ['Jeweller Jhilmil Moves SEBI for Rs 700 Cr Public Issue', ['Jhilmil?']],
    ['D2C Dairy Brand Doodhgram Secures $1 Mn', ['Doodhgram?']],
    ['Dairy startup Doodhgram picks up $14 million in Series A funding', ['Doodhgram?']],
    ['Kitchenware brand Kadhaiya bags $17M from existing investors', ['Kadhaiya?']],
    ['Nykaa to acquire majority stake in Dermelle', ['Nykaa', 'Dermelle?']],
    ['Peak XV offloads Lenskart shares worth Rs 900 crore', ['Lenskart', 'by the way Peak XV']],
    ["Haldiram's enters frozen desserts", ["Haldiram's"]],
    ['HUL cuts soap prices', ['Hindustan Unilever']],
    ['After Zepto, Nykaa cuts delivery fees', ['Nykaa', 'by the way Zepto']],
    ['Ex-Nykaa Executive Joins Zepto as CMO', ['Zepto', 'by the way Nykaa']],
    ['Trent opens Westside store in Pune', ['Trent', 'Westside']],
    ['FSSAI sends notice to Zepto over expired curd', ['Zepto']],
  ])('given "%s", then it is about %j', (title, expected) => {
    expect(rolesIn(title)).toEqual(expected);
  });

  test('given a common word, then it is the brand only as the subject or in its context', () => {
    expect(rolesIn('Shoppers get the Max out of sales')).toEqual([]);
    expect(rolesIn('Max opens store in Pune')).toEqual(['Max']);
    expect(rolesIn('Max Life wins award, fashion fund says')).not.toContain('Max');
  });

  test.each([
    [
      'Swadling Foods Raises Rs 90 crore from Peak XV, Orbitline, Kestrel Bay',
      ['Swadling Foods?', 'by the way Peak XV', 'by the way Orbitline?', 'by the way Kestrel Bay?'],
    ],
    ['FSSAI orders Zepto, Sipply and Fizzora to drop a label', ['Zepto', 'Sipply?', 'Fizzora?']],
    ['Zepto, Pune buyers fall out over fees', ['Zepto']],
    ['Trent, Sameer Gokhale win an award', ['Trent']],
  ])(
    'given names that the catalogue lacks in a list, as in "%s", then they are named as the one before',
    (title, expected) => {
      expect(rolesIn(title)).toEqual(expected);
    },
  );

  test('given a person with the name of a family, then it is not the company', () => {
    expect(rolesIn('Noella Tata to exit Trent as chairman')).not.toContain('Tata Group');
  });

  test('given a sentence about a sector, then there is no brand', () => {
    expect(rolesIn('Edible oil imports rise 6% in May')).toEqual([]);
  });
});
