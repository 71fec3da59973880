import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../answer/evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { brandSlug } from '../harness/ids.ts';
import { appointment, opening, result } from '../projector/signal-events.ts';
import {
  BRANDS,
  checkDraft,
  citedIn,
  type DraftCase,
  dealt,
  draftOf,
  evidence,
  foundOf,
  leadOf,
  named,
  opened,
  periodOf,
  placed,
  raised,
  STORES,
  type TestBrand,
} from './evidence.ts';

type Query = Partial<TypedQuery>;
const kiri = { brands: named('kiri-foods') } satisfies Query;
const two = { brands: named('kiri-foods', 'maya-stores') } satisfies Query;
const firstsOf = ({ lead }: ReturnType<typeof draftOf>): (string | undefined)[] =>
  lead.map(({ markdown }) => markdown.split(':')[0]);

const SUM = { intent: 'sum', kinds: ['deals'], measure: 'raised', ...kiri } as const satisfies Query;
const COUNT = { intent: 'count', ...STORES, ...kiri } as const satisfies Query;

describe('companies side by side', () => {
  const COMPARE = { intent: 'compare', by: 'brand', ...two } as const satisfies Query;
  const NETWORKS = { ...COMPARE, kinds: ['stores'], measure: 'network' } as const satisfies Query;
  const warehouse = evidence('Kiri Foods opens a warehouse');
  const overtakes = {
    ...evidence('Maya Stores overtakes Kiri Foods in orders', 'maya-stores'),
    salience: 1,
    about: [brandSlug('kiri-foods'), brandSlug('maya-stores')],
  };
  const kiriHas = evidence('Kiri Foods expands to 1,000 stores');
  const mayaHas = evidence('Maya Stores now has 90 stores', 'maya-stores');
  const held = { signal: { move: 'deals', kind: 'Funding' } } as const;
  const nets = evidence('Kiri Foods nets ₹90 Cr', 'kiri-foods', held);
  const gets = evidence('Maya Stores gets money', 'maya-stores', held);

  it.each<DraftCase>([
    [
      'no measure: what is about both is first',
      COMPARE,
      [warehouse, overtakes],
      { lead: /“Maya.*orders”/, basis: 'named' },
    ],
    ['a total of each: both', NETWORKS, [kiriHas, mayaHas], { cited: [kiriHas, mayaHas] }],
    ['a total of one', NETWORKS, [kiriHas], { lead: /1,000/, notes: /Not all of them have a total/ }],
    ['an amount of one, which is not the answer', { ...SUM, ...COMPARE }, [nets, gets], { cited: [nets, gets] }],
  ])('given %s', checkDraft);
});

describe('money with its other side', () => {
  const lent = {
    type: 'funding',
    amount: '₹60 Cr',
    target: 'Kiri Foods',
    buyers: ['Asha Ventures', 'Another Fund'],
  } as const;
  const round = evidence('Kiri Foods raises ₹60 Cr from Asha Ventures', 'kiri-foods', {
    signal: { move: 'deals', summary: 'The round was led by Asha Ventures.' },
    deal: { ...lent, buyers: [...lent.buyers] },
  });
  const of = (headline: string, target: string, amount: string) =>
    evidence(headline, null, { deal: { type: 'funding', amount, target, buyers: [] } });
  const zipkart = of('Quick commerce startup Zipkart raises ₹60 Cr', 'Zipkart', '₹60 Cr');
  const oon = of('Supplements maker Oon raises ₹90 Cr to enter quick commerce', 'Oon', '₹90 Cr');
  const held = evidence('Kiri Foods nets ₹90 Cr', 'kiri-foods', { signal: { move: 'deals', kind: 'Funding' } });
  const demand = evidence('City raises ₹54 Cr tax demand on Maya Stores', 'maya-stores', {
    signal: { move: 'deals', kind: 'Deal' },
  });
  const sale = (amount: string) => dealt(`Asha sells Kiri Foods shares for ${amount}`, { type: 'stake_sale', amount });
  const SALES = { ...SUM, measure: 'spent', deal: { types: ['stake_sale'], role: null, status: null } } satisfies Query;
  const ADDITION = /^₹150 crore of shares sold .*\(₹60 crore \+ ₹90 crore = ₹150 crore\)/;

  it.each<DraftCase>([
    [
      'rounds of a trade, and one of another trade to sell by it',
      { ...SUM, brands: [], categories: ['quick_commerce'] },
      [zipkart, oon],
      { lead: /^₹60 crore raised/ },
    ],
    [
      'facts that are held back: the amounts of the headlines, and nothing is denied',
      { ...SUM, brands: [] },
      [held, demand],
      { lead: /₹90 Cr/, basis: 'fact', cited: [held] },
    ],
    ['the sum of stake sales', SALES, [sale('₹60 Cr'), sale('₹90 Cr')], { lead: ADDITION }],
  ])('given %s', checkDraft);

  it('given a sum of few rounds, then it says who put up the money, as far as the report names them', () => {
    const [item] = draftOf(SUM, [round]).items;

    expect(item?.markdown).toContain('₹60 crore from Asha Ventures**');
    expect(item?.markdown).not.toContain('Another Fund');
    expect(item?.markdown).toContain('“The round was led by Asha Ventures.”');
  });
});

describe('the extreme of a word', () => {
  const RANK = {
    intent: 'rank',
    kinds: ['deals'],
    by: 'brand',
    measure: 'signals',
    order: 'largest',
  } as const satisfies Query;
  const amount = '₹20 Cr';
  const exit = dealt('Asha exits Kiri Foods with a return of 11x, sells for ₹20 Cr', { type: 'stake_sale', amount });

  it.each<DraftCase>([
    ['signals with the word', { ...RANK, words: ['return'] }, [raised('₹90 Cr'), exit], { cited: [exit] }],
    ['none with it: an amount is no answer', { ...RANK, words: ['return'] }, [raised('₹90 Cr')], { basis: 'none' }],
  ])('given %s', checkDraft);
});

describe('a count', () => {
  const lime = { type: 'acquisition' as const, target: 'Lime', buyers: ['Kiri Foods'] };
  const done = dealt('Kiri Foods buys Lime', { ...lime, status: null });
  const talks = dealt('Kiri Foods in talks to buy Lime', { ...lime, status: 'rumoured' });
  const DEALS = { intent: 'count', kinds: ['deals'], measure: 'signals' } as const satisfies Query;
  const people = [appointment(), appointment({ person: 'Dev Shah' })];
  const hired = evidence('Asha Rao and Dev Shah join', 'kiri-foods', { signal: { move: 'people' }, people });
  const PEOPLE = { intent: 'count', kinds: ['people'], measure: 'people', ...kiri } as const satisfies Query;
  const total = (number: number, day: string): Evidence =>
    evidence(`Kiri Foods now has ${number} stores`, 'kiri-foods', { day });
  const [september, november] = [total(210, '2026-09-01'), total(240, '2026-11-01')];
  const here = [opened(3), opened(2, 'kiri-foods', 'Nagpur')];
  const elsewhere = [opened(20, 'maya-stores'), opened(50, 'kiri-foods', 'Nagpur')];
  const SHUT = { intent: 'count', ...STORES, store_status: 'closed', places: placed('Pune') } as const satisfies Query;

  it.each<DraftCase>([
    [
      'stores of several signals: their sum with its addition',
      COUNT,
      here,
      { lead: /^5 stores opened\b.*\bby 2 signals \(3 \+ 2 = 5\)/, basis: 'counted', items: 2, cited: here },
    ],
    [
      'a report without a number, which counts as one',
      COUNT,
      [opened(3), opened(null)],
      { lead: /^At least 4 stores opened/, notes: /counts as one/ },
    ],
    [
      'deals in talks, which are counted apart',
      DEALS,
      [done, talks],
      { lead: /^1 deal /, notes: /1 deal only planned or in talks is not counted\./ },
    ],
    [
      'a brand and a place: not another brand, nor elsewhere',
      { ...COUNT, places: placed('Pune') },
      [opened(3), ...elsewhere],
      { lead: /^3 stores opened .*in Pune/, cited: [opened(3)] },
    ],
    ['people', PEOPLE, [hired], { lead: /^2 people\b/ }],
    ['a deal', { ...DEALS, ...kiri }, [raised('₹60 Cr')], { lead: /^1 deal\b/ }],
    ['no row of the status', SHUT, [opened(1)], { basis: 'none', items: 1, lead: /^No stores closed found/ }],
    [
      'the stores that a company has: the newest total, and openings do not count',
      { ...COUNT, measure: 'network' },
      [opened(30), september, november],
      { cited: [november, september] },
    ],
  ])('given %s', checkDraft);

  it('given planned and closed stores, then they are counted apart, each from its signals', () => {
    const all = [
      opened(3),
      evidence('Kiri Foods to open 9', 'kiri-foods', { openings: [opening({ stores: 9, status: 'announced' })] }),
      evidence('Kiri Foods shuts 2', 'kiri-foods', { openings: [opening({ stores: 2, status: 'closed' })] }),
    ];
    const draft = draftOf(COUNT, all);

    expect(leadOf(draft)).toMatch(/^3 stores opened.*9 stores announced or planned.*2 stores closed/);
    expect(draft.lead.map(({ ids }) => ids)).toEqual(all.map(({ signal }) => [signal.id]));
  });

  it('given more signals than are quoted, then the others are counted in a line of their own, and cited', () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      evidence(`Kiri Foods opens number ${index + 100}`, 'kiri-foods', { openings: [opening()] }),
    );
    const draft = draftOf(COUNT, all);
    const [rest] = draft.items.toReversed();

    expect(leadOf(draft)).toMatch(/^20 stores opened/);
    expect(rest?.quotes).toEqual([]);
    expect(new Set(draft.items.flatMap(({ ids }) => ids)).size).toBe(20);
  });
});

describe('a sum', () => {
  const sold = dealt('Asha sells ₹500 Cr of Kiri Foods', { type: 'stake_sale', amount: '₹500 Cr' });
  const lime = { type: 'acquisition' as const, target: 'Lime', buyers: ['Kiri Foods'] };
  const bought = dealt('Kiri Foods buys Lime for ₹70 Cr', { ...lime, amount: '₹70 Cr' });
  const rupees = [raised('₹60 Cr'), raised('₹30 Cr')];
  const currencies = [raised('₹60 Cr'), raised('$10 million')];
  const ADDITION = /^₹90 crore raised\b.*\(₹60 crore \+ ₹30 crore = ₹90 crore\)/;

  it.each<DraftCase>([
    ['one currency: with its addition', SUM, rupees, { lead: ADDITION }],
    [
      'two: the larger first, and no addition',
      SUM,
      currencies,
      { lead: /^\$10 million and ₹60 crore raised\b/, not: /=/ },
    ],
    [
      'a stake that holders sold: apart',
      SUM,
      [raised('₹60 Cr'), sold],
      { lead: /^₹60 crore raised.*not counted.*₹500 crore/i },
    ],
    ['what a buyer spent', { ...SUM, measure: 'spent' }, [bought, raised('₹60 Cr')], { lead: /^₹70 crore spent/ }],
    ['money of another brand', SUM, [raised('₹60 Cr', 'maya-stores')], { not: /₹60 crore raised/ }],
  ])('given %s', checkDraft);

  it('given a sum, then it cites all that is added up, and what is apart cites its own', () => {
    expect(draftOf(SUM, currencies).lead[0]?.ids).toHaveLength(2);
    expect(draftOf(SUM, [raised('₹60 Cr'), sold]).lead[1]?.ids).toEqual([sold.signal.id]);
    expect(draftOf(SUM, [raised('₹60 Cr', 'maya-stores')]).basis).not.toBe('counted');
  });
});

describe('a ranking', () => {
  const RANK = { intent: 'rank', ...STORES, by: 'brand', order: 'largest' } as const satisfies Query;
  const [three, nine, one] = [opened(3), opened(9, 'maya-stores'), opened(1, 'tilak-shoes')];
  const all = [three, nine, one];
  const tied = (stores: number) => [opened(2), opened(2, 'maya-stores'), opened(stores, 'tilak-shoes')];
  const round = (brand: TestBrand, investor: string) =>
    dealt(`${BRANDS[brand]} raises money from ${investor}`, { buyers: [investor] }, brand);
  const rounds = [
    round('kiri-foods', 'Asha Capital'),
    round('maya-stores', 'Asha Capital'),
    round('tilak-shoes', 'Banyan'),
  ];
  const [crore, dollars] = [raised('₹60 Cr'), raised('$90 million', 'maya-stores')];
  const unsized = evidence('Tilak Shoes sells itself');

  it.each<DraftCase>([
    [
      'groups: the largest first',
      RANK,
      all,
      { lead: /^Maya Stores: 9 stores .*the most of 3.*Kiri.*Tilak/, cited: [nine, three, one] },
    ],
    [
      'a limit and the smallest',
      { ...RANK, order: 'smallest', limit: 2 },
      all,
      { lead: /^Tilak Shoes: .*the fewest.* Kiri Foods: /, not: /Maya Stores: / },
    ],
    [
      'more with the same number than are shown: none has the most',
      { ...RANK, limit: 2 },
      tied(2),
      { lead: /^3 names with 2 stores opened each .*among them Kiri Foods and Maya Stores/, not: /the most/ },
    ],
    [
      'investors, each by the deals whose text names it',
      { intent: 'rank', kinds: ['deals'], by: 'investor', order: 'largest' },
      rounds,
      { lead: /^Asha Capital: 2 deals .*the most of 2 names/ },
    ],
    ['the same number: together', RANK, tied(1), { lead: /^Kiri Foods and Maya Stores: 2 stores opened each/ }],
    [
      'single signals by the size that they report, without those that have none',
      { intent: 'rank', kinds: ['deals'], measure: 'raised', by: null, order: 'largest' },
      [crore, dollars, unsized],
      { cited: [dollars, crore], notes: /1 signal without one/ },
    ],
  ])('given %s', checkDraft);

  it('given groups, then each is a sentence of its own; those with the same number share one', () => {
    expect(firstsOf(draftOf(RANK, all))).toEqual(['Maya Stores', 'Kiri Foods', 'Tilak Shoes']);
    expect(firstsOf(draftOf({ ...RANK, order: 'smallest', limit: 2 }, all))).toEqual(['Tilak Shoes', 'Kiri Foods']);
    expect(draftOf(RANK, tied(1)).lead[0]?.ids).toHaveLength(2);
  });

  it.each([
    ['city', 'Nagpur'],
    ['category', 'value fashion'],
    ['outlet', 'Daily Trade'],
    ['kind', 'stores'],
    ['theme', 'Kirana'],
    ['period', 'November 2026'],
  ] as const)('given groups by %s, then the first is %j', (by, name) => {
    const theme = { slug: 'kirana', name: 'Kirana', url: 'https://clarity.test/theme/kirana' };
    const first = opened(9, 'maya-stores', 'Nagpur');
    const themed = { ...first, signal: { ...first.signal, theme } };

    expect(leadOf(draftOf({ ...RANK, by }, [themed, opened(1)]))).toMatch(new RegExp(`^(?:in )?${name}: `, 'i'));
  });
});

describe('a comparison', () => {
  const MONEY = {
    intent: 'compare',
    kinds: ['deals'],
    measure: 'raised',
    by: 'brand',
    order: 'largest',
  } as const satisfies Query;
  const OPENED = { ...MONEY, ...STORES } satisfies Query;

  it('given brands, then the larger is first, and one without evidence is named', () => {
    const all = [raised('₹60 Cr'), raised('$10 million', 'maya-stores')];
    const draft = draftOf({ ...MONEY, brands: named('kiri-foods', 'maya-stores', 'tilak-shoes') }, all);

    expect(firstsOf(draft)).toEqual(['Maya Stores', 'Kiri Foods']);
    expect(draft.lead[0]?.markdown).toMatch(/\$10 million raised .*the most/);
    expect(draft.lead.map(({ ids }) => ids.length)).toEqual([1, 1]);
    expect(draft.notes.join(' ')).toMatch(/Nothing .* Tilak Shoes/);
    expect(draft.notes.join(' ')).toContain('₹88 a dollar');
  });

  it.each<DraftCase>([
    ['brands with the same number', { ...OPENED, ...two }, [opened(2), opened(2, 'maya-stores')], { not: /the most/ }],
    [
      'places, each with its own stores',
      { ...OPENED, by: 'city', places: placed('Pune', 'Nagpur') },
      [opened(3), opened(8, 'kiri-foods', 'Nagpur')],
      { lead: /^Nagpur: 8 stores .* Pune: 3 stores/ },
    ],
    ['nothing of either', { ...MONEY, ...two }, [], { basis: 'none' }],
  ])('given %s', checkDraft);

  it('given periods, then one measure for each, and one without is said to have none', () => {
    const period = periodOf('2026-11-01', '2026-12-01', 'in November 2026');
    const against = periodOf('2026-10-01', '2026-11-01', 'in October 2026');
    const query = { ...OPENED, by: 'period', ...kiri, period, against } satisfies Query;
    const both = draftOf(query, [opened(3)], { before: foundOf([opened(5, 'kiri-foods', 'Nagpur')]) });
    const one = draftOf(query, [opened(3)], { before: foundOf([]) });

    expect(both.lead.map(({ markdown }) => markdown.match(/^In (\w+) .*?(\d+) stores/)?.slice(1))).toEqual([
      ['November', '3'],
      ['October', '5'],
    ]);
    expect(one.lead).toHaveLength(1);
    expect(one.notes.join(' ')).toMatch(/October 2026.*none on record/);
  });
});

describe('rows of deals, prices and results', () => {
  const [less, more] = [raised('₹200 crore'), raised('₹900 crore', 'maya-stores')];
  const change = (brand: TestBrand, direction: 'raised' | 'cut') =>
    evidence(`${BRANDS[brand]}: ghee, price ${direction}`, brand, {
      signal: { move: 'launches' },
      prices: [
        {
          brand: BRANDS[brand],
          direction,
          product: 'ghee',
          from: null,
          to: null,
          by: '₹40',
          change_pct: null,
          place: null,
          effective: null,
        },
      ],
    });
  const changes = [change('kiri-foods', 'raised'), change('maya-stores', 'cut')];
  const LAUNCHES = { kinds: ['launches'] } satisfies Query;
  const condition = { metric: 'amount', is: 'above', value: 1e9, unit: 'rupees' } as const;
  const EXPORT = {
    intent: 'result',
    kinds: ['results'],
    ...kiri,
    metric: 'revenue',
    words: ['export'],
  } satisfies Query;
  const revenue = (headline: string) => evidence(headline, 'kiri-foods', { results: [result()] });

  it.each<DraftCase>([
    [
      'deals above an amount: the largest first',
      { kinds: ['deals'], condition },
      [less, more],
      { cited: [more, less], notes: /Ordered by the amount/ },
    ],
    ['price cuts', { ...LAUNCHES, words: ['cut', 'prices'] }, changes, { lead: /^Price cut: Maya Stores/ }],
    ['all changes of prices', { ...LAUNCHES, words: ['prices'] }, changes, { items: 1 }],
    ['price hikes', { ...LAUNCHES, words: ['ghee', 'price', 'hike'] }, changes, { lead: /^Price raised: Kiri/ }],
    ['no change of a price', { ...LAUNCHES, words: ['competitive', 'price', 'point'] }, changes, { not: /^Price/ }],
    ['a figure whose words no report has', EXPORT, [revenue('Kiri Foods revenue rises')], { basis: 'loosely' }],
    ['a figure with these words', EXPORT, [revenue('Kiri Foods export revenue rises')], { basis: 'fact' }],
  ])('given %s', checkDraft);
});

describe('what regulators and courts did', () => {
  const stated = (
    headline: string,
    action: 'penalty' | 'notice',
    status: 'decided' | 'pending' | 'appealed',
    brand: TestBrand = 'kiri-foods',
    { regulator = 'FSSAI', summary = null }: { regulator?: string; summary?: string | null } = {},
  ): Evidence =>
    evidence(headline, brand, {
      signal: { move: 'rules', summary },
      enforcement: { regulator, firm: BRANDS[brand], action, status },
    });
  const small = stated('FSSAI fines Kiri Foods Rs 3 lakh', 'penalty', 'decided');
  const large = stated('FSSAI fines Maya Stores Rs 7 lakh', 'penalty', 'decided', 'maya-stores');
  const contested = stated('Maya Stores challenges FSSAI penalty', 'penalty', 'appealed', 'maya-stores');
  const warned = stated('Tilak Shoes gets nine FSSAI notices', 'notice', 'pending', 'tilak-shoes');
  const several = stated('FSSAI sends notices to Kiri Foods', 'notice', 'pending');
  const shared = stated('CCI fines Kiri Foods ₹14 crore', 'penalty', 'decided', 'kiri-foods', {
    regulator: 'CCI',
    summary: 'The CCI fined Kiri Foods and sixteen dealers ₹14 crore.',
  });
  const ALL = [small, large, contested, warned];
  const PENALTIES = { kinds: ['rules'], action: 'penalty' } as const satisfies Query;
  const counted = { intent: 'count', measure: 'signals' } as const satisfies Query;
  const NOTICES = { kinds: ['rules'], action: 'notice', ...counted } as const satisfies Query;
  const another = { ...PENALTIES, ...counted, mentions: [{ type: 'regulator' as const, name: 'CCPA' }] };
  const ADDITION = /₹10 lakh of penalties.*\(₹3 lakh \+ ₹7 lakh = ₹10 lakh\)/;
  const LARGEST = { ...PENALTIES, intent: 'rank', measure: 'fined', order: 'largest' } as const;

  it.each<DraftCase>([
    [
      'how many penalties, without a later step of a case',
      { ...PENALTIES, ...counted },
      ALL,
      { lead: /2 penalties/, items: 2 },
    ],
    ['notices with their number', NOTICES, ALL, { lead: /9 notices/ }],
    [
      'notices without it',
      NOTICES,
      [several],
      { lead: /At least 1 notice/, notes: /without a number of notices counts as one\./ },
    ],
    ['the sum of penalties', { ...PENALTIES, intent: 'sum', measure: 'fined' }, ALL, { lead: ADDITION }],
    ['a fine together with others: not the sum of the firm', PENALTIES, [shared], { lead: /^Kiri Foods, penalty: / }],
    ['the largest, without a case that has no sum', LARGEST, ALL, { cited: [large, small] }],
    [
      'who was fined',
      { ...PENALTIES, intent: 'list' },
      ALL,
      { lead: /Kiri Foods, penalty of Rs 3 lakh/, cited: [small, large] },
    ],
    ['another regulator', another, ALL, { basis: 'none', lead: /No penalties found for CCPA/ }],
  ])('given %s', checkDraft);

  it('given how many penalties, then its rows are shown', () => {
    expect(citedIn(draftOf({ ...PENALTIES, ...counted }, ALL).items, ALL)).toEqual([small.headline, large.headline]);
  });
});
