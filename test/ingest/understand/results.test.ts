/** Results as headlines of a results season write them. All texts are invented. */
import { describe, expect, it, test } from 'vitest';
import { readResults } from '../../../facts/results/read.ts';
import { readItem } from '../../../facts/text/item-reading.ts';
import { brandRef } from '../../projector/signal-events.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

const brand = (name: string) => brandRef(name.toLowerCase().replaceAll(' ', '-'), name);

interface Given {
  readonly summary?: string;
  readonly primary?: readonly string[];
  readonly likely?: boolean;
  readonly day?: string;
}

const resultsOf = (title: string, { summary, primary = ['Trent'], likely = true, day = '2026-07-20' }: Given = {}) =>
  readResults(
    readItem(itemOf(title, summary ?? null, `${day}T06:30:00Z`), smallCatalogue),
    primary.map(brand),
    smallCatalogue,
    likely,
  ).map(({ fact }) => fact);

/** `metric growth value`, with `-` for null. */
const read = (title: string, given?: Given): string[] =>
  resultsOf(title, given).map(({ metric, growth_pct, value }) => `${metric} ${growth_pct ?? '-'} ${value ?? '-'}`);

test('given a change against the quarter before, also where only the summary says so, then it is no growth', () => {
  const title = 'Trent clocks 47.1 pc net profit decline at Rs 92 crore in Q1';
  const summary =
    'Trent reported a 47.1 per cent decline in its net profit at Rs 92 crore (quarter-on-quarter) in the April-June period.';
  expect(read(title, { summary })).toEqual(['profit - ₹92 Cr']);
  expect(read(title)).toEqual(['profit -47.1 ₹92 Cr']);
});

test.each([
  ['growth in "double digits"', 'Trent revenue grows in double digits in Q1'],
  ['growth in "high double digits"', 'Trent revenue rises in high double digits in Q1'],
  ['"double-digit growth"', 'Trent sees double-digit revenue growth in Q1'],
  ['growth against the quarter before', 'Trent Q1 revenue dips 4.8 pc sequentially'],
])('given %s as in "%s", then there is no growth, whatever the summary says', (_, title) => {
  const summary = 'Trent reported a 4.83 per cent decline in revenue on a sequential basis for the June quarter.';
  for (const given of [{}, { summary }])
    expect(resultsOf(title, given).map(({ growth_pct }) => growth_pct)).toEqual([null]);
});

test('given the growth of a loss before that of revenue, then each has its own', () => {
  const title = 'The losses of Trent saw a 66% rise in FY26 and revenue grew by 7.7%';
  expect(read(title)).toEqual(['loss 66 -', 'revenue 7.7 -']);
});

test('given the same item again, then its results are the same, each once', () => {
  const title = 'Nordhem leads growth in India in Q2 as sales surge 105%: Report';
  const given = { summary: 'Nordhem led the market in India in the second quarter of 2026.', primary: ['Nordhem'] };
  const first = resultsOf(title, given);
  expect(first).toHaveLength(1);
  expect(resultsOf(title, given)).toEqual(first);
});

test('given a target for the running year, then its period is that year, whatever year the summary closes', () => {
  const given = { summary: 'We closed FY26 at ₹1,005 crore, its chief said.' };
  expect(resultsOf('Trent targets over Rs 1,400 crore revenue this fiscal', given)).toMatchObject([{ period: 'FY27' }]);
});

describe('the metric, its growth and its value', () => {
  test.each([
    // Growth before and after the metric.
    ['Trent Q1 profit rises 11% to Rs 377 crore', ['profit 11 ₹377 Cr']],
    ['Trent Q1 PAT jumps 23% YoY to Rs 230 crore', ['profit 23 ₹230 Cr']],
    ['Trent Records 38 Pc Growth in Revenue for Q1 FY27', ['revenue 38 -']],
    ['Trent reports 28 per cent rise in net profit in June quarter', ['profit 28 -']],
    ['Trent Q1 results: Revenue up 12%, PAT down 3%', ['revenue 12 -', 'profit -3 -']],
    ['Trent business update: revenue at Rs 16,420 crore, up 15.9%', ['revenue 15.9 ₹16,420 Cr']],
    ['Trent logs 9% like-for-like growth in Q1', ['same-store sales 9 -']],
    ['Trent Q1 SSSG at 4% as malls fill up', ['same-store sales 4 -']],
    ['Trent business sees 34% year-on-year growth', ['sales 34 -']],
    ['Trent Net Jumps 31% To ₹90 Cr In Q1', ['profit 31 ₹90 Cr']],
    // Falls.
    ['Trent Q1 revenue falls 4%', ['revenue -4 -']],
    ['Trent Q1 revenue falls 4% from a year ago', ['revenue -4 -']],
    ['Trent Q1 profit at Rs 61 crore, Rs 66 crore a year ago', ['profit - ₹61 Cr']],
    ['Trent Q1 profit crashes 47% on higher rents', ['profit -47 -']],
    ['Trent sees 14% drop in quarterly profit', ['profit -14 -']],
    ['Warehouse costs drag Trent PAT 14% YoY to Rs 280 crore', ['profit -14 ₹280 Cr']],
    ['Trent Q1 profit 8% lower at Rs 61 crore', ['profit -8 ₹61 Cr']],
    ['Trent profit halves in Q1', ['profit -50 -']],
    ['Trent Q1 revenue growth slows to 6%', ['revenue 6 -']],
    // Losses: narrower is negative, wider positive, and a turn from one to the other has no growth.
    ['Trent in Q1: Loss Narrows by 46% YoY to ₹31 Cr', ['loss -46 ₹31 Cr']],
    ['Trent trims FY26 loss by 34% to Rs 91 crore', ['loss -34 ₹91 Cr']],
    ['Trent: net loss for Q4 widens to Rs 71.2 cr', ['loss - ₹71.2 Cr']],
    ['Trent loss widens 66% in FY26 as expansion weighs', ['loss 66 -']],
    ['Trent Q2 profit at Rs 39 crore against loss of Rs 12 crore a year ago', ['profit - ₹39 Cr']],
    ['Trent slips into loss in Q1', ['loss - -']],
    // Values.
    ['Trent revenue crosses Rs 1,000 Cr in FY26', ['revenue - ₹1,000 Cr']],
    ['Trent Reports ₹67 Cr Loss In Q1, Revenue Rises 39% YoY', ['revenue 39 -', 'loss - ₹67 Cr']],
    ['Trent earns Rs 206 crore, same-store growth 11.4%', ['same-store sales 11.4 -', 'profit - ₹206 Cr']],
    ['Trent Q1 profit falls by Rs 20 crore', ['profit - -']],
    ['Trent Q2: Revenue rises 17% to Rs 885 crore, profit falls 4%', ['revenue 17 ₹885 Cr', 'profit -4 -']],
    [
      'Trent narrows loss to Rs 11 crore, revenue grows 12%, same-store sales up 5%',
      ['revenue 12 -', 'loss - ₹11 Cr', 'same-store sales 5 -'],
    ],
    // Multiples: doubled is exact, `nearly doubled` is not.
    ['Trent FY26 Profit Doubles To ₹72 Cr', ['profit 100 ₹72 Cr']],
    ['Trent Q1 profit nearly doubles to Rs 72 crore', ['profit - ₹72 Cr']],
    ['Trent: Q1 Profit Grows Nearly 4X to Rs 27.3 Cr', ['profit - ₹27.3 Cr']],
    // Flat is reported, and no other metric takes its place.
    ['Trent FY26 Revenue Flat At ₹505 Cr, Loss Halves', ['revenue - ₹505 Cr', 'loss -50 -']],
    // A part of the company is named with it.
    ['Trent Q1 results: FMCG revenue up 7%', ['fmcg revenue 7 -']],
    ['Nykaa Q1: Fashion revenue up 31%', ['fashion revenue 31 -']],
  ])('given "%s", then it is %j', (title, expected) => {
    expect(read(title, { primary: [title.startsWith('Nykaa') ? 'Nykaa' : 'Trent'] })).toEqual(expected);
  });

  test.each([
    ['a margin', 'Trent Q1 EBITDA margin at 16%'],
    ['a share of the whole', 'Online contributes 15% to the sales of Trent'],
    ['a share of the whole in Q1', 'Small towns bring 40% of Trent Q1 revenue'],
    ['growth against the quarter before', 'Trent Q1 profit up 12% QoQ'],
    ['growth over years', 'Trent clocks 20% revenue CAGR over the last five years'],
    ['a range', 'Trent expects Q2 revenue growth of 8-10%'],
    ['a market share', 'Trent profit steady in Q1, market share up 3%'],
  ])('given %s, then it is no growth: "%s"', (_, title) => {
    expect(resultsOf(title).map(({ growth_pct }) => growth_pct)).toEqual(resultsOf(title).map(() => null));
  });
});

describe('what is no result', () => {
  test.each([
    ['a share price', 'Trent soars 8% as brokerages turn bullish'],
    ['a share price after results', 'Trent shares sink 10% on weak outlook'],
    ['weight loss', 'Trent launches snacks for post-weight-loss needs'],
    ['an investment', 'Trent sets aside Rs 310 crore for a new plant'],
    ['spending', 'Trent lifts ad spend to Rs 870 Cr in FY26'],
    ['pay', 'Trent chairman’s remuneration rises 6.8% in FY26'],
    ['headcount', 'Trent cuts employee count by 8% in FY26'],
    ['a target of a far year', 'Trent eyes Rs 12,000 Cr revenue by FY30'],
    ['a target joined to another', 'Trent eyes 640 stores and Rs 9,500 Cr revenue by FY29'],
    ['merchandise value and users', 'Trent app GMV up 40%, downloads double'],
    ['a question', 'Can Trent find another Rs 250 crore in revenue?'],
    ['stores', 'Trent opens 12 stores'],
    ['what households consume', 'Dearer pulses reshaped household consumption in FY26, says Trent chief'],
  ])('given %s, then there is none: "%s"', (_, title) => {
    expect(read(title, { likely: false })).toEqual([]);
  });

  it('given what households consume, then it is none where the models take it for results either', () => {
    expect(read('Dearer pulses reshaped household consumption in FY26, says Trent chief')).toEqual([]);
  });

  it('given the fall of a share because of results without a figure, then there is none', () => {
    const summary = 'Shares of the retailer lost as much as 6% in early trade.';
    expect(read('Trent Slumps 6% On Q1 Loss', { summary })).toEqual([]);
    expect(read('Trent Q1 loss slumps 6%', { summary })).toEqual(['loss -6 -']);
  });

  it('given a headline without figures, then it has a row only where the models take it for results', () => {
    expect(read('Trent posts strong Q1 profit on robust demand')).toEqual(['profit - -']);
    expect(read('Trent posts strong Q1 profit on robust demand', { likely: false })).toEqual([]);
  });
});

describe('targets and forecasts', () => {
  test.each([
    ['Trent targets revenue growth of 18% to Rs 15,600 cr in FY27', ['expected revenue 18 ₹15,600 Cr']],
    ['Trent expects Q1 revenue growth near 30%', ['expected revenue 30 -']],
    ['Trent to widen its range in FY27, revenue seen growing 44%', ['expected revenue 44 -']],
    ['Trent aims for Rs 450 Cr EBITDA in FY27', ['expected ebitda - ₹450 Cr']],
    ['Trent reports revenue of Rs 2,900 crore in FY26, targets 21% growth in FY27', ['revenue - ₹2,900 Cr']],
    ['Trent Tops Rs 300 Cr ARR, Eyes Rs 500 Cr by FY27', ['ARR - ₹300 Cr']],
  ])('given "%s", then it is named as expected, or left out next to a report', (title, expected) => {
    expect(read(title)).toEqual(expected);
  });

  it('given the year of a target after a report, then the report has no period', () => {
    expect(resultsOf('Trent crosses Rs 300 Cr ARR, targets Rs 500 Cr by FY27').map(({ period }) => period)).toEqual([
      null,
    ]);
    expect(resultsOf('Trent FY26 revenue up 18%, targets 500 stores by FY28').map(({ period }) => period)).toEqual([
      'FY26',
    ]);
  });

  it('given a change and its outcome, then it is a report', () => {
    expect(read('Trent tripled its revenue to cross ₹350 Cr in FY26')).toEqual(['revenue 200 ₹350 Cr']);
  });
});

describe('what the summary adds', () => {
  test.each([
    [
      'Trent Q1: Net loss narrows to Rs 512 crore, revenue gains 29%',
      'Trent cut its Q1 FY27 consolidated net loss by 22% year-on-year to Rs 512 crore.',
      ['loss -22 ₹512 Cr', 'revenue 29 -'],
    ],
    ['Trent profit halves in Q1', 'The retailer saw a 52% drop in profit as rents rose.', ['profit -52 -']],
    ['Trent Q1 profit rises on festive demand', 'Profit for FY26 grew 10% to Rs 900 crore.', ['profit - -']],
    ['Trent beats Q1 estimates', 'The retailer reported a 40% profit growth in the June quarter.', ['profit 40 -']],
    ['Trent Q1 profit jumps', 'Net profit surged seventy-six per cent to Rs 229 crore.', ['profit 76 ₹229 Cr']],
    [
      'Trent’s loss shrinks as new labels mature',
      'In FY26 the retailer had revenue of Rs 3,100 crore, up 41% from a year earlier, and a smaller loss.',
      ['revenue 41 ₹3,100 Cr'],
    ],
  ])(
    'given "%s" and its summary, then exact growth of the same metric and period is taken, with its amount',
    (title, summary, expected) => {
      expect(read(title, { summary })).toEqual(expected);
    },
  );
});

describe('the amount that a summary gives next to the growth of the headline', () => {
  it.each([
    ['the same growth', 'Trent posted a net profit of Rs 464 crore in the June quarter, up 5.3 per cent.', '₹464 Cr'],
    ['a growth that is rounded', 'Trent reported a rise of 5.26% in net profit to Rs 464 crore in Q1.', '₹464 Cr'],
    ['another growth', 'Trent posted a net profit of Rs 464 crore in the June quarter, up 15.3 per cent.', '-'],
    ['the growth of another metric', 'Trent posted revenue of Rs 464 crore in the June quarter, up 5.3 per cent.', '-'],
    ['another period', 'Trent posted a net profit of Rs 1,464 crore in FY26, up 5.3 per cent.', '-'],
  ])('given %s, then the amount is taken or left', (_, summary, value) => {
    expect(read('Trent Q1 net profit up 5.3 per cent', { summary })).toEqual([`profit 5.3 ${value}`]);
  });
});

describe('a result that the summary states', () => {
  it('given a sentence about a brand that the company owns, then its figures are those of the brand', () => {
    const summary = 'Westside, the group’s fashion business, reported revenue of Rs 900 crore, up 31%, in FY26.';
    const of = (company: string) =>
      resultsOf('Trent’s arm narrows losses', { summary: summary.replace('Westside', company) })
        .filter(({ value }) => value === '₹900 Cr')
        .map((result) => result.company);

    expect(of('Trent')).toEqual(['Trent']);
    expect(of('Westside')).toEqual(['Westside']);
  });

  it('given a headline of another kind without a metric, then there is no result', () => {
    const summary = 'Its revenue rose 34% in FY26, the chief said.';
    expect(read('Trent bets on smaller towns', { likely: false, summary })).toEqual([]);
  });
});

describe('whose results they are', () => {
  const companyOf = (title: string, primary: string[], summary?: string): string | undefined =>
    resultsOf(title, { primary, ...(summary ? { summary } : {}) })[0]?.company;

  test.each([
    ['the only operator of the catalogue', 'Patty Barn operator Q1 profit up 12%', ['Patty Barn'], 'Devi Restaurants'],
    ['an operator that is named', 'Slice Hut operator Annam Foods Q1 profit up 12%', ['Slice Hut'], 'Annam Foods'],
    ['the parent of the catalogue', 'Westside’s parent posts 12% rise in Q1 profit', ['Westside'], 'Trent'],
    ['a parent that is named', 'Westside parent Trent Q1 profit up 12%', ['Westside'], 'Trent'],
    ['an owner and its brand', 'Trent’s Westside posts Rs 900 Cr sales in Q1', ['Trent', 'Westside'], 'Westside'],
    ['a company before the metric', 'After Trent, Nykaa Q1 profit up 12%', ['Trent', 'Nykaa'], 'Nykaa'],
  ])('given %s, then it is that company', (_, title, primary, expected) => {
    expect(companyOf(title, primary)).toBe(expected);
  });

  it('given a brand with two operators, then the one that the summary names, else none', () => {
    const title = 'Slice Hut India operator Q1 profit up 12%';
    expect(companyOf(title, ['Slice Hut'], 'Annam Foods posted a profit of Rs 14 crore.')).toBe('Annam Foods');
    expect(companyOf(title, ['Slice Hut'])).toBeUndefined();
  });

  it('given a figure of another company, then it is not counted as this one’s', () => {
    expect(read('Trent Q2 profit up 24%; Zepto revenue up 112%')).toEqual(['profit 24 -']);
    expect(read('Trent Q1 profit at Rs 91 crore; Nykaa revenue up 112%')).toEqual(['profit - ₹91 Cr']);
  });
});

describe('the period', () => {
  const periodsOf = (title: string, given?: Given) => resultsOf(title, given).map(({ period }) => period);

  test.each([
    ['Trent Q1 profit up 4%', ['Q1 FY27']],
    ['Trent Q4 FY26 profit up 4%', ['Q4 FY26']],
    ['Trent June quarter profit up 4%', ['Q1 FY27']],
    ['Trent Q1 2026-27 profit up 4%', ['Q1 FY27']],
    ['Trent Q1FY27 profit up 4%', ['Q1 FY27']],
    ['Trent revenue up 4% in FY2025-26', ['FY26']],
    ['Trent sales up 4% in H1 2026', ['H1 2026']],
    ['Trent Q2 CY2026 profit up 4%', ['Q2 2026']],
    ['Trent Q2 profit up 24%, H1 revenue at Rs 900 crore', ['Q2 FY26', 'H1 FY26']],
    ['Trent profit up 4%', [null]],
  ])('given "%s", then it is %j', (title, expected) => {
    expect(periodsOf(title)).toEqual(expected);
  });

  it('given a company with another fiscal year, then it has no Indian quarter, nor have its brands', () => {
    expect(periodsOf('Nordhem Q1 India sales up 4%', { primary: ['Nordhem'] })).toEqual([null]);
    expect(periodsOf('Nordhem Kids Q1 India sales up 4%', { primary: ['Nordhem Kids'] })).toEqual([null]);
    expect(periodsOf('Nordhem India sales up 4% in FY26', { primary: ['Nordhem'] })).toEqual(['FY26']);
  });

  it('given an Indian company that such a company owns, then its quarters are Indian ones', () => {
    const [found] = resultsOf('Nordhem Bazaar Q1 sales up 4%', { primary: ['Nordhem Bazaar'] });
    expect(found).toMatchObject({ company: 'Nordhem Bazaar', period: 'Q1 FY27', growth_pct: 4 });
  });

  it('given a foreign company without a tie to India, then there is no result', () => {
    expect(read('Nordhem Q1 sales up 4%', { primary: ['Nordhem'] })).toEqual([]);
  });

  it('given a metric twice, then there is one row of it', () => {
    expect(read('Trent Q1 profit up 24%, profit at Rs 90 crore')).toEqual(['profit 24 -']);
  });
});
