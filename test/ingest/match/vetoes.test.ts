/** What keeps two reports apart, however like their words are: classes of news, in invented headlines. */
import { describe, expect, it } from 'vitest';
import { compareAcrossTime, scoreLikeness, THRESHOLD } from '../../../ingest/match/comparison.ts';
import { featuresOf } from '../../../ingest/match/report-features.ts';
import { type Veto, vetoBetween } from '../../../ingest/match/vetoes.ts';
import { slugify } from '../../../schemas/scalar.ts';
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
  'results and what the company raises the same day': {
    given: about('results', 'Mitti Q1 profit beats estimates'),
    other: about('deals', 'Mitti to raise ₹80 crore from Kestrel Capital'),
    veto: 'a result and a deal',
  },
  'the year of a company, read from its listing papers': {
    given: about('results', 'IPO-bound Mitti doubles FY26 profit'),
    other: about('deals', 'Mitti files papers for its IPO'),
    veto: null,
  },
  'a round before the listing, and the listing': {
    given: about('deals', 'Mitti raises ₹90 crore', deal('funding', '₹90 Cr')),
    other: about('deals', 'Mitti hires bankers for $300 mn IPO', deal('ipo', '$300 Mn')),
    veto: 'a round and a listing',
  },
  'the board and the filing': {
    given: about('deals', 'Mitti board approves IPO'),
    other: about('deals', 'Mitti files draft papers for IPO'),
    veto: 'another step to a listing',
  },
  'the board and the filing of the same day, in one headline': {
    given: about('deals', 'Mitti board approves IPO; to file papers Friday'),
    other: about('deals', 'Mitti files draft papers for IPO'),
    veto: null,
  },
  'a filing that another outlet calls a request': {
    given: about('deals', 'Mitti files draft papers for IPO'),
    other: about('deals', 'Mitti seeks Sebi nod for IPO'),
    veto: null,
  },
  'a filing and the nod': {
    given: about('deals', 'Mitti files draft papers for IPO'),
    other: about('deals', 'Mitti gets Sebi nod for IPO'),
    veto: 'another step to a listing',
  },
  'two days of an offer': {
    given: about('deals', 'Mitti IPO: issue subscribed 45% on day 1'),
    other: about('deals', 'Mitti IPO: issue subscribed 52% on day 2'),
    veto: 'another step to a listing',
  },
  'an order and its stay': {
    given: onDay(6, about('rules', 'Watchdog orders Mitti to recall lamps')),
    other: onDay(9, about('rules', 'Court stays recall of Mitti lamps')),
    veto: 'another step of a legal matter',
  },
  'a verdict that one outlet calls by the plea of the same day': {
    given: about('rules', 'Court rejects plea of Mitti'),
    other: about('rules', 'Mitti says its appeal is pending'),
    veto: null,
  },
  'a notice and, a day later, the answer': {
    given: onDay(6, about('rules', 'Watchdog issues notice to Mitti over lamp labels')),
    other: onDay(7, about('rules', 'Mitti replies to notice over lamp labels')),
    veto: 'another step of a legal matter',
  },
  'one order in the words of two outlets': {
    given: about('rules', 'Watchdog directs Mitti to halt lamp sales'),
    other: about('rules', 'Watchdog asks Mitti to halt lamp sales, issues notice'),
    veto: null,
  },
  'a plan and, days later, the launch': {
    given: onDay(6, about('launches', 'Mitti plans to launch lamps for cars')),
    other: onDay(9, about('launches', 'Mitti launches lamps for cars')),
    veto: 'a later stage',
  },
  'talks and, days later, the round': {
    given: onDay(6, about('deals', 'Mitti eyes ₹42 crore', { deal: { ...FUNDING, status: 'rumoured' } })),
    other: onDay(9, about('deals', 'Mitti raises ₹42 crore', { deal: { ...FUNDING, status: 'completed' } })),
    veto: 'a later stage',
  },
  'a strategy that a late outlet reports without its plan': {
    given: onDay(6, about('strategy', 'Mitti eyes exports to open new markets')),
    other: onDay(9, about('strategy', 'Mitti opens up to exports')),
    veto: null,
  },
  'a plan and the launch in the papers of one morning': {
    given: about('launches', 'Mitti plans to launch lamps for cars'),
    other: about('launches', 'Mitti launches lamps for cars'),
    veto: null,
  },
  'a deal and, a day later, its end': {
    given: onDay(6, about('deals', 'Mitti buys Jhilmil Jewels')),
    other: onDay(8, about('deals', 'Mitti completes purchase of Jhilmil Jewels')),
    veto: 'a later stage',
  },
  'one round whose sum a late outlet calls closed': {
    given: onDay(6, about('deals', 'Mitti raises ₹42 crore')),
    other: onDay(8, about('deals', 'Mitti closes ₹42 crore round')),
    veto: null,
  },
  'a share price that closes lower, a day later': {
    given: onDay(6, about('results', 'Mitti slips into a loss')),
    other: onDay(7, about('results', 'Mitti share closes 9 pc lower on its loss')),
    veto: null,
  },
  'an event and the tally of a week': {
    given: about('deals', 'Mitti raises ₹42 crore'),
    other: about('deals', 'Startups raise ₹42 crore this week, Mitti leads'),
    veto: 'one is a tally of many events',
  },
};

describe('vetoes', () => {
  it.each(Object.entries(CASES))('given %s', (_, { given, other, veto }) => {
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
