/** Figures of signals as rows: whose they are, how much, and what is no row. */

import { describe, expect, it } from 'vitest';
import {
  dealStatusOf,
  isMetric,
  moneyRows,
  networkLine,
  peopleRows,
  resultRows,
  type StoreStatus,
  signalRows,
  sizeOf,
  storeRows,
  sumInRupees,
  sumsOf,
} from '../../answer/figures.ts';
import type { Deal } from '../../facts/deals/fields.ts';
import type { Opening } from '../../facts/openings/fields.ts';
import { formatMoney } from '../../language/money.ts';
import { appointment, opening, result } from '../projector/signal-events.ts';
import { dealt, evidence } from './evidence.ts';

describe('the size of a move', () => {
  it('given money that goes into a plant, then it is that money; a target is none', () => {
    const plan = (headline: string) => evidence(headline, 'kiri-foods', { signal: { move: 'strategy' } });

    expect(sizeOf(plan('Kiri Foods to invest Rs 700 crore in a plant'))).toBe(7e9);
    expect(sizeOf(plan('Kiri Foods targets Rs 700 crore revenue'))).toBeNull();
  });
});

it('given a plan whose number only another report states, then the row has it', () => {
  const plan = opening({ brand: 'Kiri Foods', city: null, stores: null, status: 'announced' });
  const own = evidence('Kiri Foods chalks out its expansion', 'kiri-foods', { openings: [plan] });
  const [report] = own.reports;
  const other = { ...report, facts: { ...own.facts, openings: [{ ...plan, stores: 11 }] } } as NonNullable<
    typeof report
  >;

  expect(storeRows([{ ...own, reports: [...own.reports, other] }], 'planned')).toMatchObject([
    { value: 11, isStated: true },
  ]);
});

describe('stores of several cities', () => {
  const closed = (headline: string, stores: number | null = null) =>
    evidence(headline, 'kiri-foods', {
      openings: ['Pune', 'Nagpur'].map((city) => opening({ brand: 'Kiri Foods', city, stores, status: 'closed' })),
    });

  it('given one number for all of them, then they are one row of that number; in one city, at least one', () => {
    const one = closed('Kiri Foods shuts 12 cafes in Pune and Nagpur');

    expect(storeRows([one], 'closed')).toMatchObject([{ value: 12, city: null, isStated: true, brand: 'kiri-foods' }]);
    expect(storeRows([one], 'closed', ['Pune'])).toMatchObject([{ value: 1, city: 'Pune', isStated: false }]);
    expect(storeRows([one], 'closed', [], true)).toMatchObject([{ city: 'Pune' }, { city: 'Nagpur' }]);
  });

  it.each([
    ['a number for each city', closed('Kiri Foods shuts 12 cafes in Pune and Nagpur', 6), [6, 6]],
    ['how many there are', closed('Kiri Foods, which now has 90 cafes, shuts those in Pune and Nagpur'), [1, 1]],
    [
      'a network that grows to a number',
      evidence('Kiri Foods expands to 1,000 stores in Pune and Nagpur', 'kiri-foods', {
        openings: [opening({ brand: 'Kiri Foods', stores: 1, status: 'closed' })],
      }),
      [1],
    ],
    ['no number', closed('Kiri Foods shuts cafes in Pune and Nagpur'), [1, 1]],
  ])('given %s, then each city is a row', (_, one, values) => {
    expect(storeRows([one], 'closed').map(({ value }) => value)).toEqual(values);
  });
});

describe('rows of money', () => {
  it('given an amount, then it is written as the signal writes it, and is of the company that raised it', () => {
    const rows = moneyRows([dealt('Kiri Foods raises Rs. 60 crore from Asha', { amount: '₹60 Cr' })], 'raised');

    expect(rows).toMatchObject([{ brand: 'kiri-foods', currency: 'INR', value: 6e8, written: 'Rs. 60 crore' }]);
  });

  it.each<[string, string, Partial<Deal>]>([
    ['an amount that is sought', 'Kiri Foods to raise Rs 300 crore from shareholders', { amount: '₹300 Cr' }],
    [
      'a report that is not sure',
      'Kiri Foods raises ₹300 Cr, eyes Dubai: report',
      { amount: '₹300 Cr', status: 'rumoured' },
    ],
    ['a rumour', 'Kiri Foods bags ₹300 Cr', { amount: '₹300 Cr', status: 'rumoured' }],
    ['an issue to come', 'Kiri Foods files for ₹900 Cr IPO', { amount: '₹900 Cr', type: 'ipo' }],
    ['an amount that its text does not have', 'Kiri Foods raises money', { amount: '₹60 Cr' }],
    ['the price of a product', 'Kiri Foods raises price of snacks to Rs 60', { amount: '₹60' }],
    ['no amount', 'Kiri Foods raises money', {}],
    ['a stake that a holder sells', 'Asha sells ₹90 Cr of Kiri Foods', { amount: '₹90 Cr', type: 'stake_sale' }],
    ['a purchase', 'Kiri Foods buys Lime for ₹90 Cr', { amount: '₹90 Cr', type: 'acquisition' }],
  ])('given %s, then nothing was raised', (_, headline, changes) => {
    expect(moneyRows([dealt(headline, changes)], 'raised')).toEqual([]);
  });

  it('given a purchase and a stake sale, then each is a row of its own kind, a purchase one of its buyer', () => {
    const bought = dealt('Kiri Foods buys Lime for ₹90 Cr', {
      amount: '₹90 Cr',
      type: 'acquisition',
      target: 'Lime',
      buyers: ['Kiri Foods'],
    });
    const sold = dealt('Asha sells ₹20 Cr of Kiri Foods', { amount: '₹20 Cr', type: 'stake_sale' });

    expect(moneyRows([bought, sold], 'spent')).toMatchObject([{ brand: 'kiri-foods', value: 9e8 }]);
    expect(moneyRows([bought, sold], 'sold')).toMatchObject([{ brand: 'kiri-foods', value: 2e8 }]);
  });

  it('given several currencies, then each has its own sum, the larger in rupees first', () => {
    const rows = moneyRows(
      [
        dealt('Kiri Foods raises ₹60 crore', { amount: '₹60 Cr' }),
        dealt('Kiri Foods gets $12.5 million', { amount: '$12.5 Mn' }),
        dealt('Kiri Foods nets ₹30 Cr', { amount: '₹30 Cr' }),
      ],
      'raised',
    );

    expect(sumsOf(rows).map(({ currency, value }) => formatMoney(currency, value))).toEqual([
      '$12.5 million',
      '₹90 crore',
    ]);
    expect(sumInRupees(rows)).toBe(9e8 + 12.5e6 * 88);
  });

  it.each([
    ['INR', 59e8, '₹590 crore'],
    ['INR', 45e5, '₹45 lakh'],
    ['USD', 82e6, '$82 million'],
    ['USD', 1.5e9, '$1.5 billion'],
    ['AED', 2e6, 'AED 2 million'],
    ['', 1200, '1,200'],
  ])('given %s %d, then it reads %j', (currency, value, text) => {
    expect(formatMoney(currency, value)).toBe(text);
  });
});

describe('how far a deal has come', () => {
  it.each([
    ['Kiri Foods raises ₹60 Cr, eyes Dubai next', 'rumoured', 'agreed'],
    ['Kiri Foods raises ₹60 Cr to open shops, targets Rs 900 crore', 'rumoured', 'agreed'],
    ['Kiri Foods raises ₹60 Cr, eyes Dubai: report', 'rumoured', 'rumoured'],
    ['Kiri Foods eyes Dubai after it raises ₹60 Cr', 'rumoured', 'rumoured'],
    ['Kiri Foods to buy Lime', 'agreed', 'agreed'],
    ['Kiri Foods seeks ₹60 Cr', null, 'rumoured'],
    ['Kiri Foods leads race for Lime', null, 'rumoured'],
    ['Kiri Foods bags ₹60 Cr', null, null],
  ] as const)('given %j, which was read as %s, then it is %s', (headline, status, expected) => {
    expect(dealStatusOf(dealt(headline, { amount: '₹60 Cr', status }))).toBe(expected);
  });
});

describe('rows of stores', () => {
  const countOf = (changes: Partial<Opening>): Record<StoreStatus, number> => {
    const found = [evidence('Kiri Foods and its stores', 'kiri-foods', { openings: [opening(changes)] })];
    const sum = (status: StoreStatus): number => storeRows(found, status).reduce((all, { value }) => all + value, 0);
    return { opened: sum('opened'), closed: sum('closed'), planned: sum('planned') };
  };

  it.each<[Partial<Opening>, Partial<Record<StoreStatus, number>>]>([
    [{ stores: 2 }, { opened: 2 }],
    [{ stores: null }, { opened: 1 }],
    [{ stores: 4, status: 'closed' }, { closed: 4 }],
    [{ stores: 120, status: 'announced' }, { planned: 120 }],
    [{ stores: 7, status: 'planned' }, { planned: 7 }],
  ])('given the opening %j, then it counts %j', (changes, expected) => {
    expect(countOf(changes)).toEqual({ opened: 0, closed: 0, planned: 0, ...expected });
  });

  it('given a headline with the number of stores there are now, then none opened by it', () => {
    const now = evidence('Kiri Foods now has 9 shops in Pune', 'kiri-foods', { openings: [opening({ stores: null })] });

    expect(storeRows([now], 'opened')).toEqual([]);
  });

  it('given openings of several cities, then there is a row for each; given cities, then not for those elsewhere', () => {
    const openings = [
      opening({ stores: 3 }),
      opening({ stores: null, city: 'Nagpur' }),
      opening({ stores: 7, city: null }),
    ];
    const found = [evidence('Kiri Foods and others open', 'kiri-foods', { openings })];
    const [pune, nagpur, nowhere] = [
      { brand: 'kiri-foods', city: 'Pune', value: 3, isStated: true },
      { brand: 'kiri-foods', city: 'Nagpur', value: 1, isStated: false },
      { city: null, value: 7 },
    ];

    expect(storeRows(found, 'opened')).toMatchObject([pune, nagpur, nowhere]);
    expect(storeRows(found, 'opened', ['Nagpur'])).toMatchObject([nagpur, nowhere]);
  });
});

describe('other rows', () => {
  it('given signals, then there is one row for each brand that one is about, and one for a signal without', () => {
    const rows = signalRows([evidence('Kiri Foods grows'), evidence('Duties rise', null)]);

    expect(rows.map(({ brand }) => brand)).toEqual(['kiri-foods', null]);
  });

  it('given people, then there is one row for each who is wanted', () => {
    const people = [appointment(), appointment({ person: 'Dev Shah', direction: 'left' })];
    const found = [evidence('Asha Rao joins as Dev Shah leaves', 'kiri-foods', { people })];

    expect(peopleRows(found, ({ direction }) => direction === 'left').map(({ written }) => written)).toEqual([
      'Dev Shah',
    ]);
    expect(peopleRows(found, () => true)).toHaveLength(2);
  });

  it('given results, then targets and those without a figure are no rows', () => {
    const results = [
      result(),
      result({ metric: 'expected revenue' }),
      result({ metric: 'profit', value: null, growth_pct: null }),
    ];

    expect(resultRows([evidence('Kiri Foods grows', 'kiri-foods', { results })]).map(({ result: one }) => one)).toEqual(
      [result()],
    );
  });

  it.each([
    ['profit', 'net profit', true],
    ['profit', 'revenue', false],
    ['revenue', 'fmcg revenue', true],
    ['any', 'footfall', true],
    ['same-store sales', 'like-for-like growth', true],
    ['margin', 'ebitda margin', true],
    ['unheard of', 'revenue', false],
  ])('given the metric %j of a question and %j of a signal, then they are the same: %j', (asked, metric, same) => {
    expect(isMetric(asked, metric)).toBe(same);
  });

  it('given deals, openings and results, then each has its size; a signal without a figure has none', () => {
    const sizes = [
      dealt('Kiri Foods raises $2 million', { amount: '$2 million' }),
      evidence('Kiri Foods opens', 'kiri-foods', { openings: [opening({ stores: 3 }), opening({ stores: null })] }),
      evidence('Kiri Foods grows', 'kiri-foods', { results: [result({ growth_pct: 18 })] }),
      evidence('Kiri Foods talks'),
    ].map(sizeOf);

    expect(sizes).toEqual([2e6 * 88, 4, 18, null]);
  });

  it('given a line with the total of stores, then it is found; a number that opened is none', () => {
    const summary = 'Kiri Foods now operates 412 stores.';

    expect(networkLine(evidence('Kiri Foods grows', 'kiri-foods', { signal: { summary } }))).toBe(summary);
    expect(networkLine(evidence('Kiri Foods opens 40 stores in Pune'))).toBeNull();
  });
});

it('given figures that only other reports of a signal state, then they are rows too, and one company, metric and period is one', () => {
  const first = result({ company: 'Kiri Foods', metric: 'profit', period: 'Q1 FY27', value: null, growth_pct: 12 });
  const more = [
    result({ company: 'Kiri Foods', metric: 'profit', period: 'Q1 FY27', value: '₹40 crore', growth_pct: null }),
    result({ company: 'Kiri Foods', metric: 'sales', period: 'Q1 FY27', value: '₹900 crore', growth_pct: null }),
  ];
  const known = evidence('Kiri Foods grows', 'kiri-foods', { results: [first] });
  const [own] = known.reports;
  const one = { ...known, reports: own ? [own, ...more.map((fact) => ({ ...own, facts: { result: fact } }))] : [] };

  expect(resultRows([one]).map(({ result: row }) => row)).toEqual([{ ...more[0], growth_pct: 12 }, more[1]]);
});
