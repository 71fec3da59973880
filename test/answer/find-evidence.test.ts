/** Evidence for a typed query, from a stored record: what is found, in which order, and which filters are given up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSeat } from '../../answer/evidence-fit.ts';
import { type Found, findEvidence } from '../../answer/find-evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { settled } from '../../answer/question/words-left.ts';
import { detailExample } from '../../api/description/examples.ts';
import { StoredSignalId } from '../../schemas/scalar.ts';
import { brandSlug, sourceId } from '../harness/ids.ts';
import { appointment, held, idOf, report, reported, result } from '../projector/signal-events.ts';
import { exampleEvidence, named, periodOf, placed, queryOf } from './evidence.ts';
import { type AnswerRecord, answerRecord, brand, moved, type NamedSignal, raises, stores } from './record.ts';

const footwear = { slug: 'footwear', name: 'Shoe trade' };
const on = (day: string) => ({ event_at: `2026-${day}T04:00:00Z` });
/** Who buys whom. */
const buys = (buyer: string, target: string, amount: string | null) => ({
  deal: { type: 'acquisition' as const, amount, target, buyers: [buyer] },
});

const signals: readonly NamedSignal[] = [
  ['opens', stores('kiri-foods', 'Kiri Foods opens a shop in Pune')],
  ['shuts', stores('kiri-foods', 'Kiri Foods shuts a shop in Pune', 'Pune', { status: 'closed', ...on('11-02') })],
  ['secret', stores('kiri-foods', 'Kiri Foods opens a hidden shop in Pune'), held('secret')],
  ['retired', stores('kiri', 'Kiri inaugurates its first shop', 'Nagpur')],
  [
    'mention',
    stores('maya-stores', 'Maya Stores opens a store next to Kiri Foods in Nagpur', 'Nagpur', {
      brands: [brand('maya-stores'), brand('kiri-foods', 'secondary')],
      event_at: '2026-11-19T04:20:00Z',
    }),
  ],
  [
    'juice',
    raises('kiri-juice', '₹60 Cr', ['Asha Capital']),
    reported('juice', report('juice-2', { outlet: 'Market Gazette', source_id: sourceId('market-gazette') })),
  ],
  [
    'buys',
    moved('deals', 'maya-stores', 'Maya Stores buys Lime Labels for ₹200 Cr', {
      ...buys('Maya Stores', 'Lime Labels', '₹200 Cr'),
      ...on('10-02'),
    }),
  ],
  [
    'bought',
    moved('deals', 'maya-stores', 'Tilak Group takes over Maya Stores', {
      brands: [brand('maya-stores'), brand('tilak-group')],
      ...buys('Tilak Group', 'Maya Stores', null),
      ...on('10-03'),
    }),
  ],
  [
    'chief',
    moved('people', 'maya-stores', 'Maya Stores names Asha Rao as chief executive officer', {
      people: [appointment({ company: 'Maya Stores', role: 'Chief Executive Officer' })],
    }),
  ],
  [
    'other-chief',
    moved('people', 'sula-bags', 'Chairman leaves Sula Bags, a sister of Coral Kites', {
      people: [appointment({ person: 'Dev Shah', company: 'Sula Bags', role: 'chairman', direction: 'left' })],
      ...on('10-05'),
    }),
  ],
  ['partner', moved('strategy', 'tilak-shoes', 'Tilak Shoes opens up on its plans')],
  [
    'sofa',
    moved('other', null, 'A maker of sofas moves', {
      theme: { slug: 'home-and-furniture', name: 'Home, furniture and paints' },
    }),
  ],
  ['theme', moved('other', null, 'Sandal makers gather', { theme: footwear })],
  ['both', moved('launches', 'tilak-shoes', 'Tilak Shoes unveils a boot', { theme: footwear })],
  ['leaves', stores('lotus-books', 'Lotus Books shuts its shop in Salem', 'Salem', { status: 'closed' })],
  ['ends', moved('strategy', 'lotus-books', 'Lotus Books winds down its courier business')],
  ['notice', moved('rules', 'lotus-books', 'Food Safety and Standards Authority sends Lotus Books a notice')],
  ['overseas', moved('other', null, 'Coral Kites takes its kites overseas')],
  ['marketer', moved('people', 'lotus-books', 'Lotus Books gets new marketing chief')],
  ['nickname', stores('lotus-books', 'Lotus Books opens a shop in Surat, the Diamond City', 'Surat')],
  ...(['Q1 FY27', 'Q2 FY27'] as const).map(
    (period): NamedSignal => [
      period.slice(0, 2).toLowerCase(),
      moved('results', 'kiri-foods', `Kiri Foods revenue rises in ${period}`, {
        result: result({ period }),
        ...on('11-10'),
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
const NOVEMBER = periodOf('2026-11-01', '2026-12-01', 'in November 2026');
const OPENED = { kinds: ['stores'], store_status: 'opened' } as const satisfies Partial<TypedQuery>;

describe('the stored text', () => {
  it('given a report, then it is its title and its summary, and what was added to the signal is no part of it', () => {
    const title = 'Kiri opens a store';
    const url = 'https://outlet.test/1';
    const summary = 'It is in Pune. It is big.';
    const { reports, stored } = exampleEvidence({
      reports: [{ outlet: 'Daily Trade', url, title, summary, published_at: null }],
    });

    expect(reports.map(({ text, lines }) => [text, lines])).toEqual([
      [`${title}\n${summary}`, [title, 'It is in Pune.', 'It is big.']],
    ]);
    for (const added of [detailExample.why_it_matters, detailExample.what_to_watch])
      expect(stored).not.toContain(added);
  });

  it('given a moment late in UTC, then the day of the evidence is that of IST', () => {
    expect(exampleEvidence({ moved_at: '2026-11-20T18:40:00Z' }).day).toBe('2026-11-21');
  });
});

const slugged = (slug: string): TypedQuery['brands'] => [{ slug: brandSlug(slug), name: brand(slug).name }];
const kiri = { brands: named('kiri-foods') };
const maya = { brands: named('maya-stores') };
const CLOSED = { kinds: ['stores'], store_status: 'closed' } as const satisfies Partial<TypedQuery>;
const OPENINGS = { kinds: ['stores'], store_status: 'openings' } as const satisfies Partial<TypedQuery>;
const Q2 = periodOf('2026-07-01', '2026-10-01', 'in Q2 FY27', 'Q2 FY27');
const NONE = queryOf().except;
const ABOVE = { metric: 'amount', is: 'above', value: 1e9, unit: 'rupees' } as const;
const seat = (role: string, direction: 'joined' | null = null): Partial<TypedQuery> => ({
  kinds: ['people'],
  person: { role, direction, name: null, asks: null },
});
const among = (...names: string[]) => ({ among: names.map((name) => StoredSignalId.parse(idOf(name))) });
const regulator = (name: string): Partial<TypedQuery> => ({ mentions: [{ type: 'regulator', name }] });
const abroad = { slug: 'indian-brands-abroad', name: 'Indian brands abroad' };
const everything = ['opens', 'shuts', 'retired', 'mention', 'juice', 'q1', 'q2'].join(', ');

describe('what fits a query', () => {
  /** The names of the signals, in any order, or in this one where they are joined by `>`. */
  it.each<[string, Partial<TypedQuery>, string]>([
    ['closed stores of a brand that only opened some', { ...maya, ...CLOSED }, ''],
    [
      'a first store, and one of another status',
      { ...maya, ...OPENED, store_status: 'planned', words: ['first'] },
      'mention',
    ],
    ['a brand: its retired slug and what it owns too, nothing that is held', kiri, everything],
    ['a status, and a signal that only mentions the brand', { ...kiri, ...OPENED }, 'retired > opens > mention'],
    ['a brand that is owned: neither sister nor parent', { brands: slugged('kiri-juice') }, 'juice'],
    ['several brands', { brands: named('maya-stores', 'tilak-shoes') }, 'mention, buys, bought, chief, partner, both'],
    ['a name that only texts have', { unknown_names: ['Lime Labels'] }, 'buys'],
    ['a name that nothing has', { unknown_names: ['Unheardof Labels'], ...OPENED }, ''],
    ['an outlet', { mentions: [{ type: 'outlet', name: 'Market Gazette' }] }, 'juice'],
    ['an investor', { mentions: [{ type: 'investor', name: 'Asha Capital' }], kinds: ['deals'] }, 'juice'],
    ['a city', { places: placed('Nagpur') }, 'retired, mention'],
    ['a city without one of the brand', { ...kiri, places: placed('Bengaluru') }, ''],
    ['a region', { places: [{ name: 'Maharashtra', cities: ['Pune', 'Nagpur'] }] }, 'opens, shuts, retired, mention'],
    ['a category: its brands and its theme, each signal once', { categories: ['footwear'] }, 'both, partner, theme'],
    [
      'a category whose word is only in the nickname of a city',
      { categories: ['jewellery'], places: placed('Surat') },
      '',
    ],
    ['restaurants, and a shop of another kind', { categories: ['restaurants_and_cafes'], places: placed('Surat') }, ''],
    ['a category that is only in the name of a theme of several', { categories: ['paints'] }, ''],
    ['a theme that questions name by other words than its own', { themes: [abroad] }, 'overseas'],
    ['a kind: also what states a fact of it', { kinds: ['deals'] }, 'juice, buys, bought'],
    [
      'a kind and words, which another kind has',
      { brands: named('tilak-shoes'), kinds: ['launches'], words: ['plans'] },
      'both, partner',
    ],
    ['a status of stores', { ...kiri, ...CLOSED }, 'shuts'],
    ['closures, and a business that was wound down', CLOSED, 'shuts, leaves, ends'],
    ['a regulator in any form', regulator('FSSAI'), 'notice'],
    ['a regulator that no signal names', regulator('CCI'), ''],
    ['openings in another country that no signal names', { ...OPENED, places: placed('Dubai') }, ''],
    ['openings of a city', { ...OPENINGS, places: placed('Surat') }, 'nickname'],
    ['deals above an amount', { kinds: ['deals'], condition: ABOVE }, 'buys'],
    ['deals below an amount', { condition: { ...ABOVE, is: 'below' } }, 'juice'],
    ['deals above just the amount of one', { kinds: ['deals'], condition: { ...ABOVE, value: 2e9 } }, ''],
    [
      'deals of at least the amount of one',
      { kinds: ['deals'], condition: { ...ABOVE, value: 2e9, or_equal: true } },
      'buys',
    ],
    ['a seat of a company', { ...seat('chairman'), brands: slugged('sula-bags') }, 'other-chief'],
    ['a seat that somebody left at another company', { ...seat('chairman'), brands: slugged('coral-kites') }, ''],
    [
      'who took a seat, and a headline without a verb of joining',
      { ...seat('CMO', 'joined'), brands: slugged('lotus-books') },
      'marketer',
    ],
    ['a seat in another spelling', { ...maya, ...seat('CEO', 'joined') }, 'chief'],
    ['a period without a deal', { ...maya, kinds: ['deals'], period: NOVEMBER }, ''],
    ['a period', { ...maya, period: NOVEMBER }, 'mention, chief'],
    [
      'results of a fiscal quarter: those reported for it after its end',
      { ...kiri, kinds: ['results'], intent: 'result', period: Q2 },
      'q2',
    ],
    ['stores of a fiscal quarter, after which they opened', { ...kiri, ...OPENED, period: Q2 }, ''],
    ['a brand left out', { ...OPENED, except: { ...NONE, brands: named('kiri-foods') } }, 'nickname > mention'],
    [
      'a place left out',
      { kinds: ['stores'], except: { ...NONE, places: placed('Nagpur') } },
      'opens, nickname, shuts, leaves',
    ],
    ['a kind left out', { ...kiri, except: { ...NONE, kinds: ['stores'] } }, 'juice, q1, q2'],
    ['a minimum of outlets', { period: NOVEMBER, minimum_outlets: 2 }, 'juice'],
    ['too few outlets for a store that closed', { ...CLOSED, minimum_outlets: 2 }, ''],
    ['signals of the answer before', among('shuts', 'both'), 'shuts, both'],
    ['a kind among signals of the answer before', { ...among('shuts', 'both'), kinds: ['launches'] }, 'both'],
  ])('given %s, then only the signals of it', async (_, query, expected) => {
    const { fits } = await namesOf(query);
    if (expected.includes('>')) expect(fits.join(' > ')).toBe(expected);
    else expect(fits.toSorted()).toEqual(expected.split(', ').filter(Boolean).toSorted());
  });

  it.each([
    ['buyer', 'buys'],
    ['target', 'bought'],
  ] as const)('given a brand as the %s of a deal, then that deal comes first', async (role, name) => {
    const deal = { types: ['acquisition' as const], status: null, role };

    expect((await namesOf({ ...maya, kinds: ['deals'], deal })).fits[0]).toBe(name);
  });

  it('given a theme, then the signals of it come before those that only have its words', async () => {
    const { fits } = await namesOf({ themes: [footwear] });

    expect(new Set(fits.slice(0, 2))).toEqual(new Set(['both', 'theme']));
    expect(fits.slice(2)).toEqual(['partner']);
  });

  it.each(['newest', 'oldest'] as const)('given the order %j, then by the day of the move', async (order) => {
    const { evidence, began } = await find({ ...kiri, order });
    const days = evidence.map(({ moved_at }) => moved_at);
    const sorted = days.toSorted();

    expect(days).toEqual(order === 'newest' ? sorted.toReversed() : sorted);
    expect(began).toEqual(new Date('2026-10-02T04:00:00Z'));
  });

  it.each([
    ['CEO', 'Group CEO & MD', true],
    ['CEO', 'managing director for India', true],
    ['CFO', 'Chief Financial Officer', true],
    ['CFO', 'CEO', false],
  ])('given the seat %s and %j, then they are the same: %s', (seatOfQuestion, written, isSame) => {
    expect(isSeat(seatOfQuestion, written)).toBe(isSame);
  });
});

describe('words', () => {
  it.each<[string, Partial<TypedQuery>, string | null, string[]]>([
    ['words that some have', { kinds: ['launches', 'strategy', 'other'], words: ['sandal'] }, 'theme', []],
    ['a slip in a word of the reports', { kinds: ['launches', 'strategy', 'other'], words: ['sandol'] }, 'theme', []],
    ['another word of the trade for the same', { ...kiri, kinds: ['stores'], words: ['outlet'] }, null, []],
    ['a word that no signal has', { ...kiri, places: placed('Pune'), words: ['rent'] }, null, ['rent']],
    ['nothing but such words', { words: ['zyzzyva', 'xylograph'] }, '', ['zyzzyva', 'xylograph']],
  ])('given %s, then these are found, and those unmet are named', async (_, query, names, unmet) => {
    const found = await find(query);
    if (names !== null) expect(found.evidence.map(({ signal }) => nameOf(signal.id)).join()).toBe(names);
    expect(found).toMatchObject({ unmet, isByChance: true, ...(names === '' && { near: [], coverage: 0 }) });
  });

  it.each<[string, Partial<TypedQuery>, string[], string[]]>([
    ['without a capital', { unknown_names: ['lime labels'] }, [], ['lime', 'labels']],
    ['together with a known brand', { ...kiri, unknown_names: ['Lime'] }, [], ['lime']],
    ['alone', { unknown_names: ['Lime'] }, ['Lime'], []],
  ])('given an unknown name %s, then it is a word or a name', (_, query, unknown_names, words) => {
    expect(settled(queryOf(query))).toMatchObject({ unknown_names, words });
  });
});

describe('a query that nothing fits', () => {
  it.each<[string, Partial<TypedQuery>, string]>([
    ['a place', { ...kiri, places: placed('Bengaluru') }, 'places'],
    ['a time', { ...kiri, period: periodOf('2020-03-01', '2020-04-01', 'in March 2020') }, 'period'],
    ['a kind', { ...kiri, kinds: ['rules'] }, 'kinds'],
  ])('given %s without a signal, then it is given up, and the nearest have the rest', async (_, query, part) => {
    const { near, givenUp } = await find(query);

    expect(givenUp).toEqual([part]);
    expect(near.length).toBeGreaterThan(0);
    for (const { signal, stems } of near)
      expect(signal.brands.some(({ slug }) => slug.startsWith('kiri')) || stems.has('kiri')).toBe(true);
  });

  it.each<[string, Partial<TypedQuery>, string[]]>([
    ['closures of a brand that only opened', { ...maya, ...CLOSED }, ['mention']],
    ['openings of a city where a shop only closed', { ...OPENINGS, places: placed('Salem') }, ['leaves']],
    ['a brand without a signal', { brands: slugged('noor-watches'), ...OPENED }, []],
  ])('given %s, then these are near', async (_, query, near) => {
    expect(await namesOf(query)).toMatchObject({ fits: [], near });
  });

  it('given several filters that nothing meets, then as few as possible are given up, the brand never', async () => {
    const query = { brands: named('tilak-shoes'), places: placed('Bengaluru'), kinds: ['rules' as const] };
    const { near, givenUp } = await namesOf(query);

    expect(givenUp).toEqual(['kinds', 'places']);
    expect(new Set(near)).toEqual(new Set(['partner', 'both']));
  });
});
