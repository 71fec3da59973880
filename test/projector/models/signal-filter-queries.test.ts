/** Lists and counts by filters on PostgreSQL, against a plain filter in memory over the same signals. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { facetsModel } from '../../../projector/models/facets-read-model.ts';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import { COUNTED_DAYS, COUNTED_OUTLETS, countFacets } from '../../../projector/models/signal-filter-queries.ts';
import { type ListFilter, listSignals } from '../../../projector/models/signals-queries.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { SignalItem } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { type BoundFilter, type Chosen, FACETS, type Facet } from '../../../schemas/signal-filter.ts';
import { salienceOf } from '../../../signal/salience.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { detected, held, idOf, report, reported, understanding } from '../signal-events.ts';

const SIGNALS = 60;
const NOW = new Date('2026-11-21T04:30:00Z');
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

const made = Array.from({ length: SIGNALS }, (_, number) => {
  const name = `m${number}`;
  const move = nth(KINDS, number * 7 + (number >> 2));
  const about = nth(BRANDS, number * 3 + (number >> 3));
  const other = number % 3 === 0 ? [BRANDS[(BRANDS.indexOf(about) + 1) % BRANDS.length] ?? about] : [];
  const theme = number % 4 === 0 ? null : nth(THEMES, number >> 1);
  const cities = number % 5 === 0 ? [] : [...new Set([nth(CITIES, number), nth(CITIES, number >> 1)])];
  const outlets = OUTLETS.slice(0, 1 + (number % OUTLETS.length));
  const published_at = new Date(NOW.getTime() - (number % 23) * 17 * 3_600_000 * (1 + (number % 7))).toISOString();
  const word = number % 2 ? 'festive' : 'monsoon';
  const named = (slug: string, role: 'primary' | 'secondary') => ({
    ...{ slug: brandSlug(slug), name: slug, role, provisional: false },
  });
  const plain: Plain = {
    ...{ id: idOf(name), published_at, about: [about], word },
    values: { kind: [move], brand: [about, ...other], theme: theme ? [theme] : [], city: cities, outlet: outlets },
    outlets: outlets.length,
    salience: salienceOf({ move, kind: null, outlets: outlets.length, authority: 0.5, standing: null }),
  };
  const understood = understanding({
    ...{ move, cities, kind: null, headline: `Stores ${word} ${number}`, summary: null, event_at: null },
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
const plain = made.map((one) => one.plain);

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
  engine.run([signalsModel({ baseUrl: 'https://clarity.test' }), facetsModel(), searchModel()]);
  let last = 0n;
  for (const { name, events } of made) last = await engine.add(signalStream(idOf(name)), ...events);
  last = await engine.add(signalStream(idOf('hidden')), detected('hidden'));
  last = await engine.add(signalStream(idOf('hidden')), held('hidden'));
  for (const model of ['signals', 'facets', 'search']) await waitForPosition(engine.database, model, last, 30_000);
}, 60_000);
afterAll(() => engine.close());

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

async function walk(asked: Omit<ListFilter, 'cursor'>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listSignals(engine.database, { ...asked, cursor });
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
        const { total, isCut, groups } = await countFacets(engine.database, asked, options);
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

  it('given more signals than are counted, then the newest are, and it says so', async () => {
    const { total, isCut } = await countFacets(engine.database, {}, { now: NOW, values: 2, maximum: 20 });
    expect([total, isCut]).toEqual([20, true]);
  });

  it.each(['nonsense', Buffer.from('[101,"2026-11-20 04:00:00Z","sig_0123456789abcdef"]').toString('base64url')])(
    'given the cursor %j in a list by salience, then it is refused',
    async (cursor) => {
      await expect(listSignals(engine.database, { sort: 'salience', limit: 5, cursor })).rejects.toThrow('cursor');
    },
  );
});
