/** Openings and closures as headlines write them. All texts are invented. */
import { describe, expect, it, test } from 'vitest';
import type { Opening } from '../../../facts/openings/fields.ts';
import { findOpener, readOpenings } from '../../../facts/openings/read.ts';
import type { TaggedText } from '../../../facts/tagged-text.ts';
import { readItem } from '../../../facts/text/item-reading.ts';
import { readCities } from '../../../facts/text/places.ts';
import { understandItem } from '../../../ingest/understand/understand-item.ts';
import type { Move } from '../../../schemas/scalar.ts';
import { brandRef } from '../../projector/signal-events.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

/** `status stores city`, with `-` for null. */
const read = (title: string, { summary = '', move = 'stores' as Move } = {}): string[] => {
  const reading = readItem(itemOf(title, summary), smallCatalogue);
  const cities = readCities(reading, move, smallCatalogue);
  return readOpenings(reading, 'Nykaa', cities, move).map(
    ({ status, stores, city }) => `${status} ${stores ?? '-'} ${city ?? '-'}`,
  );
};

test.each(['New Delhi: ', 'DELHI, March 20 (Reuters) - ', 'Delhi – '])(
  'given a summary that begins with the place of its writing, "%s", then nothing opens there',
  (dateline) => {
    const reading = readItem(
      itemOf('Nykaa opens store in Pune', `${dateline}Nykaa has opened a new store.`),
      smallCatalogue,
    );
    const tagged = { says: () => 0.9 } as unknown as TaggedText;
    expect(readCities(reading, 'stores', smallCatalogue, tagged)).toEqual(['Pune']);
  },
);

describe('stores that opened, are planned, or closed', () => {
  test.each([
    // One store, whatever number it has in the chain.
    ['Nykaa opens its 12th store in Pune’s Phoenix Mall', ['opened 1 Pune']],
    ['Nykaa Opens 170th Store in Delhi', ['opened 1 Delhi']],
    ['Nykaa enters Pune with first flagship store', ['opened 1 Pune']],
    ['Nykaa opens Pune store, takes count to 170', ['opened 1 Pune']],
    ['Nykaa Opens Third Store in Pune, Plans Major Expansion', ['opened 1 Pune']],
    ['Nykaa eyes metros; opens first luxe store in Delhi', ['opened 1 Delhi']],
    ['Nykaa inaugurates new showroom at Lakeside Mall', ['opened 1 Bengaluru']],
    // Several.
    ['Nykaa opens five new stores across India', ['opened 5 -']],
    ['Nykaa adds 25 kiosks at metro stations in Delhi', ['opened 25 Delhi']],
    ['Nykaa opens stores in Pune and Delhi', ['opened - Pune', 'opened - Delhi']],
    ['Nykaa opens two stores, one each in Pune and Delhi', ['opened 1 Pune', 'opened 1 Delhi']],
    // Planned.
    ['Nykaa to open 100 stores by FY28', ['planned 100 -']],
    ['Nykaa to enter the jewellery trade with 400 stores', ['planned 400 -']],
    ['Nykaa plans 35 new stores ahead of Diwali', ['planned 35 -']],
    ['Nykaa targets Rs 340 crore in sales and 10 stores by 2029', ['planned 10 -']],
    ['Nykaa to invest Rs 150 crore, plans 100 experience stores by 2027', ['planned 100 -']],
    ['Nykaa to open twenty-five stores by 2030', ['planned 25 -']],
    ['Nykaa leases space in Pune for new store', ['announced - Pune']],
    // Closed.
    ['Nykaa shuts 30 outlets in Delhi', ['closed 30 Delhi']],
    ['Nykaa closes Pune store', ['closed 1 Pune']],
    ['Nykaa shuts 14 loss-making stores, will open 20 in better places', ['closed 14 -']],
    ['Nykaa shuts 14 loss-making stores, will open 20 stores in better places', ['closed 14 -', 'planned 20 -']],
    ['Nykaa adds half a dozen kiosks in Pune', ['opened 6 Pune']],
    ['Nykaa to add two dozen beauty stores', ['planned 24 -']],
    ['Nykaa raises ₹90 crore; 70 stores on the anvil', ['planned 70 -']],
    ['Nykaa picks local partner; first store by H2 2027', ['planned - -']],
    ['Nykaa inks MoU for beauty store in Surat', ['announced - Surat']],
    ['Nykaa shuts flagship in Pune’s old town', ['closed 1 Pune']],
    ['30 outlets of Nykaa to shut in Delhi', ['closed 30 Delhi']],
    ['12 Nykaa stores shut down across India', ['closed 12 -']],
    ['Nykaa opens 3 stores close to Pune', ['opened 3 Pune']],
    ['126 Nykaa outlets in Delhi still open', []],
    ['Nykaa plans expansion to 24 stores', ['planned 24 -']],
    ['Nykaa lines up 140 store openings', ['planned 140 -']],
    ['2 new Nykaa Luxe stores open across Pune', ['opened 2 Pune']],
    ['Trent adds three Nykaa shops in Pune, takes city tally to 14', ['opened 3 Pune']],
    ['Nykaa shuts four airport stores in Pune', ['closed 4 Pune']],
    ['Nykaa picks Pune for its next store', ['planned - Pune']],
    ['Nykaa takes anchor space at Lakeside Mall', ['announced - Bengaluru']],
    ['Pune loses its Nykaa', ['closed - Pune']],
    ['At 900 stores, Nykaa picks Pune for the milestone', ['opened - Pune']],
    // Many stores of which the first is in a city.
    ['Nykaa lines up 140 stores, Pune first', ['planned 140 -']],
    // A name that is also a word is a city in a list of cities.
    ['Nykaa opens stores in Surat, Nashik and Mau', ['opened - Surat', 'opened - Nashik', 'opened - Mau']],
    // The city that a brand comes from is not where it opens.
    ['Nykaa expands beyond Delhi to Pune', ['opened - Pune']],
  ])('given "%s", then it is %j', (title, expected) => {
    expect(read(title)).toEqual(expected);
  });

  it('given several stores without a city, then those that only the summary names are not theirs', () => {
    const summary = 'The chain will keep its outlets at Pune and Delhi.';

    expect(read('Nykaa shuts four airport stores to cut rent', { summary })).toEqual(['closed 4 -']);
  });

  it('given many stores and a city that only the summary names, then they are not all in that city', () => {
    const summary = 'The hundredth opened in Pune.';
    expect(read('Nykaa plants 100 stores in small towns', { summary })).toEqual(['opened 100 -']);
  });

  it('given a mall of this name in another city, then the store is in the city, and in no known mall', () => {
    const reading = readItem(itemOf('Nykaa opens at Lakeside Mall in Pune'), smallCatalogue);
    expect(readOpenings(reading, 'Nykaa', ['Pune'], 'stores')).toMatchObject([{ city: 'Pune', mall: null }]);
  });

  it('given a plan that only the summary counts, then it is read', () => {
    const summary = 'The retailer plans to open 28 new stores this fiscal year.';
    expect(read('How Nykaa wants to win small towns', { summary, move: 'strategy' })).toEqual(['planned 28 -']);
  });
});

describe('totals: never shown as opened', () => {
  test.each([
    'Nykaa reaches 170 stores',
    'Nykaa reaches 500 stores with Pune opening',
    'Nykaa crosses 2,000 stores in India',
    'Nykaa takes its network to 730 stores nationwide',
    'Nykaa takes India store network to 31',
    'Nykaa doubles store count to 120 in a year',
    'Nykaa takes count to 170 stores',
    'Nykaa now has 300 outlets',
    'At 900 stores, Nykaa looks for more',
    'Nykaa crosses the 290-store mark',
  ])('given "%s", then how many are new is unknown', (title) => {
    expect(read(title).map((row) => row.split(' ')[1])).toEqual(['-']);
  });
});

describe('what is no opening', () => {
  test.each([
    ['shops of others', 'Nykaa lipstick now across 37,000 outlets'],
    ['distribution', 'Nykaa takes skincare range to market through 2,000 stores'],
    ['a presence that counts nothing', 'Nykaa strengthens omnichannel presence across India'],
    ['a retreat', 'Nykaa to slash footprint by half to 40 cities'],
    ['another country', 'Nykaa opens first store in Nepal'],
    ['a store abroad by its country', 'Nykaa expands with new Canada store'],
    ['a pop-up', 'Nykaa brings weekend pop-up to malls'],
    ['a growing market', 'Mattress market in Pune expands 19%'],
    ['a plan that was dropped', 'Nykaa scraps plan to open 40 stores'],
    ['a plan that is denied', 'Nykaa has no plans to open stores in Pune, says founder'],
  ])('given %s, then there is none: "%s"', (_, title) => {
    expect(read(title)).toEqual([]);
  });

  test.each(['launches', 'strategy', 'deals', 'other', 'results'] as const)(
    'given a move of kind %s without a store that opens, then there is none',
    (move) => {
      expect(read('Nykaa launches new lipstick range at Pune store', { move })).toEqual([]);
      expect(read('Nykaa bets on AI to grow in Pune', { move })).toEqual([]);
    },
  );

  it('given a store that opens and another kind of move, then it counts', () => {
    expect(read('Nykaa opens in Pune with all-day dining', { move: 'launches' })).toEqual(['opened - Pune']);
    expect(read('Nykaa wins approval for its IPO and for 13 new stores', { move: 'deals' })).toEqual(['planned 13 -']);
  });

  it('given people or rules, then there is none', () => {
    expect(read('Nykaa opens 12 stores', { move: 'people' })).toEqual([]);
    expect(read('Nykaa opens 12 stores', { move: 'rules' })).toEqual([]);
  });

  test.each(['Nykaa opens 40 screens in Pune', 'Nykaa adds 12 warehouses', 'Nykaa adds 3,000 points of sale'])(
    'given things that are no stores, then none is counted: "%s"',
    (title) => {
      expect(
        read(title)
          .map((row) => row.split(' ')[1])
          .filter((stores) => stores !== '-'),
      ).toEqual([]);
    },
  );
});

describe('the brand that opens', () => {
  const brands = [brandRef('trent', 'Trent'), brandRef('westside', 'Westside', 'secondary')];
  test.each([
    ['Trent opens Westside store in Pune', 'Westside'],
    ['Trent expands Westside retail network', 'Westside'],
    ['Trent opens in Pune, as did Westside', 'Trent'],
  ])('given "%s", then it is %s', (title, expected) => {
    expect(findOpener(readItem(itemOf(title), smallCatalogue), brands, smallCatalogue)).toBe(expected);
  });

  it('given the delivery service of a company by its own word alone, then it is the service', () => {
    const nykaa = brandRef('nykaa', 'Nykaa');
    const opener = (title: string) => findOpener(readItem(itemOf(title), smallCatalogue), [nykaa], smallCatalogue);
    expect(opener('Nykaa takes its rapid delivery ‘Turant’ to 40 towns')).toBe('Nykaa Turant');
    expect(opener('Nykaa takes its rapid delivery to 40 towns')).toBe('Nykaa');
  });
});

describe('openings that only an operator publishes', () => {
  const understood = (title: string) => {
    const { understanding, facts } = understandItem(itemOf(title), smallCatalogue, { confidence: null });
    const read = facts.flatMap(({ kind, fact }) => (kind === 'openings' ? [(fact as Opening).stores] : []));
    return { read, published: understanding.openings.map(({ stores }) => stores) };
  };

  it.each([
    ['Nykaa plans to open 501 stores in India by 2030', 501],
    ["Haldiram's opens 150 outlets in Delhi", 150],
    ['Hindustan Unilever to open 400 outlets in Pune', 400],
  ])('given "%s", then it is read and held back', (title, stores) => {
    expect(understood(title)).toEqual({ read: [stores], published: [] });
  });

  it.each([
    ['Nykaa plans to open 500 stores in India by 2030', 500],
    ['Nykaa opens 620 stores in India', 620],
    ["Haldiram's opens 40 outlets in Delhi", 40],
    ['Nykaa shuts 600 stores in India', 600],
  ])('given "%s", then it is published', (title, stores) => {
    expect(understood(title)).toEqual({ read: [stores], published: [stores] });
  });
});
