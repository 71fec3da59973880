import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandsModel } from '../../../projector/models/brands-read-model.ts';
import { meaningsModel } from '../../../projector/models/meanings-read-model.ts';
import { findNames } from '../../../projector/models/names-queries.ts';
import { namesModel } from '../../../projector/models/names-read-model.ts';
import {
  findByMeaning,
  nearnessOf,
  postgresSearch,
  type SearchFilter,
  searchBox,
  searchSignals,
} from '../../../projector/models/search-queries.ts';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { ItemVector, Understanding } from '../../../schemas/story.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { brandRef, detected, held, idOf, merged, report, reported, revised, understanding } from '../signal-events.ts';

let engine: Engine;
const zudio = brandRef('zudio', 'Zudio');
const trent = brandRef('trent', 'Trent', 'secondary');
/** A meaning that turns away from another by so many of its numbers. */
const meant = (turned: number, by = 'a test'): ItemVector => ({
  by,
  values: Buffer.from(Int8Array.from({ length: 384 }, (_, index) => (index < turned ? -90 : 90))).toString('base64'),
});
const signal = (name: string, changes: Partial<Understanding>, meaning?: ItemVector) =>
  detected(name, {
    understanding: understanding({ summary: null, key_facts: [], ...changes }),
    report: report(name, meaning && { meaning }),
  });

beforeAll(async () => {
  engine = await testEngine();
  engine.run([
    signalsModel({ baseUrl: 'https://clarity.test' }),
    searchModel(),
    meaningsModel(),
    namesModel(),
    brandsModel(),
  ]);
  let last = 0n;
  const add = async (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<void> => {
    last = await engine.add(signalStream(idOf(name)), ...events);
  };
  await add(
    'a',
    signal('a', { headline: 'Zudio opens a café in Surat', brands: [zudio, trent], cities: ['Surat'] }, meant(40)),
  );
  await add(
    'b',
    signal('b', { headline: 'Nykaa raises ₹230 Cr', brands: [brandRef('nykaa', 'Nykaa')], move: 'deals' }, meant(90)),
    reported('b', report('b2', { meaning: meant(20) })),
  );
  await add(
    'c',
    signal(
      'c',
      { headline: 'Trent results', brands: [brandRef('trent', 'Trent')], move: 'results', cities: [] },
      meant(0, 'other weights'),
    ),
  );
  await add(
    'd',
    signal('d', { headline: 'Zudio shuts a store', event_at: '2026-10-01T04:00:00Z', brands: [zudio] }, meant(60)),
  );
  await add(
    'e',
    signal('e', { headline: 'Secret of Zudio', brands: [zudio, brandRef('secret', 'Secret Label')] }, meant(0)),
  );
  await add('e', held('e'));
  await add('f', signal('f', { headline: 'Zudio opens cafes', brands: [zudio] }, meant(10)), merged('f', 'a'));
  await add(
    'g',
    detected('g'),
    revised('g', 1, { summary: null, headline: 'Chaayos brews', brands: [brandRef('chaayos', 'Chaayos')] }),
  );
  for (const model of ['signals', 'search', 'meanings', 'names', 'brands'])
    await waitForPosition(engine.database, model, last, 10_000);
});
afterAll(() => engine.close());

const found = async (filter: Partial<SearchFilter>): Promise<string[]> =>
  (await searchSignals(engine.database, { limit: 10, ...filter })).map(({ signal: { headline } }) => headline);

describe('searchSignals', () => {
  it.each<[string, Partial<SearchFilter>, string[]]>([
    ['a brand that is only named', { brands: [brandSlug('trent')] }, ['Zudio opens a café in Surat', 'Trent results']],
    ['a city', { cities: ['Surat'] }, ['Zudio opens a café in Surat']],
    ['a kind of move', { moves: ['deals'] }, ['Nykaa raises ₹230 Cr']],
    ['a time', { brands: [brandSlug('zudio')], until: new Date('2026-11-01') }, ['Zudio shuts a store']],
    ['an edited one by its first words', { text: 'kiri' }, []],
    ['an edited one', { text: 'chaayos' }, ['Chaayos brews']],
  ])('given %s, finds what fits', async (_, filter, headlines) => {
    expect((await found(filter)).toSorted()).toEqual(headlines.toSorted());
  });

  it('given a theme, finds its signals with all their data', async () => {
    const [one] = await searchSignals(engine.database, { text: 'surat', themes: ['expansion'], limit: 1 });

    expect(one).toMatchObject({
      moved_at: '2026-11-20T04:00:00.000Z',
      about: ['zudio'],
      signal: { id: idOf('a'), source: { outlet: 'Daily Trade' } },
      facts: { deal: null, openings: [] },
    });
    expect(one?.rank).toBeGreaterThan(0);
  });
});

describe('findByMeaning', () => {
  const near = (filter: { since?: Date; until?: Date } = {}): Promise<string[]> =>
    findByMeaning(engine.database, meant(0), { limit: 10, ...filter });

  it('given a meaning, then the public signals of its weights come by their nearest report, also a merged one', async () => {
    expect(await near()).toEqual(['a', 'b', 'd'].map(idOf));
    expect(await findByMeaning(engine.database, meant(0), { limit: 1 })).toEqual([idOf('a')]);
  });

  it('given a time, then only what moved in it', async () => {
    expect(await near({ until: new Date('2026-11-01') })).toEqual([idOf('d')]);
  });

  it('given ids, then the highest cosine of each that has a meaning of the same weights', async () => {
    const found = await nearnessOf(engine.database, meant(0), ['a', 'b', 'c', 'g'].map(idOf));
    // So many of 384 numbers turned take twice as much from the cosine.
    const wanted = new Map([10, 20].map((turned, index) => [idOf(['a', 'b'][index] ?? ''), 1 - (2 * turned) / 384]));
    expect([...found.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
    for (const [id, cosine] of wanted) expect(found.get(id)).toBeCloseTo(cosine, 10);
  });

  it('given a replay of the log, then the rows are the same', async () => {
    const { verification } = await replay({
      ...engine,
      model: meaningsModel(),
      verify: true,
      swap: false,
      signal: new AbortController().signal,
    });
    expect(verification).toMatchObject({ equal: true, examples: [] });
    expect(verification?.keys).toBeGreaterThan(7);
  });
});

describe('searchBox', () => {
  it('given several words, lists signals that contain all of them first', async () => {
    const headlines = (
      await searchBox(
        { database: engine.database, search: postgresSearch(engine.database) },
        { text: 'zudio cafe', limit: 2 },
      )
    ).map(({ signal: { headline } }) => headline);

    expect(headlines).toEqual(['Zudio opens a café in Surat', 'Zudio shuts a store']);
  });

  const boxed = async (text: string, filter: Partial<SearchFilter> = {}): Promise<string[]> =>
    (
      await searchBox(
        { database: engine.database, search: postgresSearch(engine.database) },
        { text, limit: 10, ...filter },
        async () => meant(0),
      )
    ).map(({ signal: { headline } }) => headline);

  it('given words that none has, lists what says the same, the nearest first, as far as it passes the filters', async () => {
    const near = ['Zudio opens a café in Surat', 'Nykaa raises ₹230 Cr', 'Zudio shuts a store'];
    expect(await boxed('fresh capital')).toEqual(near);
    expect(await boxed('fresh capital', { moves: ['deals'] })).toEqual(['Nykaa raises ₹230 Cr']);
    expect(await boxed('fresh capital', { limit: 1 })).toEqual(near.slice(0, 1));
  });

  it('given words that some have, lists those with all of them before what says the same', async () => {
    expect((await boxed('nykaa raises')).slice(0, 2)).toEqual(['Nykaa raises ₹230 Cr', 'Zudio opens a café in Surat']);
  });

  it.each([
    ['zudio -surat', ['Zudio shuts a store']],
    ['zudio -store -surat', []],
    ['zudio -"opens a café"', ['Zudio shuts a store']],
    ['zudio -zudio', []],
    ['-zudio -nykaa', []],
  ])(
    'given %j, lists nothing that has a word which is left out, also where few have all words',
    async (text, expected) => {
      expect(await boxed(text, { limit: 3, brands: [brandSlug('zudio')] })).toEqual(expected);
    },
  );

  it.each(['"fresh capital"', 'fresh capital -nykaa', 'fresh or capital', ''])(
    'given %j, which says how words are to match, lists nothing by meaning',
    async (text) => {
      const byWords = await searchBox(
        { database: engine.database, search: postgresSearch(engine.database) },
        { text, limit: 10 },
      );
      expect(await boxed(text)).toEqual(byWords.map(({ signal: { headline } }) => headline));
    },
  );
});

describe('findNames', () => {
  const directory = {
    brandNamed: (text: string) => (/supermarts/.test(text) ? { slug: 'dmart', name: 'DMart' } : null),
    theme: () => null,
    city: () => null,
  };

  it.each([
    ['Zudio', 'brand', 'zudio'],
    ['zoodio', 'brand', 'zudio'],
    ['chayos', 'brand', 'chaayos'],
    ['Surat', 'city', 'surat'],
    ['expansion', 'theme', 'expansion'],
    ['avenue supermarts', 'brand', 'dmart'],
  ])('given %j, finds what is meant', async (text, type, slug) => {
    expect((await findNames(engine.database, text, { directory }))[0]).toMatchObject({ type, slug });
  });

  it.each(['Secret Label', 'xyzzy', '', '\0'])('given %j, finds nothing that readers may see', async (text) => {
    expect(await findNames(engine.database, text)).toEqual([]);
  });
});
