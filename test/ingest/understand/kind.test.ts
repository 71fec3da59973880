import { describe, expect, test } from 'vitest';
import { understandItem } from '../../../ingest/understand/understand-item.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

describe('the label of a move', () => {
  test.each([
    ['Nykaa Opens First Store in Pune', 'Store opening'],
    ['Nykaa Plans 35 New Stores Ahead of Diwali', 'Store plans'],
    ['Nykaa closes 12 stores', 'Store closure'],
    ['Snack Brand Swadling Raises Rs 10 Cr in Seed Round', 'Funding'],
    ['Trent Appoints Sanjana Rao as CEO', 'Appointment'],
    ["Trent's founders to exit Nykaa", 'Exit'],
    ['Trent Q1 FY27 Revenue Rises 19 Pc to Rs 5,000 Cr', 'Quarterly results'],
    ['Nykaa Launches Vitamin C Skincare Range', 'Product launch'],
    ['FSSAI sends notice to Zepto over misleading labels', 'Notice'],
  ])('given "%s" it is %s', (title, kind) => {
    expect(understandItem(itemOf(title), smallCatalogue).understanding.kind).toBe(kind);
  });
});

describe('why noise is noise', () => {
  test.each([
    ['Nykaa shares in focus today', 'share tips or market talk'],
    ['Should you buy, sell or hold Trent?', 'share tips or market talk'],
    ['11 cafes in Pune to work from this weekend', 'listicle or guide'],
    ['Morning digest: Nykaa, Zepto in focus', 'round-up of several stories'],
    ['Nykaa sale - up to 40% off on lipsticks', 'promotion or shopping guide'],
    ['Opinion: Why malls will outlive us all', 'opinion'],
  ])('given "%s" it is %s, and the words are named', (title, reason) => {
    const verdict = understandItem(itemOf(title), smallCatalogue, { explain: true });
    expect(verdict).toMatchObject({ relevant: false, reason });
    expect(verdict.reasons.find(({ field }) => field === 'relevant')?.words).not.toBe('');
  });
});

describe('where stores open', () => {
  test('given two cities there is an opening in each', () => {
    const { openings } = understandItem(
      itemOf('Nykaa Opens Two Stores in Pune and Bengaluru'),
      smallCatalogue,
    ).understanding;
    expect(openings.map(({ city, stores }) => [city, stores])).toEqual([
      ['Pune', 1],
      ['Bengaluru', 1],
    ]);
  });
  test('given a part of a city, it and its city are read', () => {
    const { openings, cities } = understandItem(
      itemOf('Nykaa Opens Store in Koramangala'),
      smallCatalogue,
    ).understanding;
    expect(cities).toEqual(['Bengaluru']);
    expect(openings).toMatchObject([{ city: 'Bengaluru', locality: 'Koramangala' }]);
  });
});
