import { describe, expect, it } from 'vitest';
import { confidenceOf } from '../../answer/draft.ts';
import type { Evidence } from '../../answer/evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { brandSlug } from '../harness/ids.ts';
import { appointment, opening, result } from '../projector/signal-events.ts';
import {
  BRANDS,
  citedIn,
  draftOf,
  evidence,
  foundOf,
  leadOf,
  named,
  opened,
  periodOf,
  placed,
  REFUSED,
  raised,
  STORES,
  type TestBrand,
} from './evidence.ts';

it('given companies side by side without what is measured, then what is about both comes first, and no number is stated', () => {
  const both = { ...evidence('Maya Stores overtakes Kiri Foods in orders', 'maya-stores'), salience: 1 };
  const about = { ...both, about: [brandSlug('kiri-foods'), brandSlug('maya-stores')] };
  const draft = draftOf({ intent: 'compare', by: 'brand', brands: named('kiri-foods', 'maya-stores') }, [
    evidence('Kiri Foods opens a warehouse'),
    about,
  ]);

  expect(leadOf(draft)).toContain('“Maya Stores overtakes Kiri Foods in orders”');
  expect(draft.basis).toBe('named');
});

describe('networks side by side', () => {
  const NETWORKS = {
    intent: 'compare',
    kinds: ['stores'],
    measure: 'network',
    by: 'brand',
    brands: named('kiri-foods', 'maya-stores'),
  } satisfies Partial<TypedQuery>;
  const kiri = evidence('Kiri Foods expands to 1,000 stores');
  const maya = evidence('Maya Stores now has 90 stores', 'maya-stores');

  it('given a total of each, then both are the answer', () => {
    expect(citedIn(draftOf(NETWORKS, [kiri, maya]).lead, [kiri, maya])).toHaveLength(2);
  });

  it('given a total of one, then it says that the other has none', () => {
    const draft = draftOf(NETWORKS, [kiri]);

    expect(leadOf(draft)).toContain('1,000');
    expect(draft.notes.join(' ')).toContain('Not all of them have a total');
  });
});

const SUM = {
  intent: 'sum',
  kinds: ['deals'],
  measure: 'raised',
  brands: named('kiri-foods'),
} as const satisfies Partial<TypedQuery>;

describe('money with its other side', () => {
  const round = evidence('Kiri Foods raises ₹60 Cr from Asha Ventures', 'kiri-foods', {
    signal: { move: 'deals', summary: 'The round was led by Asha Ventures.' },
    deal: { type: 'funding', amount: '₹60 Cr', target: 'Kiri Foods', buyers: ['Asha Ventures', 'Another Fund'] },
  });
  it('given rounds of a trade, then what a company of another trade raised to sell by it does not count', () => {
    const rounds = [
      evidence('Quick commerce startup Zipkart raises ₹60 Cr', null, {
        deal: { type: 'funding', amount: '₹60 Cr', target: 'Zipkart', buyers: [] },
      }),
      evidence('Supplements maker Oon raises ₹90 Cr to enter quick commerce', null, {
        deal: { type: 'funding', amount: '₹90 Cr', target: 'Oon', buyers: [] },
      }),
    ];

    expect(leadOf(draftOf({ ...SUM, brands: [], categories: ['quick_commerce'] }, rounds))).toMatch(
      /^₹60 crore raised/,
    );
  });

  it('given a sum of few rounds, then it says who put up the money, as far as the report names them', () => {
    const [item] = draftOf(SUM, [round]).items;

    expect(item?.markdown).toContain('₹60 crore from Asha Ventures**');
    expect(item?.markdown).not.toContain('Another Fund');
    expect(item?.markdown).toContain('“The round was led by Asha Ventures.”');
  });

  it('given rounds whose facts are held back, then their amounts are stated as the headlines have them, and nothing is denied', () => {
    const held = evidence('Kiri Foods nets ₹90 Cr', 'kiri-foods', { signal: { move: 'deals', kind: 'Funding' } });
    const demand = evidence('City raises ₹54 Cr tax demand on Maya Stores', 'maya-stores', {
      signal: { move: 'deals', kind: 'Deal' },
    });
    const draft = draftOf({ ...SUM, brands: [] }, [held, demand]);

    expect(leadOf(draft)).toContain('₹90 Cr');
    expect(draft.basis).toBe('fact');
    expect(citedIn([...draft.lead, ...draft.items], [held, demand])).toEqual([held.headline]);
  });

  it('given companies side by side of which one has an amount, then that is not the answer', () => {
    const held = evidence('Kiri Foods nets ₹90 Cr', 'kiri-foods', { signal: { move: 'deals', kind: 'Funding' } });
    const other = evidence('Maya Stores gets money', 'maya-stores', { signal: { move: 'deals', kind: 'Funding' } });
    const query = { ...SUM, intent: 'compare', by: 'brand', brands: named('kiri-foods', 'maya-stores') } as const;
    const draft = draftOf(query, [held, other]);

    expect(citedIn([...draft.lead, ...draft.items], [held, other])).toEqual([held.headline, other.headline]);
  });

  it('given the sum of stake sales, then the amounts that holders sold for are added up', () => {
    const sale = (amount: string): Evidence =>
      evidence(`Asha sells Kiri Foods shares for ${amount}`, 'kiri-foods', {
        signal: { move: 'deals' },
        deal: { type: 'stake_sale', amount, target: 'Kiri Foods', buyers: [] },
      });
    const deal = { types: ['stake_sale' as const], role: null, status: null };

    expect(leadOf(draftOf({ ...SUM, measure: 'spent', deal }, [sale('₹60 Cr'), sale('₹90 Cr')]))).toMatch(
      /^₹150 crore of shares sold .*\(₹60 crore \+ ₹90 crore = ₹150 crore\)/,
    );
  });
});

describe('the extreme of a word', () => {
  const RANK = {
    intent: 'rank',
    kinds: ['deals'],
    by: 'brand',
    measure: 'signals',
    order: 'largest',
  } as const satisfies Partial<TypedQuery>;
  const exit = evidence('Asha exits Kiri Foods with a return of 11x, sells for ₹20 Cr', 'kiri-foods', {
    signal: { move: 'deals' },
    deal: { type: 'stake_sale', amount: '₹20 Cr', target: 'Kiri Foods', buyers: [] },
  });

  it('given signals with the word, then only they are ordered', () => {
    const draft = draftOf({ ...RANK, words: ['return'] }, [raised('₹90 Cr'), exit]);

    expect(citedIn([...draft.lead, ...draft.items], [exit])).toEqual([exit.signal.headline]);
  });

  it('given none with it, then an amount is no answer', () => {
    expect(draftOf({ ...RANK, words: ['return'] }, [raised('₹90 Cr')])).toMatchObject(REFUSED);
  });
});

describe('a count', () => {
  it('given stores of several signals, then the sum is shown with its addition, and all of them are cited', () => {
    const all = [opened(3), opened(2, 'kiri-foods', 'Nagpur')];
    const draft = draftOf({ intent: 'count', ...STORES, brands: named('kiri-foods') }, all);

    expect(leadOf(draft)).toMatch(/^5 stores opened\b.*\bby 2 signals \(3 \+ 2 = 5\)/);
    expect(draft.basis).toBe('counted');
    expect(new Set(draft.lead[0]?.ids)).toEqual(new Set(all.map(({ signal }) => signal.id)));
    expect(draft.items).toHaveLength(2);
  });

  it('given a report without a number, then it counts as one, and the answer says at least', () => {
    const draft = draftOf({ intent: 'count', ...STORES, brands: named('kiri-foods') }, [opened(3), opened(null)]);

    expect(leadOf(draft)).toMatch(/^At least 4 stores opened/);
    expect(draft.notes.join(' ')).toMatch(/counts as one/);
  });

  it('given deals in talks, then they are counted apart from those that are done', () => {
    const deal = { type: 'acquisition' as const, amount: null, target: 'Lime', buyers: ['Kiri Foods'] };
    const done = evidence('Kiri Foods buys Lime', 'kiri-foods', { deal: { ...deal, status: null } });
    const talks = evidence('Kiri Foods in talks to buy Lime', 'kiri-foods', { deal: { ...deal, status: 'rumoured' } });
    const draft = draftOf({ intent: 'count', kinds: ['deals'], measure: 'signals' }, [done, talks]);

    expect(leadOf(draft)).toMatch(/^1 deal /);
    expect(draft.notes).toContain('1 deal only planned or in talks is not counted.');
  });

  it('given planned and closed stores, then they are counted apart', () => {
    const all = [
      opened(3),
      evidence('Kiri Foods to open 9', 'kiri-foods', { openings: [opening({ stores: 9, status: 'announced' })] }),
      evidence('Kiri Foods shuts 2', 'kiri-foods', { openings: [opening({ stores: 2, status: 'closed' })] }),
    ];
    const draft = draftOf({ intent: 'count', ...STORES, brands: named('kiri-foods') }, all);

    expect(leadOf(draft)).toMatch(/^3 stores opened.*9 stores announced or planned.*2 stores closed/);
    expect(draft.lead.map(({ ids }) => ids)).toEqual(all.map(({ signal }) => [signal.id]));
  });

  it('given a brand and a place, then stores of another brand, and elsewhere, do not count', () => {
    const all = [opened(3), opened(20, 'maya-stores'), opened(50, 'kiri-foods', 'Nagpur')];
    const draft = draftOf({ intent: 'count', ...STORES, brands: named('kiri-foods'), places: placed('Pune') }, all);

    expect(leadOf(draft)).toMatch(/^3 stores opened .*in Pune/);
    expect(citedIn(draft.lead, all)).toEqual([all[0]?.signal.headline]);
  });

  it('given more signals than are quoted, then the others are counted in a line of their own, and cited', () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      evidence(`Kiri Foods opens number ${index + 100}`, 'kiri-foods', { openings: [opening()] }),
    );
    const draft = draftOf({ intent: 'count', ...STORES, brands: named('kiri-foods') }, all);
    const [rest] = draft.items.toReversed();

    expect(leadOf(draft)).toMatch(/^20 stores opened/);
    expect(rest?.quotes).toEqual([]);
    expect(new Set(draft.items.flatMap(({ ids }) => ids)).size).toBe(20);
  });

  it('given signals, people or deals, then each is counted as what it is', () => {
    const people = [appointment(), appointment({ person: 'Dev Shah' })];
    const hired = evidence('Asha Rao and Dev Shah join', 'kiri-foods', { signal: { move: 'people' }, people });
    const brands = named('kiri-foods');

    expect(leadOf(draftOf({ intent: 'count', brands, kinds: ['people'], measure: 'people' }, [hired]))).toMatch(
      /^2 people\b/,
    );
    expect(
      leadOf(draftOf({ intent: 'count', brands, kinds: ['deals'], measure: 'signals' }, [raised('₹60 Cr')])),
    ).toMatch(/^1 deal\b/);
  });

  it('given no row of the status that is asked for, and no name, then it is a refusal with what is near', () => {
    const draft = draftOf({ intent: 'count', ...STORES, store_status: 'closed', places: placed('Pune') }, [opened(1)]);

    expect(draft).toMatchObject(REFUSED);
    expect([confidenceOf(draft), draft.items.length]).toEqual([0, 1]);
    expect(leadOf(draft)).toMatch(/^No stores closed found/);
  });

  it('given the stores that a company has, then the newest report of a total is quoted, and openings do not count', () => {
    const total = (number: number, day: string): Evidence =>
      evidence(`Kiri Foods now has ${number} stores`, 'kiri-foods', { day });
    const all = [opened(30), total(210, '2026-09-01'), total(240, '2026-11-01')];
    const draft = draftOf({ intent: 'count', kinds: ['stores'], measure: 'network', brands: named('kiri-foods') }, all);

    expect(citedIn([...draft.lead, ...draft.items], all)).toEqual([
      'Kiri Foods now has 240 stores',
      'Kiri Foods now has 210 stores',
    ]);
  });
});

describe('a sum', () => {
  it('given amounts of one currency, then their sum with its addition', () => {
    expect(leadOf(draftOf(SUM, [raised('₹60 Cr'), raised('₹30 Cr')]))).toMatch(
      /^₹90 crore raised\b.*\(₹60 crore \+ ₹30 crore = ₹90 crore\)/,
    );
  });

  it('given two currencies, then both, the larger first, and no addition', () => {
    const draft = draftOf(SUM, [raised('₹60 Cr'), raised('$10 million')]);

    expect(leadOf(draft)).toMatch(/^\$10 million and ₹60 crore raised\b/);
    expect(leadOf(draft)).not.toContain('=');
    expect(draft.lead[0]?.ids).toHaveLength(2);
  });

  it('given a stake that holders sold, then it is stated apart, and not added', () => {
    const sold = evidence('Asha sells ₹500 Cr of Kiri Foods', 'kiri-foods', {
      signal: { move: 'deals' },
      deal: { type: 'stake_sale', amount: '₹500 Cr', target: 'Kiri Foods', buyers: [] },
    });
    const draft = draftOf(SUM, [raised('₹60 Cr'), sold]);

    expect(draft.lead[0]?.markdown).toMatch(/^₹60 crore raised/);
    expect(draft.lead[1]).toMatchObject({
      markdown: expect.stringMatching(/[Nn]ot counted.*₹500 crore/),
      ids: [sold.signal.id],
    });
  });

  it('given what a buyer spent, then it is a sum of the buyer alone', () => {
    const bought = evidence('Kiri Foods buys Lime for ₹70 Cr', 'kiri-foods', {
      signal: { move: 'deals' },
      deal: { type: 'acquisition', amount: '₹70 Cr', target: 'Lime', buyers: ['Kiri Foods'] },
    });

    expect(leadOf(draftOf({ ...SUM, measure: 'spent' }, [bought, raised('₹60 Cr')]))).toMatch(/^₹70 crore spent/);
  });

  it('given money of another brand, then none is counted for the one that is asked for', () => {
    const draft = draftOf(SUM, [raised('₹60 Cr', 'maya-stores')]);

    expect(draft.basis).not.toBe('counted');
    expect(leadOf(draft)).not.toMatch(/₹60 crore raised/);
  });
});

describe('a ranking', () => {
  const RANK = { intent: 'rank', ...STORES, by: 'brand', order: 'largest' } as const satisfies Partial<TypedQuery>;

  it('given groups, then the largest is first, each with its number and signals', () => {
    const all = [opened(3), opened(9, 'maya-stores'), opened(1, 'tilak-shoes')];
    const draft = draftOf(RANK, all);

    expect(draft.lead.map(({ markdown }) => markdown.split(':')[0])).toEqual([
      'Maya Stores',
      'Kiri Foods',
      'Tilak Shoes',
    ]);
    expect(leadOf(draft)).toMatch(/^Maya Stores: 9 stores opened .*the most of 3/);
    expect(citedIn(draft.lead, all).map((text) => text.split(' opens')[0])).toEqual([
      'Maya Stores',
      'Kiri Foods',
      'Tilak Shoes',
    ]);
  });

  it('given a limit and the smallest, then only so many of these', () => {
    const all = [opened(3), opened(9, 'maya-stores'), opened(1, 'tilak-shoes')];
    const draft = draftOf({ ...RANK, order: 'smallest', limit: 2 }, all);

    expect(draft.lead.map(({ markdown }) => markdown.split(':')[0])).toEqual(['Tilak Shoes', 'Kiri Foods']);
    expect(leadOf(draft)).toContain('the fewest');
  });

  it('given more groups with the same number than are shown, then none of them has the most', () => {
    const draft = draftOf({ ...RANK, limit: 2 }, [opened(2), opened(2, 'maya-stores'), opened(2, 'tilak-shoes')]);

    expect(leadOf(draft)).toMatch(/^3 names with 2 stores opened each .*among them Kiri Foods and Maya Stores/);
    expect(leadOf(draft)).not.toContain('the most');
  });

  it('given investors, then each is counted by the deals whose text names it', () => {
    const round = (headline: string, brand: TestBrand, investor: string) =>
      evidence(headline, brand, {
        signal: { move: 'deals' },
        deal: { type: 'funding', amount: null, target: BRANDS[brand], buyers: [investor] },
      });
    const all = [
      round('Kiri Foods raises money from Asha Capital', 'kiri-foods', 'Asha Capital'),
      round('Maya Stores raises money from Asha Capital', 'maya-stores', 'Asha Capital'),
      round('Tilak Shoes raises money from Banyan', 'tilak-shoes', 'Banyan'),
    ];
    const draft = draftOf({ intent: 'rank', kinds: ['deals'], by: 'investor', order: 'largest' }, all);

    expect(leadOf(draft)).toMatch(/^Asha Capital: 2 deals .*the most of 2 names/);
  });

  it('given groups with the same number, then they are named together', () => {
    const draft = draftOf(RANK, [opened(2), opened(2, 'maya-stores'), opened(1, 'tilak-shoes')]);

    expect(draft.lead[0]?.markdown).toMatch(/^Kiri Foods and Maya Stores: 2 stores opened each/);
    expect(draft.lead[0]?.ids).toHaveLength(2);
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
    const all = [{ ...first, signal: { ...first.signal, theme } }, opened(1)] satisfies Evidence[];

    expect(leadOf(draftOf({ ...RANK, by }, all))).toMatch(new RegExp(`^(?:in )?${name}: `, 'i'));
  });

  it('given single signals, then they are ordered by the size that they report, and those without are left out', () => {
    const all = [raised('₹60 Cr'), raised('$90 million', 'maya-stores'), evidence('Tilak Shoes sells itself')];
    const draft = draftOf({ intent: 'rank', kinds: ['deals'], measure: 'raised', by: null, order: 'largest' }, all);

    expect(citedIn([...draft.lead, ...draft.items], all)).toEqual([
      'Maya Stores raises $90 million',
      'Kiri Foods raises ₹60 Cr',
    ]);
    expect(draft.notes.join(' ')).toMatch(/1 signal without one/);
  });
});

describe('a comparison', () => {
  const COMPARE = {
    intent: 'compare',
    kinds: ['deals'],
    measure: 'raised',
    by: 'brand',
    order: 'largest',
  } as const satisfies Partial<TypedQuery>;

  it('given brands, then the larger is first, and one without evidence is named', () => {
    const all = [raised('₹60 Cr'), raised('$10 million', 'maya-stores')];
    const draft = draftOf({ ...COMPARE, brands: named('kiri-foods', 'maya-stores', 'tilak-shoes') }, all);

    expect(draft.lead.map(({ markdown }) => markdown.split(':')[0])).toEqual(['Maya Stores', 'Kiri Foods']);
    expect(draft.lead[0]?.markdown).toMatch(/\$10 million raised .*the most/);
    expect(draft.lead.map(({ ids }) => ids.length)).toEqual([1, 1]);
    expect(draft.notes.join(' ')).toMatch(/Nothing .* Tilak Shoes/);
    expect(draft.notes.join(' ')).toContain('₹88 a dollar');
  });

  it('given brands with the same number, then neither has the most', () => {
    const draft = draftOf({ ...COMPARE, ...STORES, brands: named('kiri-foods', 'maya-stores') }, [
      opened(2),
      opened(2, 'maya-stores'),
    ]);

    expect(leadOf(draft)).not.toContain('the most');
  });

  it('given places, then each has its own stores', () => {
    const all = [opened(3), opened(8, 'kiri-foods', 'Nagpur')];
    const draft = draftOf({ ...COMPARE, ...STORES, by: 'city', places: placed('Pune', 'Nagpur') }, all);

    expect(draft.lead.map(({ markdown }) => markdown.match(/^(\w+): (\d+) stores/)?.slice(1))).toEqual([
      ['Nagpur', '8'],
      ['Pune', '3'],
    ]);
  });

  it('given periods, then one measure for each, and one without is said to have none', () => {
    const query = {
      ...COMPARE,
      ...STORES,
      by: 'period',
      brands: named('kiri-foods'),
      period: periodOf('2026-11-01', '2026-12-01', 'in November 2026'),
      against: periodOf('2026-10-01', '2026-11-01', 'in October 2026'),
    } as const satisfies Partial<TypedQuery>;
    const both = draftOf(query, [opened(3)], { before: foundOf([opened(5, 'kiri-foods', 'Nagpur')]) });
    const one = draftOf(query, [opened(3)], { before: foundOf([]) });

    expect(both.lead.map(({ markdown }) => markdown.match(/^In (\w+) .*?(\d+) stores/)?.slice(1))).toEqual([
      ['November', '3'],
      ['October', '5'],
    ]);
    expect(one.lead).toHaveLength(1);
    expect(one.notes.join(' ')).toMatch(/October 2026.*none on record/);
  });

  it('given nothing of either, then it is a refusal', () => {
    expect(draftOf({ ...COMPARE, brands: named('kiri-foods', 'maya-stores') }, [])).toMatchObject(REFUSED);
  });
});

it('given deals above an amount, then the largest comes first, and what is only talked about comes last', () => {
  const condition = { metric: 'amount', is: 'above', value: 1e9, unit: 'rupees' } as const;
  const deals = [raised('₹200 crore'), raised('₹900 crore', 'maya-stores')];
  const draft = draftOf({ intent: 'list', kinds: ['deals'], condition }, deals);

  expect(draft.notes.join(' ')).toContain('Ordered by the amount');
  expect(citedIn([...draft.lead, ...draft.items], deals)).toEqual(
    deals.toReversed().map(({ signal }) => signal.headline),
  );
});

it('given a question about prices, then the rows of prices are the answer, those that the question wants', () => {
  const change = (brand: string, direction: 'raised' | 'cut') => ({
    brand,
    direction,
    product: 'ghee',
    from: null,
    to: null,
    by: '₹40',
    change_pct: null,
    place: null,
    effective: null,
  });
  const signal = { move: 'launches' } as const;
  const all = [
    evidence('Kiri Foods raises the price of ghee', 'kiri-foods', { signal, prices: [change('Kiri Foods', 'raised')] }),
    evidence('Maya Stores cuts the price of ghee', 'maya-stores', { signal, prices: [change('Maya Stores', 'cut')] }),
  ];

  expect(leadOf(draftOf({ kinds: ['launches'], words: ['cut', 'prices'] }, all))).toMatch(/^Price cut: Maya Stores/);
  expect(draftOf({ kinds: ['launches'], words: ['prices'] }, all).items).toHaveLength(1);
  expect(leadOf(draftOf({ kinds: ['launches'], words: ['ghee', 'price', 'hike'] }, all))).toMatch(
    /^Price raised: Kiri/,
  );
  // "At a competitive price point" asks for no change of a price.
  expect(leadOf(draftOf({ kinds: ['launches'], words: ['competitive', 'price', 'point'] }, all))).not.toMatch(/^Price/);
});

it('given a figure whose words no report has, then it is no certain answer: the export revenue of a company', () => {
  const asked = {
    intent: 'result',
    kinds: ['results'],
    brands: named('kiri-foods'),
    metric: 'revenue',
    words: ['export'],
  } satisfies Partial<TypedQuery>;
  const basisOf = (headline: string): string =>
    draftOf(asked, [evidence(headline, 'kiri-foods', { results: [result({ company: 'Kiri Foods' })] })]).basis;

  expect(basisOf('Kiri Foods revenue rises')).toBe('loosely');
  expect(basisOf('Kiri Foods export revenue rises')).toBe('fact');
});

describe('what regulators and courts did', () => {
  const stated = (
    headline: string,
    action: 'penalty' | 'notice',
    status: 'decided' | 'pending' | 'appealed',
    brand: TestBrand = 'kiri-foods',
  ): Evidence =>
    evidence(headline, brand, {
      signal: { move: 'rules' },
      enforcement: { regulator: 'FSSAI', firm: BRANDS[brand], action, status },
    });
  const small = stated('FSSAI fines Kiri Foods Rs 3 lakh', 'penalty', 'decided');
  const large = stated('FSSAI fines Maya Stores Rs 7 lakh', 'penalty', 'decided', 'maya-stores');
  const contested = stated('Maya Stores challenges FSSAI penalty', 'penalty', 'appealed', 'maya-stores');
  const warned = stated('Tilak Shoes gets nine FSSAI notices', 'notice', 'pending', 'tilak-shoes');
  const ALL = [small, large, contested, warned];
  const PENALTIES = { kinds: ['rules'], action: 'penalty' } as const satisfies Partial<TypedQuery>;

  it('given how many penalties, then its rows are counted and shown, without a later step of a case', () => {
    const draft = draftOf({ ...PENALTIES, intent: 'count', measure: 'signals' }, ALL);

    expect(leadOf(draft)).toContain('2 penalties');
    expect(citedIn(draft.items, ALL)).toEqual([small.headline, large.headline]);
  });

  it('given a number of notices in a headline, then so many are counted', () => {
    const draft = draftOf({ kinds: ['rules'], action: 'notice', intent: 'count', measure: 'signals' }, ALL);

    expect(leadOf(draft)).toContain('9 notices');
  });

  it('given notices of a headline without their number, then they count as one, and the answer says at least', () => {
    const several = stated('FSSAI sends notices to Kiri Foods', 'notice', 'pending');
    const draft = draftOf({ kinds: ['rules'], action: 'notice', intent: 'count', measure: 'signals' }, [several]);

    expect(leadOf(draft)).toContain('At least 1 notice');
    expect(draft.notes.join(' ')).toContain('A report without a number of notices counts as one.');
  });

  it('given the sum of penalties, then it is added up with its addition', () => {
    const draft = draftOf({ ...PENALTIES, intent: 'sum', measure: 'fined' }, ALL);

    expect(leadOf(draft)).toContain('₹10 lakh of penalties');
    expect(leadOf(draft)).toContain('(₹3 lakh + ₹7 lakh = ₹10 lakh)');
  });

  it('given a fine of a firm together with others, then its sum is not that of the firm', () => {
    const shared = evidence('CCI fines Kiri Foods ₹14 crore', 'kiri-foods', {
      signal: { move: 'rules', summary: 'The CCI fined Kiri Foods and sixteen dealers ₹14 crore.' },
      enforcement: { regulator: 'CCI', action: 'penalty', status: 'decided', firm: 'Kiri Foods' },
    });
    const draft = draftOf({ kinds: ['rules'], action: 'penalty' }, [shared]);

    expect(leadOf(draft)).toMatch(/^Kiri Foods, penalty: /);
  });

  it('given the largest penalty, then the largest comes first, and a case without a sum is none', () => {
    const draft = draftOf({ ...PENALTIES, intent: 'rank', measure: 'fined', order: 'largest' }, ALL);

    expect(citedIn([...draft.lead, ...draft.items], ALL)).toEqual([large.headline, small.headline]);
  });

  it('given who was fined, then each firm is listed with its penalty', () => {
    const draft = draftOf({ ...PENALTIES, intent: 'list' }, ALL);

    expect(leadOf(draft)).toContain('Kiri Foods, penalty of Rs 3 lakh');
    expect(citedIn(draft.items, ALL)).toEqual([large.headline]);
  });

  it('given the penalties of another regulator, then none is counted', () => {
    const mentions = [{ type: 'regulator', name: 'CCPA' }] as const;
    const draft = draftOf({ ...PENALTIES, intent: 'count', measure: 'signals', mentions: [...mentions] }, ALL);

    expect(draft.basis).toBe('none');
    expect(leadOf(draft)).toContain('No penalties found for CCPA');
  });
});
