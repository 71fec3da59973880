/** What keeps two reports apart, however like their words are: classes of news, in invented headlines. */
import { describe, expect, it } from 'vitest';
import { compareAcrossTime, scoreLikeness, THRESHOLD } from '../../../ingest/match/comparison.ts';
import { featuresOf } from '../../../ingest/match/report-features.ts';
import { type Veto, vetoBetween } from '../../../ingest/match/vetoes.ts';
import { slugify } from '../../../schemas/scalar.ts';
import { casesOf } from '../../harness/cases.ts';
import { brandSlug } from '../../harness/ids.ts';
import { storyOf, type TestStory } from './stories.ts';

const features = (report: TestStory) => {
  const { item, understanding } = storyOf(report);
  return featuresOf(item, understanding, (slug) => (slug === 'mitti' ? brandSlug('mitti-consumer') : null));
};
const onDay = (day: number, report: TestStory): TestStory => ({
  ...report,
  first_seen_at: `2026-07-${String(day).padStart(2, '0')}T08:00:00.000Z`,
});
type Understood = NonNullable<TestStory['understanding']>;
const brands = (primary: readonly string[], others: readonly string[] = []): Pick<Understood, 'brands'> => ({
  brands: [...primary, ...others].map((name) => ({
    slug: brandSlug(slugify(name)),
    name,
    role: primary.includes(name) ? ('primary' as const) : ('secondary' as const),
    provisional: false,
  })),
});
const about = (move: NonNullable<Understood['move']>, title: string, more: Understood = {}, brand = 'Mitti') => ({
  title,
  brand,
  understanding: { move, ...more },
});
const funding = (title: string, primary: string[], others: string[] = []): TestStory => ({
  title,
  understanding: { move: 'deals', ...brands(primary, others) },
});
const result = (metric: string, growth_pct: number | null = null, period: string | null = null): Understood => ({
  result: { company: 'Mitti', period, metric, value: null, growth_pct },
});
const appointed = (title: string, person: string, direction: 'joined' | 'left' = 'joined'): TestStory =>
  about('people', title, {
    people: [{ person, company: 'Mitti', role: 'CEO', direction, from: null, to: null, effective: null }],
  });
const deal = (type: 'funding' | 'ipo', amount: string): Understood => ({
  deal: { type, amount, target: 'Mitti', buyers: [], status: null },
});

const FUNDING = { type: 'funding' as const, amount: '₹42 Cr', target: 'Mitti', buyers: [] };

/** A report by its kind of move, its day in July and its headline: `rules 6: Watchdog orders Mitti to recall lamps`. */
const headlineOf = (text: string): TestStory => {
  const [, move, day, title = ''] = /^(\w+) ?(\d*): (.*)$/.exec(text) ?? [];
  return onDay(Number(day || 6), about(move as NonNullable<Understood['move']>, title));
};

interface Case {
  readonly given: TestStory;
  readonly other: TestStory;
  /** Null where nothing keeps them apart. */
  readonly veto: Veto | null;
}

const CASES: Readonly<Record<string, Case>> = {
  'two companies of one investor and one sum': {
    given: funding('Mitti raises ₹30 crore from Kestrel Capital', ['Mitti'], ['Kestrel Capital']),
    other: funding('Brewbarn bags ₹30 crore from Kestrel Capital', ['Brewbarn'], ['Kestrel Capital']),
    veto: 'other companies',
  },
  'a brand and its owner': {
    given: funding('Mitti raises ₹30 crore', ['Mitti']),
    other: funding('Lamp maker raises ₹30 crore', ['Mitti Consumer']),
    veto: null,
  },
  'two partners, each of whom names the other': {
    given: { title: 'Mitti launches lamps with Brewbarn', understanding: { move: 'launches', ...brands(['Mitti']) } },
    other: {
      title: 'Brewbarn and Mitti partner on lamps',
      understanding: { move: 'strategy', ...brands(['Brewbarn']) },
    },
    veto: null,
  },
  'two people who take one seat': {
    given: appointed('Mitti names Kavita Rao chief executive', 'Kavita Rao'),
    other: appointed('Mitti names Arun Sethi chief executive', 'Arun Sethi'),
    veto: 'other people',
  },
  'who leaves and who follows, where one report names both': {
    given: appointed('Mitti chief Kavita Rao quits', 'Kavita Rao', 'left'),
    other: appointed('Mitti names Arun Sethi chief executive in place of Rao', 'Arun Sethi'),
    veto: null,
  },
  'one store and another': {
    given: about('stores', 'Mitti opens a store in Pune', { cities: ['Pune'] }),
    other: about('stores', 'Mitti opens a store in Surat', { cities: ['Surat'] }),
    veto: 'stores in other places',
  },
  'two quarters': {
    given: about('results', 'Mitti Q1 profit climbs', result('profit', 12, 'Q1 FY27')),
    other: about('results', 'Mitti Q2 profit climbs', result('profit', 14, 'Q2 FY27')),
    veto: 'another period',
  },
  'a year that is reported with the target of the next, by two outlets': {
    given: about('results', 'Mitti eyes 25 pc growth in FY27', result('expected revenue', 25, 'FY27')),
    other: about('results', 'Mitti ends FY26 at ₹400 crore, targets 25 pc growth', result('revenue', null, 'FY26')),
    veto: null,
  },
  'what is expected and what is reported': {
    given: about('results', 'Mitti Q1 profit to climb 12 pc', result('expected profit', 12, 'Q1 FY27')),
    other: about('results', 'Mitti Q1 profit climbs 12 pc', result('profit', 12, 'Q1 FY27')),
    veto: 'one reports, the other expects',
  },
  'a preview and the results': {
    given: about('results', 'Mitti Q1 preview: what margins may show'),
    other: about('results', 'Mitti profit climbs on lamps', result('profit', 12)),
    veto: 'one reports, the other expects',
  },
  'a preview by the company and what it expects': {
    given: about('results', 'Mitti Q1 preview shows growth near 30 pc', result('revenue', 30)),
    other: about('results', 'Mitti expects growth near 30 pc', result('expected revenue', 30)),
    veto: null,
  },
  'two growths of one metric': {
    given: about('results', 'Mitti revenue grows 12 pc', result('revenue', 12)),
    other: about('results', 'Mitti revenue grows 31 pc', result('revenue', 31)),
    veto: 'other figures of one metric',
  },
  'one growth, rounded by one outlet': {
    given: about('results', 'Mitti revenue grows 12 pc', result('revenue', 12)),
    other: about('results', 'Mitti revenue up 12.4 pc', result('revenue', 12.4)),
    veto: null,
  },
  'a round before the listing, and the listing': {
    given: about('deals', 'Mitti raises ₹90 crore', deal('funding', '₹90 Cr')),
    other: about('deals', 'Mitti hires bankers for $300 mn IPO', deal('ipo', '$300 Mn')),
    veto: 'a round and a listing',
  },
  'talks and, days later, the round': {
    given: onDay(6, about('deals', 'Mitti eyes ₹42 crore', { deal: { ...FUNDING, status: 'rumoured' } })),
    other: onDay(9, about('deals', 'Mitti raises ₹42 crore', { deal: { ...FUNDING, status: 'completed' } })),
    veto: 'a later stage',
  },
};

/** Pairs that their headlines alone decide, each with its kind of move and, where they differ, its day. */
const HEADLINES = casesOf(`
results and what the company raises the same day | results: Mitti Q1 profit beats estimates |
  deals: Mitti to raise ₹80 crore from Kestrel Capital → a result and a deal
the year of a company, read from its listing papers | results: IPO-bound Mitti doubles FY26 profit |
  deals: Mitti files papers for its IPO → nothing
the board and the filing | deals: Mitti board approves IPO |
  deals: Mitti files draft papers for IPO → another step to a listing
the board and the filing of the same day, in one headline | deals: Mitti board approves IPO; to file papers Friday |
  deals: Mitti files draft papers for IPO → nothing
a filing that another outlet calls a request | deals: Mitti files draft papers for IPO |
  deals: Mitti seeks Sebi nod for IPO → nothing
a filing and the nod | deals: Mitti files draft papers for IPO |
  deals: Mitti gets Sebi nod for IPO → another step to a listing
two days of an offer | deals: Mitti IPO: issue subscribed 45% on day 1 |
  deals: Mitti IPO: issue subscribed 52% on day 2 → another step to a listing
an order and its stay | rules 6: Watchdog orders Mitti to recall lamps |
  rules 9: Court stays recall of Mitti lamps → another step of a legal matter
a verdict that one outlet calls by the plea of the same day | rules: Court rejects plea of Mitti |
  rules: Mitti says its appeal is pending → nothing
a notice and, a day later, the answer | rules 6: Watchdog issues notice to Mitti over lamp labels |
  rules 7: Mitti replies to notice over lamp labels → another step of a legal matter
one order in the words of two outlets | rules: Watchdog directs Mitti to halt lamp sales |
  rules: Watchdog asks Mitti to halt lamp sales, issues notice → nothing
a plan and, days later, the launch | launches 6: Mitti plans to launch lamps for cars |
  launches 9: Mitti launches lamps for cars → a later stage
a strategy that a late outlet reports without its plan | strategy 6: Mitti eyes exports to open new markets |
  strategy 9: Mitti opens up to exports → nothing
a plan and the launch in the papers of one morning | launches: Mitti plans to launch lamps for cars |
  launches: Mitti launches lamps for cars → nothing
a deal and, a day later, its end | deals 6: Mitti buys Jhilmil Jewels |
  deals 8: Mitti completes purchase of Jhilmil Jewels → a later stage
one round whose sum a late outlet calls closed | deals 6: Mitti raises ₹42 crore |
  deals 8: Mitti closes ₹42 crore round → nothing
a share price that closes lower, a day later | results 6: Mitti slips into a loss |
  results 7: Mitti share closes 9 pc lower on its loss → nothing
an event and the tally of a week | deals: Mitti raises ₹42 crore |
  deals: Startups raise ₹42 crore this week, Mitti leads → one is a tally of many events
`).map(([name, given = '', other = '', veto = '']): [string, Case] => [
  name,
  { given: headlineOf(given), other: headlineOf(other), veto: veto === 'nothing' ? null : (veto as Veto) },
]);

describe('vetoes', () => {
  it.each([...Object.entries(CASES), ...HEADLINES])('given %s', (_, { given, other, veto }) => {
    const [a, b] = [features(given), features(other)];
    expect(vetoBetween(a, b)).toBe(veto);
    expect(vetoBetween(b, a)).toBe(veto);
  });

  it('given a former employer in two appointments, then it is no company in common', () => {
    const joins = (company: string, person: string): TestStory => ({
      title: `${person} of Tallgrass joins ${company} as marketing chief`,
      understanding: {
        move: 'people',
        ...brands([company, 'Tallgrass']),
        people: [{ person, company, role: 'CMO', direction: 'joined', from: 'Tallgrass', to: null, effective: null }],
      },
    });
    expect(features(joins('Mitti', 'Kavita Rao')).primary).toHaveLength(1);
    expect(vetoBetween(features(joins('Mitti', 'Kavita Rao')), features(joins('Brewbarn', 'Kavita Rao')))).toBe(
      'other companies',
    );
  });

  it('given a veto, then no likeness of words joins the two, nor makes one the old news of the other', () => {
    const a = features(appointed('Mitti names Kavita Rao chief executive', 'Kavita Rao'));
    const other = features({ ...appointed('Mitti names Arun Sethi chief executive', 'Arun Sethi'), outlet: 'B' });
    expect(scoreLikeness(a, other).score).toBeLessThan(THRESHOLD);
    const weeksLater = { ...other, day: other.day + 21, seen: other.seen + 21 };
    expect(compareAcrossTime(a, weeksLater).score).toBeLessThan(THRESHOLD);
  });
});
