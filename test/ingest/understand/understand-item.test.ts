import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EncodedItem } from '../../../ingest/understand/encoder/item-encoder.ts';
import { understandItem } from '../../../ingest/understand/understand-item.ts';
import type { Move } from '../../../schemas/scalar.ts';
import { Understanding } from '../../../schemas/story.ts';
import { processorTime } from '../../harness/processor-time.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

/** A word of the headline, with the tags that are not 0. */
const word = (start: number, end: number, tags: Readonly<Record<number, number>>) => ({
  part: 'title' as const,
  start,
  end,
  tags: Array.from({ length: 13 }, (_, index) => tags[index] ?? 0),
});
/** What the encoder says of a headline. @param funding how sure it is of a funding round, if it sees one */
const encodedAs = (
  move: Move,
  title: string,
  relevance: number,
  words: ReturnType<typeof word>[],
  funding = 0,
): EncodedItem => ({
  relevance,
  move: { stores: 0, deals: 0, people: 0, results: 0, launches: 0, strategy: 0, rules: 0, other: 0, [move]: 9 },
  title,
  roles: [],
  tags: { title, summary: '', words, classes: [1 - funding, funding, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0] },
  vector: { by: 'a test', values: '' },
  meaning: null,
});

describe('the verdict on an item', () => {
  const say = (title: string, summary: string | null = null) =>
    understandItem(itemOf(title, summary), smallCatalogue, { explain: true });

  describe('understanding an item', () => {
    test.each([
      ['Nykaa Opens First Store in Pune', 'stores'],
      ['{Funding Alert} Snack Brand Swadling Raises Rs 10 Cr in Seed Round', 'deals'],
      ['Trent Appoints Sanjana Rao as CEO', 'people'],
      ['Trent Q1 FY27 Revenue Rises 19 Pc to Rs 5,000 Cr', 'results'],
      ['Nykaa Launches Vitamin C Skincare Range', 'launches'],
      ['FSSAI sends notice to Zepto over misleading labels', 'rules'],
    ])('given "%s", then it is a relevant move: %s', (title, move) => {
      const verdict = say(title);
      expect(verdict).toMatchObject({ relevant: true, reason: 'move', understanding: { move } });
      expect(verdict.reasons.map(({ field }) => field)).toEqual(expect.arrayContaining(['relevant', 'move', 'brands']));
    });

    test.each([
      ['Retail Word of the Day: Planogram', 'glossary entry', false],
      ["Swadling's Big Bet, Layoffs At Kitaab & More", 'round-up of several stories', true],
      ['Retail briefs: news and updates of the day (March 3, 2026)', 'round-up of several stories', true],
      ['OpenAI raises $30 billion for AI chips', 'general technology', false],
    ])('given "%s", then it is noise: %s', (title, reason, roundup) => {
      expect(say(title)).toMatchObject({ relevant: false, reason, roundup });
    });

    test.each([
      ['Nykaa Opens First Store in Leeds', 'news of another country'],
      ['Nykaa Opens First Store in Pune', 'move'],
      ['Nykaa Opens Store, Its First Outside India', 'move'],
    ])('given "%s" of a foreign outlet, then it is %s', (title, reason) => {
      const item = { ...itemOf(title), url: 'https://highstreet.example/news/one' };
      expect(understandItem(item, smallCatalogue)).toMatchObject({ reason, relevant: reason === 'move' });
    });

    test('given noise, then its fields are still filled, for matching', () => {
      const { understanding } = say("Nykaa's New Store, Zepto's Funding & More");
      expect(understanding.brands.map((brand) => brand.slug)).toContain('nykaa');
    });

    test('given an item that may be no move of this business, then its facts are not published', () => {
      const title = 'Swadling Raises Rs 10 Cr in Seed Round';
      // The second reader agrees: funding of Swadling, of ten crore.
      const opinion = (relevance: number) =>
        encodedAs('deals', title, relevance, [word(0, 8, { 0: 0.99 }), word(19, 21, { 2: 0.99, 11: 0.99 })], 0.99);
      const verdicts = Array.from({ length: 121 }, (_, step) =>
        understandItem(itemOf(title), smallCatalogue, { encoded: opinion((step - 60) / 2) }),
      ).filter(({ relevant }) => relevant);
      expect(verdicts[0]?.understanding).toMatchObject({ move: 'deals', deal: null });
      expect(verdicts.at(-1)?.understanding.deal).toMatchObject({ type: 'funding', amount: '₹10 Cr' });
    });

    test('given a second reader, then a deal is published where it agrees or the headline states it plainly, and held back else', () => {
      const read = (title: string, target: number, amount: number) => {
        const words = [word(0, 8, { 0: target }), word(19, 21, { 2: amount })];
        return understandItem(itemOf(title), smallCatalogue, { encoded: encodedAs('deals', title, 9, words, 0.9) });
      };
      const [indirect, plain] = ['Swadling Closes Rs 10 Cr in Seed Round', 'Swadling Raises Rs 10 Cr in Seed Round'];
      const deal = { target: 'Swadling', amount: '₹10 Cr' };
      expect(read(indirect, 0.9, 0.9).understanding.deal).toMatchObject(deal);
      expect(read(plain, 0.02, 0.02).understanding.deal).toMatchObject(deal);
      const held = read(indirect, 0.02, 0.02);
      expect(held.understanding.deal).toBeNull();
      expect(held.facts).toMatchObject([{ kind: 'deals', isPublished: false }]);
    });

    test('given a person with a seat in an item that may be no move, then the person is published', () => {
      const title = 'Swadling hires Sanjana Rao as CEO';
      const verdicts = Array.from({ length: 121 }, (_, step) =>
        understandItem(itemOf(title), smallCatalogue, {
          encoded: encodedAs('people', title, (step - 60) / 2, [word(15, 26, { 8: 0.99 })]),
        }),
      ).filter(({ relevant }) => relevant);
      expect(verdicts[0]?.certainty.relevance).toBeLessThan(0.65);
      expect(verdicts[0]?.understanding.people).toMatchObject([{ person: 'Sanjana Rao', role: 'CEO' }]);
    });

    test('given an item without a date, then no date is invented', () => {
      const { understanding } = understandItem(itemOf('Nykaa opens store on Monday', null, null), smallCatalogue);
      expect(understanding.event_at).toBeNull();
    });

    test.each([
      ['Nykaa opens store in Pune', 'The store opened on 17 July.', '2026-07-16T18:30:00.000Z'],
      ['Nykaa feels the duty', 'The duty was raised with effect from 2 June.', null],
      ['Nykaa to open store in Pune on 30 September', null, '2026-09-29T18:30:00.000Z'],
    ])(
      'given "%s" and the day of something else below, then only a near day is the event',
      (title, summary, expected) => {
        expect(say(title, summary).understanding.event_at).toBe(expected);
      },
    );

    test('given any text, then the result is a complete understanding', () => {
      const nasty = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc
          .array(
            fc.constantFrom(
              'Nykaa',
              'opens',
              'Rs',
              '₹',
              '1,000',
              'Cr',
              '%',
              "'s",
              '&amp;',
              '<b>',
              ':',
              ',',
              'stake',
              'in',
              'CEO',
              'of',
              'Pune',
              '–',
              'FY27',
              'on Monday',
              '\u202e',
              '"',
              '31 February',
            ),
          )
          .map((words) => words.join(' ')),
      );
      fc.assert(
        fc.property(nasty, fc.option(nasty), nasty, (title, summary, url) => {
          const verdict = understandItem({ title, summary, url, outlet: '', published_at: url }, smallCatalogue);
          expect(Understanding.safeParse(verdict.understanding).error).toBeUndefined();
        }),
        { numRuns: 300 },
      );
    });

    test.each([
      'A'.repeat(100_000),
      'Opens store in '.repeat(7_000),
      '<'.repeat(100_000),
      '1,'.repeat(50_000),
      "x's ".repeat(25_000),
      'Aa Bb '.repeat(17_000),
      '&amp;'.repeat(20_000),
    ])('given a hostile text of 100 KB, then its cost is bounded (%#)', (text) => {
      const spent = processorTime();
      understandItem({ title: text, summary: text, url: text, outlet: text, published_at: text }, smallCatalogue);
      expect(spent()).toBeLessThan(500);
    });
  });
});

describe('labels, noise and stores of an item', () => {
  describe('the label of a move', () => {
    test.each([
      ['Nykaa Opens First Store in Pune', 'Store opening'],
      ['Nykaa Plans 35 New Stores Ahead of Diwali', 'Store plans'],
      ['Nykaa closes 12 stores', 'Store closure'],
      ['Nykaa to open two malls by FY29', 'Store plans'],
      ['Nykaa opens Rs 400 Cr plant in Nashik', 'Investment'],
      ['Snack Brand Swadling Raises Rs 10 Cr in Seed Round', 'Funding'],
      ['Trent Appoints Sanjana Rao as CEO', 'Appointment'],
      ["Trent's founders to exit Nykaa", 'Exit'],
      ['Trent Q1 FY27 Revenue Rises 19 Pc to Rs 5,000 Cr', 'Quarterly results'],
      ['Nykaa Launches Vitamin C Skincare Range', 'Product launch'],
      ['FSSAI sends notice to Zepto over misleading labels', 'Notice'],
    ])('given "%s", then it is %s', (title, kind) => {
      expect(understandItem(itemOf(title), smallCatalogue).understanding.kind).toBe(kind);
    });
  });

  describe('the reason for noise', () => {
    test.each([
      ['Nykaa shares in focus today', 'share tips or market talk'],
      ['Should you buy, sell or hold Trent?', 'share tips or market talk'],
      ['11 cafes in Pune to work from this weekend', 'listicle or guide'],
      ['Morning digest: Nykaa, Zepto in focus', 'round-up of several stories'],
      ['Nykaa sale - up to 40% off on lipsticks', 'promotion or shopping guide'],
      ['Opinion: Why malls will outlive us all', 'opinion'],
      ['[Sponsored] How Nykaa makes gifting easy', 'promotion or shopping guide'],
      ['Explainer: Why malls outlive us all', 'explainer'],
      ['Brand Connect: Nykaa opens a world of skincare', 'promotion or shopping guide'],
    ])('given "%s", then it is %s, with the words that decided', (title, reason) => {
      const verdict = understandItem(itemOf(title), smallCatalogue, { explain: true });
      expect(verdict).toMatchObject({ relevant: false, reason });
      expect(verdict.reasons.find(({ field }) => field === 'relevant')?.words).not.toBe('');
    });
  });

  describe('places of openings', () => {
    test('given two cities, then there is an opening in each', () => {
      const { openings } = understandItem(
        itemOf('Nykaa Opens Two Stores in Pune and Bengaluru'),
        smallCatalogue,
      ).understanding;
      expect(openings.map(({ city, stores }) => [city, stores])).toEqual([
        ['Pune', 1],
        ['Bengaluru', 1],
      ]);
    });
    test('given a part of a city, then the part and its city are read', () => {
      const { openings, cities } = understandItem(
        itemOf('Nykaa Opens Store in Koramangala'),
        smallCatalogue,
      ).understanding;
      expect(cities).toEqual(['Bengaluru']);
      expect(openings).toMatchObject([{ city: 'Bengaluru', locality: 'Koramangala' }]);
    });
  });
});
