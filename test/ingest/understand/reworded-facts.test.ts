/**
 * Statements with their rewordings. Each wording gives the right fact or none: a wrong sign, owner, metric, target or
 * currency is worse than a missing one. The first wording of each is read in full. All texts are invented.
 */
import { describe, expect, test } from 'vitest';
import { readDeal } from '../../../facts/deals/read.ts';
import { readResults } from '../../../facts/results/read.ts';
import { inspectItem } from '../../../ingest/understand/understand-item.ts';
import { statementsOf } from '../../harness/cases.ts';
import { itemOf, smallCatalogue } from './small-catalogue.ts';

const inspect = (title: string) => inspectItem(itemOf(title, null, '2026-07-20T06:30:00Z'), smallCatalogue);

/** All results of a headline, as `company metric growth period`, with `-` for null. */
function resultsOf(title: string): string[] {
  const { reading, brands } = inspect(title);
  const primary = brands.filter(({ role }) => role === 'primary');
  return readResults(reading, primary, smallCatalogue, true).map(
    ({ fact }) => `${fact.company} ${fact.metric} ${fact.growth_pct ?? '-'} ${fact.period ?? '-'}`,
  );
}

/** A deal as `type target amount status`, with `-` for null. */
function dealOf(title: string): string | null {
  const { reading, brands } = inspect(title);
  const deal = readDeal(reading, brands)?.fact;
  return deal ? `${deal.type} ${deal.target ?? '-'} ${deal.amount ?? '-'} ${deal.status ?? '-'}` : null;
}

/** Whether what was read says nothing else than what is right: a part of it may be null. */
function isRightOrLess(read: string, right: string): boolean {
  const [said, wanted] = [read.split(' '), right.split(' ')];
  // Names and amounts of several words make both of different length where a part is missing: compared from both ends.
  if (said.length === wanted.length) return said.every((part, index) => part === '-' || part === wanted[index]);
  return said.filter((part) => part !== '-').every((part) => wanted.includes(part));
}

const RESULTS = statementsOf(`
# Sign.
Trent same-store sales 5 Q1 FY27 → Trent Q1 same-store sales growth slips to 5% /
  Trent same-store sales growth slows by 3 percentage points to 5% in Q1 /
  Trent Q1 like-for-like growth cools from 8% to 5%
Trent revenue 14 Q1 FY27 → Trent Q1 revenue rises 14% / Trent logs 14% revenue growth in Q1
Trent revenue -6 Q1 FY27 → Trent Q1 revenue falls 6% / Trent sees 6% dip in Q1 revenue
Trent profit -42 Q1 FY27 → Trent Q1 profit crashes 42% / Trent Q1 PAT tumbles 42 per cent
Trent profit -50 Q1 FY27 → Trent profit halves in Q1 / Trent Q1 net profit halved
Trent profit 100 FY26 → Trent FY26 profit doubles / Profit of Trent doubles in FY26
Trent loss 31 FY26 → Trent loss widens 31% in FY26 / Trent: loss up 31% in FY26
Trent loss -18 FY26 → Trent loss narrows 18% in FY26 / Trent cuts FY26 loss by 18%
Trent sales 9 Q2 FY26 → Trent Q2 sales up 9% / Trent sales grow 9 pc in second quarter
Trent ebitda -11 Q1 FY27 → Trent Q1 EBITDA drops 11% / Trent operating profit declines 11% in Q1
Trent revenue 5 Q1 FY27 → Trent Q1 revenue growth slows to 5% / Trent revenue growth moderates to 5% in Q1
Trent profit 22 Q1 FY27 → Trent Q1 profit soars 22% / Trent Q1 bottom line grows 22% / Trent Q1 net zooms 22%
Trent revenue -3 Q1 FY27 → Trent Q1 revenue contracts 3% / Trent Q1 turnover shrinks 3% / Trent top line eases 3% in Q1
# Growth stated before its metric.
Trent revenue 16 Q1 FY27 → Trent clocks 16% growth in Q1 revenue / Trent Reports 16 Pc Growth in Q1 Revenue
Trent profit -8 Q1 FY27 → Trent reports 8% fall in Q1 profit / Trent Q1 profit 8% lower
# Levels, comparisons and changes are no growth.
Trent profit - Q1 FY27 → Trent Q1 profit at Rs 80 crore / Trent reports Rs 80 crore profit for Q1
Trent margin - Q1 FY27 → Trent Q1 margin at 12% / Trent EBITDA margin stands at 12% in Q1
Trent profit - Q1 FY27 → Trent Q1 profit nearly doubles / Trent Q1 profit almost triples /
  Trent Q1 profit more than doubles
Trent profit - Q1 FY27 → Trent Q1 profit up 20% sequentially / Trent Q1 profit rises 20% QoQ
Trent sales - - → Trent sales double in three years / Trent sales up 90% in 5 years
Trent loss - Q1 FY27 → Trent slips into loss in Q1 / Trent reports Q1 loss of Rs 12 crore
# Metrics that are none.
nothing → Trent shares surge 9% / Trent stock falls 4% on weak market / Trent scrip jumps 7% in early trade
nothing → Trent market share rises 3% / Trent gains 3% market share / Trent market share up 3 per cent
nothing → Nykaa GMV grows 28% in Q1 / Nykaa Q1 GMV up 28% / Nykaa gross merchandise value rises 28%
nothing → Nykaa orders triple in Q1 / Nykaa sees orders grow 40% in Q1 / Nykaa Q1 order value up 33%
nothing → Nykaa launches weight-loss supplement, 20% more protein / Nykaa weight-loss range grows 20% /
  Nykaa adds hair-loss serum at 15% lower price
nothing → Trent headcount falls 5% in FY26 / Trent CEO remuneration up 18% in FY26 / Trent workforce grows 11% in FY26
# Two metrics, each with its own figure.
Trent revenue 12 Q1 FY27 + Trent profit -3 Q1 FY27 → Trent Q1: Revenue up 12%, profit down 3% /
  Trent Q1 revenue rises 12% while profit falls 3%
Trent loss -20 FY26 + Trent revenue 30 FY26 → Trent FY26 loss narrows 20%, revenue up 30% /
  Trent FY26: Loss Down 20%, Revenue Grows 30%
# Targets are named as such.
Trent expected revenue 25 FY27 → Trent targets 25% revenue growth in FY27 / Trent expects FY27 revenue to grow 25%
# Period.
Trent revenue 10 FY26 → Trent FY26 revenue rises 10% / Trent revenue grows 10% for 2025-26
Trent revenue 10 Q4 FY26 → Trent Q4 FY26 revenue rises 10% / Trent Q4FY26 revenue up 10%
Trent revenue 10 H1 FY27 → Trent H1 FY27 revenue rises 10% / Trent first half FY27 revenue grows 10%
`);

const DEALS = statementsOf(`
# The company that is funded, and the amount with its currency.
funding Munchly ₹40 Cr completed → Munchly raises ₹40 crore / Snack brand Munchly secures INR 40 crore
funding Munchly $6 Mn completed → Munchly raises $6 million / D2C brand Munchly secures USD 6 million
funding Munchly €3 Mn completed → Munchly raises €3 million / Munchly bags €3 Mn in fresh round
funding Munchly ₹40 Cr rumoured → Munchly in talks to raise ₹40 crore / Munchly eyes Rs 40 crore fundraise
funding Munchly ₹40 Cr agreed → Munchly to raise ₹40 crore / Munchly signs term sheet to raise Rs 40 crore
funding Munchly ₹40 Cr completed → Munchly raises ₹40 crore at ₹900 crore valuation /
  Munchly bags ₹40 Cr, valued at ₹900 Cr
funding Munchly ₹40 Cr completed → Wellkart founders’ new venture Munchly raises ₹40 crore /
  Wellkart cofounder's snack brand Munchly bags ₹40 Cr
funding Munchly ₹40 Cr completed → Accel-backed Munchly raises ₹40 crore / Peak XV-backed Munchly bags ₹40 Cr
# Who buys and who is bought.
acquisition Munchly - completed → Nykaa acquires Munchly / Munchly acquired by Nykaa
acquisition Munchly ₹120 Cr completed → Nykaa acquires Munchly for ₹120 crore / Nykaa buys Munchly in Rs 120 crore deal
acquisition Munchly - agreed → Nykaa to acquire Munchly / Nykaa signs agreement to acquire Munchly
acquisition Munchly - rumoured → Nykaa in talks to acquire Munchly / Nykaa may buy Munchly
acquisition Munchly - completed → Nykaa acquires 100% stake in Munchly / Nykaa acquires majority stake in Munchly
acquisition Munchly - completed → Nykaa completes acquisition of Munchly / Nykaa completes Munchly acquisition
stake_sale Munchly - completed → Nykaa acquires 20% stake in Munchly / Nykaa buys 20 per cent of shares in Munchly
# A stake sold by holders is not money raised.
stake_sale Nykaa ₹500 Cr completed → Promoter sells Nykaa shares worth ₹500 crore /
  Investors offload Nykaa stake for ₹500 crore
stake_sale Nykaa - completed → Peak XV exits Nykaa / Peak XV offloads Nykaa shares in block deal
stake_sale Zepto - rumoured → Investors in talks to sell Zepto stake / Zepto investors explore stake sale
# Listings.
ipo Zepto - - → Zepto files draft papers for IPO / Zepto files DRHP with SEBI / Zepto gets SEBI nod for IPO
ipo Zepto - rumoured → Zepto plans IPO next year / Zepto may go public next year
ipo Zepto ₹3,000 Cr - → Zepto files papers for ₹3,000 crore IPO / Zepto files for Rs 3,000 crore public issue
# What is raised or named is no money for the company, no deal of this day, or no investor.
nothing → Zepto raises platform fee to Rs 19 from Friday / Weeks after funding, Zepto lays off 70 people /
  Nykaa relaunches serum brand acquired from Munchly
# What somebody denies is no deal; what was dropped or put off was not agreed.
nothing → Munchly denies talk of stake sale to Nykaa / Munchly is not for sale, founder says amid Nykaa buyout buzz /
  Nykaa rules out acquiring Munchly
acquisition Munchly - rumoured → Nykaa drops plan to buy majority stake in Munchly /
  Nykaa walks away from Munchly acquisition
ipo Zepto ₹3,000 Cr rumoured → Zepto shelves ₹3,000 crore IPO plan / Zepto puts off its Rs 3,000-crore public issue
# The next step does not make a deal that is done a plan.
funding Munchly ₹40 Cr completed → Munchly raises ₹40 crore, eyes listing /
  Munchly bags ₹40 crore: what it will do with it / Munchly scoops up ₹40 Cr
# No deals.
nothing → Wellkart invests ₹90 crore in its Pune plant / Wellkart to invest Rs 90 crore in new warehouse /
  Wellkart invests in shelf-life studies
nothing → Accel launches ₹900 crore fund / Accel closes maiden fund at $90 million fund
nothing → Munchly reaches ₹60 crore in sales without outside capital / Munchly grew to ₹60 crore without any funding
nothing → Lenskart warranty claims in focus ahead of its listing / Zepto pay row comes under scrutiny ahead of IPO
# Money that is not the size of the deal.
funding Munchly - completed → Munchly raises funding at ₹900 crore valuation /
  Munchly raises round valuing it at ₹900 crore
acquisition Munchly - completed → Nykaa acquires Munchly with ₹60 crore revenue /
  Nykaa acquires ₹60 crore revenue brand Munchly
merger Munchly - agreed → Munchly to merge with Nykaa / Munchly signs pact to merge with Nykaa
funding Munchly ₹5 Cr completed → Munchly raises ₹5 crore led by Accel / Accel leads ₹5 crore round in Munchly
funding Munchly ₹25 Cr completed → Munchly raises ₹25 crore debt / Munchly secures Rs 25 crore debt funding
`);

describe('results in other words', () => {
  test.each(RESULTS)('given $wordings, then $facts', ({ facts, wordings }) => {
    const [first = ''] = wordings;
    // What has a metric and no figure at all states nothing that can be wrong.
    const stated = (title: string): string[] =>
      resultsOf(title).filter((read) => facts.length > 0 || !/ - /.test(read));
    for (const title of wordings)
      for (const read of stated(title))
        expect(
          facts.some((one) => isRightOrLess(read, one)),
          `${title}: ${read}`,
        ).toBe(true);
    expect(stated(first).toSorted(), first).toEqual(facts.toSorted());
  });
});

describe('deals in other words', () => {
  test.each(DEALS)('given $wordings, then $facts', ({ facts: [right = null], wordings }) => {
    for (const title of wordings) {
      const read = dealOf(title);
      if (read !== null) expect(right !== null && isRightOrLess(read, right), `${title}: ${read}`).toBe(true);
    }
    expect(dealOf(wordings[0] ?? '')).toBe(right);
  });
});
