/** Evidence for a typed query, from a stored record: what is found, in which order, and which filters are given up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidenceOf } from '../../answer/evidence.ts';
import { isSeat } from '../../answer/evidence-fit.ts';
import { type Found, findEvidence } from '../../answer/find-evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { settled } from '../../answer/question/words-left.ts';
import { detailExample } from '../../api/description/examples.ts';
import { StoredSignalId } from '../../schemas/scalar.ts';
import { brandSlug, sourceId } from '../harness/ids.ts';
import { appointment, held, idOf, opening, report, reported, result } from '../projector/signal-events.ts';
import { named, periodOf, placed, queryOf } from './evidence.ts';
import { type AnswerRecord, answerRecord, brand, type NamedSignal, understood } from './record.ts';

const kiri = brand('kiri-foods', 'Kiri Foods');
const juice = brand('kiri-juice', 'Kiri Juice');
const maya = brand('maya-stores', 'Maya Stores');
const tilak = brand('tilak-shoes', 'Tilak Shoes');
const sula = brand('sula-bags', 'Sula Bags');
const lotus = brand('lotus-books', 'Lotus Books');
const footwear = { slug: 'footwear', name: 'Shoe trade' };

const signals: readonly NamedSignal[] = [
  ['opens', understood('Kiri Foods opens a shop in Pune', { brands: [kiri], openings: [opening()] })],
  [
    'shuts',
    understood('Kiri Foods shuts a shop in Pune', {
      brands: [kiri],
      event_at: '2026-11-02T04:00:00Z',
      openings: [opening({ status: 'closed' })],
    }),
  ],
  ['secret', understood('Kiri Foods opens a hidden shop in Pune', { openings: [opening()] }), held('secret')],
  [
    'retired',
    understood('Kiri inaugurates its first shop', {
      brands: [brand('kiri', 'Kiri')],
      cities: ['Nagpur'],
      openings: [opening({ brand: 'Kiri', city: 'Nagpur' })],
    }),
  ],
  [
    'mention',
    understood('Maya Stores opens a store next to Kiri Foods in Nagpur', {
      brands: [maya, { ...kiri, role: 'secondary' }],
      cities: ['Nagpur'],
      event_at: '2026-11-19T04:20:00Z',
      openings: [opening({ brand: 'Maya Stores', city: 'Nagpur' })],
    }),
  ],
  [
    'juice',
    understood('Kiri Juice raises ₹60 Cr', {
      brands: [juice],
      move: 'deals',
      cities: [],
      deal: { type: 'funding', amount: '₹60 Cr', target: 'Kiri Juice', buyers: ['Asha Capital'] },
    }),
    reported('juice', report('juice-2', { outlet: 'Market Gazette', source_id: sourceId('market-gazette') })),
  ],
  [
    'buys',
    understood('Maya Stores buys Lime Labels for ₹200 Cr', {
      brands: [maya],
      move: 'deals',
      cities: [],
      event_at: '2026-10-02T04:00:00Z',
      deal: { type: 'acquisition', amount: '₹200 Cr', target: 'Lime Labels', buyers: ['Maya Stores'] },
    }),
  ],
  [
    'bought',
    understood('Tilak Group takes over Maya Stores', {
      brands: [maya, brand('tilak-group', 'Tilak Group')],
      move: 'deals',
      cities: [],
      event_at: '2026-10-03T04:00:00Z',
      deal: { type: 'acquisition', amount: null, target: 'Maya Stores', buyers: ['Tilak Group'] },
    }),
  ],
  [
    'chief',
    understood('Maya Stores names Asha Rao as chief executive officer', {
      brands: [maya],
      move: 'people',
      cities: [],
      people: [appointment({ company: 'Maya Stores', role: 'Chief Executive Officer' })],
    }),
  ],
  [
    'other-chief',
    understood('Chairman leaves Sula Bags, a sister of Coral Kites', {
      brands: [sula],
      move: 'people',
      cities: [],
      event_at: '2026-10-05T04:00:00Z',
      people: [appointment({ person: 'Dev Shah', company: 'Sula Bags', role: 'chairman', direction: 'left' })],
    }),
  ],
  ['partner', understood('Tilak Shoes opens up on its plans', { brands: [tilak], move: 'strategy', cities: [] })],
  [
    'sofa',
    understood('A maker of sofas moves', {
      theme: { slug: 'home-and-furniture', name: 'Home, furniture and paints' },
      move: 'other',
      brands: [],
      cities: [],
    }),
  ],
  ['theme', understood('Sandal makers gather', { theme: footwear, move: 'other', brands: [], cities: [] })],
  [
    'both',
    understood('Tilak Shoes unveils a boot', { theme: footwear, move: 'launches', brands: [tilak], cities: [] }),
  ],
  [
    'leaves',
    understood('Lotus Books shuts its shop in Salem', {
      brands: [lotus],
      cities: ['Salem'],
      openings: [opening({ city: 'Salem', status: 'closed' })],
    }),
  ],
  [
    'ends',
    understood('Lotus Books winds down its courier business', { brands: [lotus], move: 'strategy', cities: [] }),
  ],
  [
    'notice',
    understood('Food Safety and Standards Authority sends Lotus Books a notice', {
      brands: [lotus],
      move: 'rules',
      cities: [],
    }),
  ],
  ['overseas', understood('Coral Kites takes its kites overseas', { brands: [], move: 'other', cities: [] })],
  [
    'marketer',
    understood('Lotus Books gets new marketing chief', { brands: [lotus], move: 'people', cities: [], people: [] }),
  ],
  [
    'nickname',
    understood('Lotus Books opens a shop in Surat, the Diamond City', {
      brands: [lotus],
      cities: ['Surat'],
      openings: [opening({ brand: 'Lotus Books', city: 'Surat' })],
    }),
  ],
  ...(['Q1 FY27', 'Q2 FY27'] as const).map(
    (period): NamedSignal => [
      period.slice(0, 2).toLowerCase(),
      understood(`Kiri Foods revenue rises in ${period}`, {
        brands: [kiri],
        move: 'results',
        cities: [],
        result: result({ period }),
        event_at: '2026-11-10T04:00:00Z',
      }),
    ],
  ),
];

let record: AnswerRecord;
beforeAll(async () => {
  record = await answerRecord(signals);
});
afterAll(() => record.close());

const find = (changes: Partial<TypedQuery>): Promise<Found> =>
  findEvidence(settled(queryOf(changes)), { ...record, meaning: null, isWide: false, words: changes.words ?? [] });
const nameOf = (id: string): string => signals.find(([name]) => idOf(name) === id)?.[0] ?? id;
/** The names of the signals that a query finds, and of those that are only near. */
async function namesOf(changes: Partial<TypedQuery>): Promise<{ fits: string[]; near: string[]; givenUp: string[] }> {
  const { evidence, near, givenUp } = await find(changes);
  const names = (all: Found['evidence']): string[] => all.map(({ signal }) => nameOf(signal.id));
  return { fits: names(evidence), near: names(near), givenUp: [...givenUp] };
}
const fitsOf = async (changes: Partial<TypedQuery>): Promise<string[]> => (await namesOf(changes)).fits;
const NOVEMBER = periodOf('2026-11-01', '2026-12-01', 'in November 2026');
const OPENED = { kinds: ['stores'], store_status: 'opened' } as const satisfies Partial<TypedQuery>;

describe('the stored text', () => {
  it('given a report, then it is its title and its summary, and what was added to the signal is no part of it', () => {
    const { outlet, url } = { outlet: 'Daily Trade', url: 'https://outlet.test/1' };
    const report = {
      outlet,
      url,
      title: 'Kiri opens a store',
      summary: 'It is in Pune. It is big.',
      published_at: null,
    };
    const { reports, stored } = evidenceOf({
      signal: detailExample,
      moved_at: '2026-11-20T18:40:00Z',
      rank: 1,
      salience: 0,
      about: [],
      reports: [report],
      facts: { deal: null, result: null, results: [], openings: [], people: [] },
    });

    expect(reports.map(({ text, lines }) => [text, lines])).toEqual([
      ['Kiri opens a store\nIt is in Pune. It is big.', ['Kiri opens a store', 'It is in Pune.', 'It is big.']],
    ]);
    for (const added of [detailExample.why_it_matters, detailExample.what_to_watch])
      expect(stored).not.toContain(added);
  });

  it('given a moment late in UTC, then the day of the evidence is that of IST', () => {
    const { day } = evidenceOf({
      signal: detailExample,
      moved_at: '2026-11-20T18:40:00Z',
      rank: 1,
      salience: 0,
      about: [],
      reports: [],
      facts: { deal: null, result: null, results: [], openings: [], people: [] },
    });

    expect(day).toBe('2026-11-21');
  });
});

describe('filters that say what is meant', () => {
  it('given closed stores of a brand that only opened some, then these are near, and no answer', async () => {
    const { fits, near } = await namesOf({ brands: named('maya-stores'), kinds: ['stores'], store_status: 'closed' });

    expect(fits).toEqual([]);
    expect(near).toContain('mention');
  });

  it('given a first store that is asked for, then a store of the brand with another status is the answer', async () => {
    const { fits } = await namesOf({
      brands: named('maya-stores'),
      kinds: ['stores'],
      store_status: 'planned',
      words: ['first'],
    });

    expect(fits).toContain('mention');
  });
});

describe('names', () => {
  it('given a brand, then what is about it, its retired slug or a brand that it owns, and nothing that is held', async () => {
    const fits = await fitsOf({ brands: named('kiri-foods') });

    expect(new Set(fits)).toEqual(new Set(['opens', 'shuts', 'retired', 'mention', 'juice', 'q1', 'q2']));
  });

  it('given a signal about the brand and one that only mentions it, then the latter comes after it', async () => {
    const fits = await fitsOf({ brands: named('kiri-foods'), ...OPENED });

    expect(fits.indexOf('opens')).toBeLessThan(fits.indexOf('mention'));
    expect(fits).not.toContain('shuts');
  });

  it('given a brand that is owned, then its sister and parent brands are not found', async () => {
    const brands: TypedQuery['brands'] = [{ slug: brandSlug('kiri-juice'), name: 'Kiri Juice' }];

    expect(await fitsOf({ brands })).toEqual(['juice']);
  });

  it('given several brands, then signals of each', async () => {
    const fits = await fitsOf({ brands: named('maya-stores', 'tilak-shoes') });

    expect(new Set(fits)).toEqual(new Set(['mention', 'buys', 'bought', 'chief', 'partner', 'both']));
  });

  it('given a name that only texts have, then they are found by its words; another unknown name finds nothing', async () => {
    expect(await fitsOf({ unknown_names: ['Lime Labels'] })).toEqual(['buys']);
    expect(await namesOf({ unknown_names: ['Unheardof Labels'], ...OPENED })).toMatchObject({ fits: [] });
  });

  it('given a brand without a signal, then nothing fits and nothing is near', async () => {
    const brands: TypedQuery['brands'] = [{ slug: brandSlug('noor-watches'), name: 'Noor Watches' }];

    expect(await namesOf({ brands, ...OPENED })).toMatchObject({ fits: [], near: [] });
  });

  it('given an outlet, then only signals that it reported', async () => {
    expect(await fitsOf({ mentions: [{ type: 'outlet', name: 'Market Gazette' }] })).toEqual(['juice']);
  });

  it('given an investor, then the signals whose text or deal has the name', async () => {
    expect(await fitsOf({ mentions: [{ type: 'investor', name: 'Asha Capital' }], kinds: ['deals'] })).toEqual([
      'juice',
    ]);
  });
});

describe('places, categories and themes', () => {
  it('given a city, then only what happened there', async () => {
    expect(new Set(await fitsOf({ places: placed('Nagpur') }))).toEqual(new Set(['retired', 'mention']));
  });

  it('given a region, then its cities', async () => {
    const fits = await fitsOf({ places: [{ name: 'Maharashtra', cities: ['Pune', 'Nagpur'] }] });

    expect(new Set(fits)).toEqual(new Set(['opens', 'shuts', 'retired', 'mention']));
  });

  it('given a category, then its brands and its theme, each signal once', async () => {
    const fits = await fitsOf({ categories: ['footwear'] });

    expect(fits.toSorted()).toEqual(['both', 'partner', 'theme']);
  });

  it('given a category whose word is only in the nickname of a city, then that signal is no answer', async () => {
    expect(await fitsOf({ categories: ['jewellery'], places: placed('Surat') })).toEqual([]);
  });

  it('given restaurants, then a shop of another kind is none', async () => {
    expect(await fitsOf({ categories: ['restaurants_and_cafes'], places: placed('Surat') })).toEqual([]);
  });

  it('given a category that is only in the name of a theme of several, then its signals are no answer', async () => {
    expect(await fitsOf({ categories: ['paints'] })).toEqual([]);
  });

  it('given a theme, then the signals of it come before those that only have its words', async () => {
    const fits = await fitsOf({ themes: [footwear] });

    expect(new Set(fits.slice(0, 2))).toEqual(new Set(['both', 'theme']));
    expect(fits.slice(2)).toEqual(['partner']);
  });

  it('given a theme that questions name by other words than its own, then a signal with such a word is of it', async () => {
    expect(await fitsOf({ themes: [{ slug: 'indian-brands-abroad', name: 'Indian brands abroad' }] })).toEqual([
      'overseas',
    ]);
  });
});

describe('kinds of move', () => {
  it('given a kind, then signals of it, and those that state a fact of it', async () => {
    const fits = await fitsOf({ kinds: ['deals'] });

    expect(new Set(fits)).toEqual(new Set(['juice', 'buys', 'bought']));
  });

  it('given a kind and words, then the kind weighs, and a signal of another kind with the words is found', async () => {
    const fits = await fitsOf({ brands: named('tilak-shoes'), kinds: ['launches'], words: ['plans'] });

    expect(new Set(fits)).toEqual(new Set(['both', 'partner']));
  });

  it('given a status of stores, then signals that state another are left out', async () => {
    const closed = await fitsOf({ brands: named('kiri-foods'), kinds: ['stores'], store_status: 'closed' });

    expect(closed).toEqual(['shuts']);
  });

  it('given closures, then a business that was wound down is one', async () => {
    const closed = await fitsOf({ kinds: ['stores'], store_status: 'closed' });

    expect(new Set(closed)).toEqual(new Set(['shuts', 'leaves', 'ends']));
  });

  it('given a regulator, then the signals that name it in any form', async () => {
    expect(await fitsOf({ mentions: [{ type: 'regulator', name: 'FSSAI' }] })).toEqual(['notice']);
    expect(await fitsOf({ mentions: [{ type: 'regulator', name: 'CCI' }] })).toEqual([]);
  });

  it('given openings in another country that no signal names, then signals of India are no answer', async () => {
    const { fits } = await namesOf({ ...OPENED, places: placed('Dubai') });

    expect(fits).toEqual([]);
  });

  it('given openings of a city where a shop only closed, then the closure is near, and no answer', async () => {
    const openings = { kinds: ['stores'], store_status: 'openings' } as const satisfies Partial<TypedQuery>;

    expect(await namesOf({ ...openings, places: placed('Salem') })).toMatchObject({ fits: [], near: ['leaves'] });
    expect(await fitsOf({ ...openings, places: placed('Surat') })).toEqual(['nickname']);
  });

  it.each([
    ['buyer', 'buys'],
    ['target', 'bought'],
  ] as const)('given a brand as the %s of a deal, then that deal comes first', async (role, name) => {
    const deal = { types: ['acquisition' as const], status: null, role };

    expect((await fitsOf({ brands: named('maya-stores'), kinds: ['deals'], deal }))[0]).toBe(name);
  });

  it('given an amount, then deals below it are left out', async () => {
    const condition = { metric: 'amount', is: 'above', value: 1e9, unit: 'rupees' } as const;

    expect(await fitsOf({ kinds: ['deals'], condition })).toEqual(['buys']);
    expect(await fitsOf({ condition: { ...condition, is: 'below' } })).toEqual(['juice']);
  });

  it('given a deal of just the amount, then it is one of at least as much, and none above', async () => {
    const condition = { metric: 'amount', is: 'above', value: 2e9, unit: 'rupees' } as const;

    expect(await fitsOf({ kinds: ['deals'], condition })).toEqual([]);
    expect(await fitsOf({ kinds: ['deals'], condition: { ...condition, or_equal: true } })).toEqual(['buys']);
  });

  it('given a seat of a company, then who left the same seat at another one is no answer', async () => {
    const person = { role: 'chairman', direction: null, name: null, asks: null } as const;

    const of = (slug: string, name: string) =>
      fitsOf({ kinds: ['people'], person, brands: [{ slug: brandSlug(slug), name }] });

    expect(await of('sula-bags', 'Sula Bags')).toEqual(['other-chief']);
    expect(await of('coral-kites', 'Coral Kites')).toEqual([]);
  });

  it('given who took a seat, then a headline that names the seat without a verb of joining is the answer', async () => {
    const person = { role: 'CMO', direction: 'joined', name: null, asks: null } as const;
    const brands = [{ slug: brandSlug('lotus-books'), name: 'Lotus Books' }];

    expect(await fitsOf({ brands, kinds: ['people'], person })).toEqual(['marketer']);
  });

  it('given a seat, then it is found by any of its spellings', async () => {
    const person = { role: 'CEO', direction: 'joined', name: null, asks: null } as const;

    expect(await fitsOf({ brands: named('maya-stores'), kinds: ['people'], person })).toEqual(['chief']);
    expect(
      [
        ['CEO', 'Group CEO & MD'],
        ['CEO', 'managing director for India'],
        ['CFO', 'Chief Financial Officer'],
        ['CFO', 'CEO'],
      ].map(([asked = '', written = '']) => isSeat(asked, written)),
    ).toEqual([true, true, true, false]);
  });
});

describe('time', () => {
  it('given a period, then only what moved in it', async () => {
    expect(await fitsOf({ brands: named('maya-stores'), kinds: ['deals'], period: NOVEMBER })).toEqual([]);
    expect(new Set(await fitsOf({ brands: named('maya-stores'), period: NOVEMBER }))).toEqual(
      new Set(['mention', 'chief']),
    );
  });

  it('given a fiscal quarter, then its results are those reported for it after its end, and no others', async () => {
    const period = periodOf('2026-07-01', '2026-10-01', 'in Q2 FY27', 'Q2 FY27');

    expect(await fitsOf({ brands: named('kiri-foods'), kinds: ['results'], intent: 'result', period })).toEqual(['q2']);
  });

  it('given a fiscal quarter, then a store that opened after it is not of it', async () => {
    const period = periodOf('2026-07-01', '2026-10-01', 'in Q2 FY27', 'Q2 FY27');

    expect(await fitsOf({ brands: named('kiri-foods'), ...OPENED, period })).not.toContain('opens');
  });

  it('given a record, then it says when the record begins', async () => {
    expect((await find({ brands: named('kiri-foods') })).began).toEqual(new Date('2026-10-02T04:00:00Z'));
  });

  it.each(['newest', 'oldest'] as const)('given the order %j, then by the day of the move', async (order) => {
    const { evidence } = await find({ brands: named('kiri-foods'), order });
    const days = evidence.map(({ moved_at }) => moved_at);
    const sorted = days.toSorted();

    expect(days).toEqual(order === 'newest' ? sorted.toReversed() : sorted);
  });
});

describe('what is left out', () => {
  it('given excluded brands, places and kinds, then none of them', async () => {
    const none = { ...queryOf().except };

    expect(await fitsOf({ ...OPENED, except: { ...none, brands: named('kiri-foods') } })).toEqual([
      'nickname',
      'mention',
    ]);
    expect(await fitsOf({ kinds: ['stores'], except: { ...none, places: placed('Nagpur') } })).not.toContain('retired');
    expect(await fitsOf({ brands: named('kiri-foods'), except: { ...none, kinds: ['stores'] } })).not.toContain(
      'opens',
    );
  });

  it('given a minimum of outlets, then signals with fewer are left out', async () => {
    expect(await fitsOf({ period: NOVEMBER, minimum_outlets: 2 })).toEqual(['juice']);
  });

  it('given too few outlets for a store that closed, then no other store is taken for one', async () => {
    const closed = await namesOf({ ...OPENED, store_status: 'closed', minimum_outlets: 2 });

    expect(closed.fits).toEqual([]);
  });

  it('given signals of the answer before, then only among these', async () => {
    const among = ['shuts', 'both'].map((name) => StoredSignalId.parse(idOf(name)));

    expect(new Set(await fitsOf({ among }))).toEqual(new Set(['shuts', 'both']));
    expect(await fitsOf({ among, kinds: ['launches'] })).toEqual(['both']);
  });
});

describe('words', () => {
  it('given words that some have, then the others are left out, and nothing is unmet', async () => {
    const found = await find({ kinds: ['launches', 'strategy', 'other'], words: ['sandal'] });

    expect(found.evidence.map(({ signal }) => nameOf(signal.id))).toEqual(['theme']);
    expect(found).toMatchObject({ unmet: [], isByChance: true });
  });

  it('given a word with a slip that no report has, then the word of the reports is looked for', async () => {
    const found = await find({ kinds: ['launches', 'strategy', 'other'], words: ['sandol'] });

    expect(found.evidence.map(({ signal }) => nameOf(signal.id))).toEqual(['theme']);
    expect(found.unmet).toEqual([]);
  });

  it('given another word of the trade for the same, then it is met', async () => {
    expect((await find({ brands: named('kiri-foods'), kinds: ['stores'], words: ['outlet'] })).unmet).toEqual([]);
  });

  it('given words that no signal has, then they are named', async () => {
    const found = await find({ brands: named('kiri-foods'), places: placed('Pune'), words: ['rent'] });

    expect(found.unmet).toEqual(['rent']);
  });

  it('given nothing but words that no signal has, then nothing is found', async () => {
    expect(await find({ words: ['zyzzyva', 'xylograph'] })).toMatchObject({
      evidence: [],
      near: [],
      unmet: ['zyzzyva', 'xylograph'],
      coverage: 0,
    });
  });

  it('given an unknown name without a capital, or together with a known brand, then it is a word', () => {
    expect(settled(queryOf({ unknown_names: ['lime labels'] }))).toMatchObject({
      unknown_names: [],
      words: ['lime', 'labels'],
    });
    expect(settled(queryOf({ brands: named('kiri-foods'), unknown_names: ['Lime'] }))).toMatchObject({
      unknown_names: [],
      words: ['lime'],
    });
    expect(settled(queryOf({ unknown_names: ['Lime'] })).unknown_names).toEqual(['Lime']);
  });
});

describe('a query that nothing fits', () => {
  it.each<[string, Partial<TypedQuery>, string]>([
    ['a place', { brands: named('kiri-foods'), places: placed('Bengaluru') }, 'places'],
    [
      'a time',
      { brands: named('kiri-foods'), period: periodOf('2020-03-01', '2020-04-01', 'in March 2020') },
      'period',
    ],
    ['a kind', { brands: named('kiri-foods'), kinds: ['rules'] }, 'kinds'],
  ])(
    'given %s without a signal, then it is given up, and the nearest signals have the rest',
    async (_, changes, part) => {
      const { near, givenUp } = await find(changes);

      expect(givenUp).toEqual([part]);
      expect(near.length).toBeGreaterThan(0);
      for (const { signal, stems } of near)
        expect(signal.brands.some(({ slug }) => slug.startsWith('kiri')) || stems.has('kiri')).toBe(true);
    },
  );

  it('given a filter of weight that is given up, then what is near does not count as evidence', async () => {
    expect((await namesOf({ brands: named('kiri-foods'), places: placed('Bengaluru') })).fits).toEqual([]);
  });

  it('given several filters that nothing meets, then as few as possible are given up, the brand never', async () => {
    const { near, givenUp } = await namesOf({
      brands: named('tilak-shoes'),
      places: placed('Bengaluru'),
      kinds: ['rules'],
    });

    expect(givenUp).toEqual(['kinds', 'places']);
    expect(new Set(near)).toEqual(new Set(['partner', 'both']));
  });
});
