/**
 * What search and lists of signals promise, whatever answers them: lists and counts against a plain filter in memory over the
 * same signals, and words as `websearch_to_tsquery` reads them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import type { SearchFilter, SignalSearch } from '../../../projector/models/search-queries.ts';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import { COUNTED_DAYS, COUNTED_OUTLETS } from '../../../projector/models/signal-filter-queries.ts';
import type { ListFilter } from '../../../projector/models/signals-queries.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { SignalItem } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { type BoundFilter, type Chosen, FACETS, type Facet } from '../../../schemas/signal-filter.ts';
import { salienceOf } from '../../../signal/salience.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { brandRef, detected, held, idOf, report, reported, understanding } from '../signal-events.ts';

const SIGNALS = 60;
export const NOW = new Date('2026-11-21T04:30:00Z');
const KINDS = ['stores', 'deals', 'people'] as const;
const BRANDS = ['kiri-foods', 'maya-stores', 'tilak-shoes', 'nimbu'] as const;
const THEMES = ['expansion', 'funding'] as const;
const CITIES = ['Pune', 'Gurugram', 'Surat'] as const;
const OUTLETS = ['Daily Trade', 'Mint', 'Retail Post', 'Bazaar, the Wire'] as const;

/** A signal as the plain filter sees it. */
interface Plain {
  readonly id: string;
  readonly published_at: string;
  readonly values: Readonly<Record<Facet, readonly string[]>>;
  readonly about: readonly string[];
  readonly word: string;
  readonly outlets: number;
  readonly salience: number;
}

const nth = <One>(list: readonly [One, ...One[]], number: number): One => list[number % list.length] ?? list[0];

const ofFilters = Array.from({ length: SIGNALS }, (_, number) => {
  const name = `m${number}`;
  const move = nth(KINDS, number * 7 + (number >> 2));
  const about = nth(BRANDS, number * 3 + (number >> 3));
  const other = number % 3 === 0 ? [BRANDS[(BRANDS.indexOf(about) + 1) % BRANDS.length] ?? about] : [];
  const theme = number % 4 === 0 ? null : nth(THEMES, number >> 1);
  const cities = number % 5 === 0 ? [] : [...new Set([nth(CITIES, number), nth(CITIES, number >> 1)])];
  const outlets = OUTLETS.slice(0, 1 + (number % OUTLETS.length));
  const published_at = new Date(NOW.getTime() - (number % 23) * 17 * 3_600_000 * (1 + (number % 7))).toISOString();
  const word = number % 2 ? 'festive' : 'monsoon';
  const named = (slug: string, role: 'primary' | 'secondary') => brandRef(slug, slug, role);
  const plain: Plain = {
    id: idOf(name),
    published_at,
    about: [about],
    word,
    values: { kind: [move], brand: [about, ...other], theme: theme ? [theme] : [], city: cities, outlet: outlets },
    outlets: outlets.length,
    salience: salienceOf({ move, kind: null, outlets: outlets.length, authority: 0.5, standing: null }),
  };
  const understood = understanding({
    move,
    cities,
    kind: null,
    headline: `Stores ${word} ${number}`,
    summary: null,
    event_at: null,
    theme: theme && { slug: theme, name: theme },
    brands: [named(about, 'primary'), ...other.map((slug) => named(slug, 'secondary'))],
  });
  const [first = '', ...more] = outlets;
  const events = [
    detected(name, { published_at, understanding: understood, report: report(name, { outlet: first }) }),
    ...more.map((outlet) => reported(name, report(`${name}-${outlet}`, { outlet }))),
  ];
  return { name, plain, events };
});

/** Signals with words of their own, all about one brand. */
const TEXTS = {
  bakery: { headline: 'Sargam opens two bakeries', days: 1 },
  text: { headline: 'A quiet quarter for Sargam', summary: 'It will open bakeries.', days: 1 },
  older: { headline: 'Sargam opens two bakeries', days: 400 },
  bank: { headline: 'Sargam leaves the Bank of Kaveri branch', days: 3 },
  cafe: { headline: 'Café Lune takes quick-commerce orders for Sargam', days: 2 },
} as const;
type TextName = keyof typeof TEXTS;

const ofWords = Object.entries<{ headline: string; summary?: string; days: number }>(TEXTS).map(
  ([name, { headline, summary = null, days }]) => {
    const published_at = new Date(NOW.getTime() - days * 86_400_000).toISOString();
    const sargam = brandRef('sargam', 'Sargam');
    const understood = understanding({
      move: 'other',
      kind: null,
      headline,
      summary,
      key_facts: [],
      delta: null,
      event_at: null,
      theme: null,
      brands: [sargam],
      cities: [],
    });
    const first = report(name, { title: headline, published_at, first_seen_at: published_at });
    const plain: Plain = {
      id: idOf(name),
      published_at,
      about: ['sargam'],
      word: '',
      outlets: 1,
      values: { kind: ['other'], brand: ['sargam'], theme: [], city: [], outlet: ['Daily Trade'] },
      salience: salienceOf({ move: 'other', kind: null, outlets: 1, authority: 0.5, standing: null }),
    };
    return { name, plain, events: [detected(name, { published_at, understanding: understood, report: first })] };
  },
);
const made = [...ofFilters, ...ofWords];
const plain = made.map((one) => one.plain);

/** The read models that are searched, over the signals of the contract. The caller closes it. */
export async function searchedEngine(): Promise<Engine> {
  const engine = await testEngine();
  engine.run([signalsModel({ baseUrl: 'https://clarity.test' }), searchModel()]);
  let last = 0n;
  for (const { name, events } of made) last = await engine.add(signalStream(idOf(name)), ...events);
  last = await engine.add(signalStream(idOf('hidden')), detected('hidden'));
  last = await engine.add(signalStream(idOf('hidden')), held('hidden'));
  for (const model of ['signals', 'search'])
    if (!(await waitForPosition(engine.database, model, last, 30_000))) throw new Error(`${model} lags behind`);
  return engine;
}

/** The plain filter. */
const fits =
  ({ only = {}, without = {}, about, since, until, outlets, words }: BoundFilter) =>
  (signal: Plain): boolean =>
    FACETS.every((facet) => {
      const own = facet === 'brand' && about ? signal.about : signal.values[facet];
      return !only[facet]?.length || only[facet].some((value) => own.includes(value));
    }) &&
    FACETS.every((facet) => !without[facet]?.some((value) => signal.values[facet].includes(value))) &&
    (since === undefined || signal.published_at >= since) &&
    (until === undefined || signal.published_at < until) &&
    (outlets === undefined || signal.outlets >= outlets) &&
    (words === undefined || signal.word === words);

const some = <Value extends string>(values: readonly Value[]) => fc.subarray([...values], { minLength: 1 });
const chosen: fc.Arbitrary<Chosen> = fc.record(
  { kind: some(KINDS), brand: some(BRANDS), theme: some(THEMES), city: some(CITIES), outlet: some(OUTLETS) },
  { requiredKeys: [] },
);
const moment = fc.integer({ min: 0, max: 90 }).map((days) => new Date(NOW.getTime() - days * 86_400_000).toISOString());
const filter: fc.Arbitrary<BoundFilter> = fc.record(
  {
    only: chosen,
    without: chosen.map((all) =>
      Object.fromEntries(Object.entries(all).map(([facet, values]) => [facet, values.slice(0, 1)])),
    ),
    about: fc.boolean(),
    since: moment,
    until: moment,
    outlets: fc.integer({ min: 2, max: 4 }),
    words: fc.constantFrom('festive', 'monsoon'),
  },
  { requiredKeys: [] },
);

/** @param searched returns what is tested, after `beforeAll` of the caller */
export function searchContract(searched: () => SignalSearch): void {
  async function walk(asked: Omit<ListFilter, 'cursor'>): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await searched().list({ ...asked, cursor });
      ids.push(...page.documents.map((document) => SignalItem.parse(JSON.parse(document)).id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return ids;
  }

  describe('filters of signals', () => {
    it('given any filter and order, then the pages together are what a plain filter leaves, in that order', async () => {
      const newest = (one: Plain, other: Plain): number =>
        other.published_at.localeCompare(one.published_at) || (one.id < other.id ? 1 : -1);
      const by = {
        time: newest,
        salience: (one: Plain, other: Plain) => other.salience - one.salience || newest(one, other),
      };
      await fc.assert(
        fc.asyncProperty(filter, fc.constantFrom('time' as const, 'salience' as const), async (asked, sort) => {
          const expected = plain.filter(fits(asked)).toSorted(by[sort]);
          expect(await walk({ ...asked, sort, limit: 7 })).toEqual(expected.map(({ id }) => id));
        }),
        { numRuns: 150 },
      );
    });

    it('given any filter, then each count is that of the list with the value, the rest of the filter left as it is', async () => {
      const options = { now: NOW, values: 10, maximum: 1_000 };
      await fc.assert(
        fc.asyncProperty(filter, async (asked) => {
          const { total, isCut, groups } = await searched().facets(asked, options);
          expect([total, isCut]).toEqual([plain.filter(fits(asked)).length, false]);
          for (const facet of FACETS) {
            const others = plain.filter(fits({ ...asked, only: { ...asked.only, [facet]: undefined } }));
            const counts = new Map<string, number>();
            for (const value of others.flatMap(({ values }) => values[facet]))
              counts.set(value, (counts.get(value) ?? 0) + 1);
            expect([facet, new Map(groups[facet].map(({ value, signals }) => [value, signals]))]).toEqual([
              facet,
              counts,
            ]);
            expect(groups[facet].map(({ signals }) => signals)).toEqual(
              groups[facet].map(({ signals }) => signals).toSorted((one, other) => other - one),
            );
          }
          const anyTime = plain.filter(fits({ ...asked, since: undefined, until: undefined }));
          expect(groups.days.map(({ signals }) => signals)).toEqual(
            COUNTED_DAYS.map(
              (days) =>
                anyTime.filter(({ published_at }) => Date.parse(published_at) >= NOW.getTime() - days * 86_400_000)
                  .length,
            ),
          );
          const anyOutlets = plain.filter(fits({ ...asked, outlets: undefined }));
          expect(groups.outlets.map(({ signals }) => signals)).toEqual(
            COUNTED_OUTLETS.map((outlets) => anyOutlets.filter((one) => one.outlets >= outlets).length),
          );
        }),
        { numRuns: 100 },
      );
    });

    it('given any filter, then its count is the length of its list, or the maximum', async () => {
      await fc.assert(
        fc.asyncProperty(filter, async (asked) => {
          const fit = plain.filter(fits(asked)).length;
          expect(await searched().count(asked, 1_000)).toBe(fit);
          expect(await searched().count(asked, 3)).toBe(Math.min(3, fit));
        }),
        { numRuns: 30 },
      );
    });

    it.each(['nonsense', Buffer.from('[101,"2026-11-20 04:00:00Z","sig_0123456789abcdef"]').toString('base64url')])(
      'given the cursor %j in a list by salience, then it is refused',
      async (cursor) => {
        await expect(searched().list({ sort: 'salience', limit: 5, cursor })).rejects.toThrow('cursor');
      },
    );
  });

  describe('words of signals', () => {
    const names = new Map<string, string>(made.map(({ name }) => [idOf(name), name]));
    const found = async (text: string, more: Partial<SearchFilter> = {}): Promise<string[]> =>
      (await searched().search({ text, limit: 20, ...more })).map(({ signal }) => names.get(signal.id) ?? signal.id);
    const all = Object.keys(TEXTS) as TextName[];

    it.each<[string, readonly TextName[]]>([
      ['bakery', ['bakery', 'text', 'older']],
      ['OPENING bakeries', ['bakery', 'text', 'older']],
      ['the bakery', ['bakery', 'text', 'older']],
      ['bakery quarter', ['text']],
      ['bakery -quarter', ['bakery', 'older']],
      ['bakery or lune', ['bakery', 'text', 'older', 'cafe']],
      ['"two bakeries"', ['bakery', 'older']],
      ['"bakeries two"', []],
      ['"bank of kaveri"', ['bank']],
      ['"bank kaveri"', []],
      ['cafe lune', ['cafe']],
      ['Café', ['cafe']],
      ['quick-commerce', ['cafe']],
      ['sargam -bakery', ['bank', 'cafe']],
      ['the of', []],
      ['"of the" bakery', ['bakery', 'text', 'older']],
      ['nowhere', []],
    ])('given the words %s, then the signals that have them are found', async (text, expected) => {
      expect((await found(text)).toSorted()).toEqual(expected.toSorted());
    });

    it('given a word in a headline, then it comes before one in a text, and a newer signal before an older one', async () => {
      const order = await found('bakery');
      expect(order[0]).toBe('bakery');
      expect(order).toHaveLength(3);
      expect(await found('two')).toEqual(['bakery', 'older']);
    });

    it('given any of the words, then signals with one of them are found', async () => {
      expect((await found('lune bakery nowhere', { any: true })).toSorted()).toEqual([
        'bakery',
        'cafe',
        'older',
        'text',
      ]);
      expect(await found('the', { any: true })).toEqual([]);
    });

    it('given filters, then the words are looked for among the signals that fit', async () => {
      const since = new Date(NOW.getTime() - 10 * 86_400_000);
      expect((await found('bakery', { since })).toSorted()).toEqual(['bakery', 'text']);
      expect(await found('bakery', { until: since })).toEqual(['older']);
      expect((await found('bakery', { brands: [brandSlug('sargam')], about: true })).toSorted()).toEqual([
        'bakery',
        'older',
        'text',
      ]);
      expect(await found('bakery', { brands: [brandSlug('nimbu')] })).toEqual([]);
      expect(await found('bakery', { fits: { only: { city: ['Pune'] } } })).toEqual([]);
      expect(await found('bakery', { moves: ['stores'] })).toEqual([]);
      expect((await found('bakery', { fits: { without: { theme: ['expansion'] } } })).toSorted()).toEqual([
        'bakery',
        'older',
        'text',
      ]);
      expect(await found('bakery', { ids: [idOf('older'), idOf('bank')] })).toEqual(['older']);
      expect(await found('bakery', { limit: 1 })).toEqual(['bakery']);
    });

    it('given no words, then the newest signals that fit are found', async () => {
      expect(await found('', { brands: [brandSlug('sargam')] })).toEqual([
        ...all
          .filter((name) => name === 'bakery' || name === 'text')
          .toSorted((one, other) => (idOf(one) < idOf(other) ? 1 : -1)),
        'cafe',
        'bank',
        'older',
      ]);
    });

    it('given a signal that is held, then no words find it', async () => {
      expect(await found('kiri foods opens 40 stores')).not.toContain(idOf('hidden'));
      expect(await found('', { limit: 200 })).toHaveLength(made.length);
    });

    it('given any text, then the search ends without an error', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.constantFrom('', '"', ' -', ' or ', '*:('),
          async (text, more) => {
            await searched().search({ text: text + more + text, limit: 5 });
          },
        ),
        { numRuns: 60 },
      );
    });
  });
}
