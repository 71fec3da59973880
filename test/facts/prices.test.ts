/** Changes of prices as headlines write them, and what looks like one and is none. All texts are invented. */
import { describe, expect, it, test } from 'vitest';
import { readPrices } from '../../facts/prices/read.ts';
import { pricesTable } from '../../facts/prices/table.ts';
import { readCities } from '../../facts/text/places.ts';
import { inspectItem, understandItem } from '../../ingest/understand/understand-item.ts';
import { factModel } from '../../projector/models/reported-parts.ts';
import type { Move } from '../../schemas/scalar.ts';
import { itemOf, smallCatalogue } from '../ingest/understand/small-catalogue.ts';
import { specification } from '../projector/given-when-then.ts';
import { detected, idOf, report, reported, understanding } from '../projector/signal-events.ts';

const pricesOf = (title: string, move: Move = 'launches') => {
  const { reading, brands } = inspectItem(itemOf(title), smallCatalogue);
  const primary = brands.filter(({ role }) => role === 'primary');
  return readPrices({ reading, move, primary, cities: readCities(reading, move, smallCatalogue) });
};
/** `direction brand: product, from, to, by, per cent`, with `-` for null. */
const read = (title: string, move?: Move): string[] =>
  pricesOf(title, move).map(
    ({ direction, brand, product, from, to, by, change_pct }) =>
      `${direction} ${brand}: ${[product, from, to, by, change_pct].map((one) => one ?? '-').join(', ')}`,
  );

describe('prices that changed', () => {
  test.each([
    ['Zepto raises free delivery minimum to ₹299', ['raised Zepto: free delivery minimum, -, ₹299, -, -']],
    ['Zepto hikes handling fee from ₹10 to ₹12 per order', ['raised Zepto: handling fee, ₹10, ₹12 per order, -, 20']],
    ['Zepto cuts small cart fee by Rs 5', ['cut Zepto: small cart fee, -, -, ₹5, -']],
    ['Zepto raises platform fee 20% to ₹12', ['raised Zepto: platform fee, -, ₹12, 20%, 20']],
    ['Zepto doubles down on groceries, lowers delivery fee to ₹15', []],
    ["Haldiram's cuts ghee by ₹40", ["cut Haldiram's: ghee, -, -, ₹40, -"]],
    ["Haldiram's slashes soan papdi prices by 8%", ["cut Haldiram's: soan papdi, -, -, 8%, -8"]],
    ["Haldiram's trims bhujia price from ₹60 to ₹55", ["cut Haldiram's: bhujia, ₹60, ₹55, -, -8.3"]],
    ["Haldiram's takes badam drink to ₹40", ["set Haldiram's: badam drink, -, ₹40, -, -"]],
    ["Haldiram's brings badam drink from ₹50 to ₹40", ["cut Haldiram's: badam drink, ₹50, ₹40, -, -20"]],
    ['Hindustan Unilever hikes soap prices by 3-4%', ['raised Hindustan Unilever: soap, -, -, 3-4%, -']],
    [
      'HUL to raise detergent prices by up to 5% from January',
      ['raised Hindustan Unilever: detergent, -, -, up to 5%, -'],
    ],
    ['Hindustan Unilever increases prices across brands', ['raised Hindustan Unilever: -, -, -, -, -']],
    ['Hindustan Unilever raises prices worldwide', ['raised Hindustan Unilever: -, -, -, -, -']],
    ['Lenskart hikes membership fee', ['raised Lenskart: membership fee, -, -, -, -']],
    ['Lenskart membership to cost ₹100 more', ['raised Lenskart: membership, -, -, ₹100, -']],
    ['Zepto platform fee goes up to ₹14', ['raised Zepto: platform fee, -, ₹14, -, -']],
    ['Zepto delivery fee hiked to ₹25', ['raised Zepto: delivery fee, -, ₹25, -, -']],
    ['Nykaa lipsticks cheaper by ₹50', ['cut Nykaa: lipsticks, -, -, ₹50, -']],
  ])('given "%s", then %j', (title, expected) => {
    expect(read(title)).toEqual(expected);
  });

  test.each([
    // Only considered, expected, asked for, denied or taken back.
    'Zepto may raise platform fee to ₹12',
    'Zepto mulls raising delivery fee to ₹20',
    'Zepto likely to hike handling fee by ₹2',
    'Hindustan Unilever plans to hike prices by 5%',
    'Hindustan Unilever expected to cut soap prices',
    'Sellers urge Nykaa to cut fees to ₹5',
    'Zepto denies plan to raise platform fee to ₹15',
    'Zepto rolls back platform fee hike to ₹10',
    'Will Zepto raise its delivery fee to ₹30?',
    'Why Zepto raised its delivery fee to ₹30',
    // Shares and money of the company itself.
    'Trent shares cut to ₹4,900 target price by broker',
    'Brokerage raises Trent price target to ₹6,200',
    'Lenskart sets IPO price band, raises issue price to ₹402',
    'Zepto raises ₹3,000 crore',
    'Zepto raises $300 million at a higher price',
    'Zepto raises valuation to $7 billion',
    'Tata raises stake in Trent to 40%',
    'Nykaa cuts costs by 10%',
    'Nykaa cuts loss to ₹12',
    'Lenskart hikes wages by ₹2,000',
    'Zepto raises average order value to ₹540',
    "Haldiram's increases revenue by 12%",
    // Rates of markets.
    'Petrol price hiked to ₹104, Zepto riders protest',
    'Gold price rises to ₹9,800 as Trent opens store',
    // The discounts of a sale.
    'Nykaa cuts prices by 50% in Pink Friday Sale',
    'Nykaa slashes lipstick prices with flat 30% off',
    // Not the one who changes it, or nothing that is sold.
    'Rivals cut delivery fee to ₹10 as Zepto grows',
    'Trent opens store, rents up by ₹40',
    'Zepto drops handling fee for large orders',
    'Zepto cuts delivery time to 8 minutes',
    'Nykaa raises the bar',
    // A sum that contradicts its verb.
    "Haldiram's cuts ghee price from ₹600 to ₹640",
  ])('given "%s", then none', (title) => {
    expect(read(title)).toEqual([]);
  });

  it('given a move of people or a deal, then none', () => {
    expect(read('Zepto raises platform fee to ₹12', 'deals')).toEqual([]);
  });

  it('given a place and a day, then both', () => {
    expect(pricesOf("Haldiram's hikes samosa price to ₹20 in Pune from 1 December")).toMatchObject([
      { place: 'Pune', effective: '2026-12-01', to: '₹20' },
    ]);
  });

  it('given an item of a move, then the story states the change', () => {
    const { understanding: story } = understandItem(itemOf('Zepto raises platform fee to ₹12'), smallCatalogue, {
      confidence: null,
    });
    expect(story.prices).toMatchObject([{ brand: 'Zepto', product: 'platform fee', to: '₹12' }]);
    expect(understandItem(itemOf('Zepto opens dark store in Pune'), smallCatalogue).understanding).not.toHaveProperty(
      'prices',
    );
  });
});

describe('rows of prices', () => {
  const fee = {
    brand: 'Kiri Foods',
    product: 'ghee',
    direction: 'cut',
    from: null,
    to: '₹600',
    by: null,
    change_pct: null,
    place: null,
    effective: null,
  } as const;
  const { given } = specification(factModel(pricesTable, 'prices'));

  it('given a change, when another outlet reports it with what it lacks, then it is one row that is complete', () => {
    const other = { ...understanding(), prices: [{ ...fee, from: '₹640', change_pct: -6.3 }] };
    const rows = given([detected('one', { understanding: understanding({ prices: [fee] }) })])
      .when(reported('one', report('again', { outlet: 'Market Gazette' }), false, other))
      .records('prices', idOf('one'));

    expect(rows).toMatchObject([
      {
        brand_slug: 'kiri-foods',
        product: 'ghee',
        from_price: '₹640',
        to_price: '₹600',
        change_pct: -6.3,
        outlet: 'Market Gazette',
      },
    ]);
  });

  it('given a change of another product, then it is another row', () => {
    const other = { ...understanding(), prices: [{ ...fee, product: 'paneer' }] };
    const rows = given([detected('one', { understanding: understanding({ prices: [fee] }) })])
      .when(reported('one', report('again'), false, other))
      .records('prices', idOf('one'));

    expect(rows).toMatchObject([{ product: 'ghee' }, { product: 'paneer' }]);
  });
});
