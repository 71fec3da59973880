import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandsModel } from '../../../projector/models/brands-themes-read-models.ts';
import { findNames } from '../../../projector/models/names-queries.ts';
import { namesModel } from '../../../projector/models/names-read-model.ts';
import { type SearchFilter, searchBox, searchSignals } from '../../../projector/models/search-queries.ts';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { detected, held, idOf, merged, revised, understanding } from '../signal-events.ts';

let engine: Engine;
const brand = (slug: string, name: string, role: 'primary' | 'secondary' = 'primary') => ({
  ...{ slug: brandSlug(slug), name, role },
  provisional: false,
});
const zudio = brand('zudio', 'Zudio');
const trent = brand('trent', 'Trent', 'secondary');
const signal = (name: string, changes: Partial<Understanding>) =>
  detected(name, { understanding: understanding({ summary: null, key_facts: [], ...changes }) });

beforeAll(async () => {
  engine = await testEngine();
  engine.run([signalsModel({ baseUrl: 'https://clarity.test' }), searchModel(), namesModel(), brandsModel()]);
  let last = 0n;
  const add = async (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<void> => {
    last = await engine.add(signalStream(idOf(name)), ...events);
  };
  await add('a', signal('a', { headline: 'Zudio opens a café in Surat', brands: [zudio, trent], cities: ['Surat'] }));
  await add('b', signal('b', { headline: 'Nykaa raises ₹230 Cr', brands: [brand('nykaa', 'Nykaa')], move: 'deals' }));
  await add(
    'c',
    signal('c', { headline: 'Trent results', brands: [brand('trent', 'Trent')], move: 'results', cities: [] }),
  );
  await add('d', signal('d', { headline: 'Zudio shuts a store', event_at: '2026-10-01T04:00:00Z', brands: [zudio] }));
  await add('e', signal('e', { headline: 'Secret of Zudio', brands: [zudio, brand('secret', 'Secret Label')] }));
  await add('e', held('e'));
  await add('f', signal('f', { headline: 'Zudio opens cafes', brands: [zudio] }), merged('f', 'a'));
  await add(
    'g',
    detected('g'),
    revised('g', 1, { summary: null, headline: 'Chaayos brews', brands: [brand('chaayos', 'Chaayos')] }),
  );
  for (const model of ['signals', 'search', 'names', 'brands'])
    await waitForPosition(engine.database, model, last, 10_000);
});
afterAll(() => engine.close());

const found = async (filter: Partial<SearchFilter>): Promise<string[]> =>
  (await searchSignals(engine.database, { limit: 10, ...filter })).map(({ signal: { headline } }) => headline);

describe('searchSignals', () => {
  it.each<[string, Partial<SearchFilter>, string[]]>([
    ['words, whatever their accents', { text: 'cafe surat' }, ['Zudio opens a café in Surat']],
    ['a word in another form', { text: 'opening cafés' }, ['Zudio opens a café in Surat']],
    ['words that none has together', { text: 'nykaa surat' }, []],
    ['what is left out', { text: 'zudio -shuts' }, ['Zudio opens a café in Surat']],
    ['a brand that is only named', { brands: [brandSlug('trent')] }, ['Zudio opens a café in Surat', 'Trent results']],
    ['a brand that it is about', { brands: [brandSlug('trent')], about: true }, ['Trent results']],
    ['a city', { cities: ['Surat'] }, ['Zudio opens a café in Surat']],
    ['a kind of move', { moves: ['deals'] }, ['Nykaa raises ₹230 Cr']],
    ['a time', { brands: [brandSlug('zudio')], until: new Date('2026-11-01') }, ['Zudio shuts a store']],
    ['a held signal', { text: 'secret' }, []],
    ['an edited one by its first words', { text: 'kiri' }, []],
    ['an edited one', { text: 'chaayos' }, ['Chaayos brews']],
    ['hostile text', { text: `a\0'; DROP \u{d800} | & ! ( :* <->` }, []],
  ])('given %s, finds what fits', async (_, filter, headlines) => {
    expect((await found(filter)).toSorted()).toEqual(headlines.toSorted());
  });

  it('given no words, the newest come first', async () => {
    expect((await found({ brands: [brandSlug('zudio')] })).at(-1)).toBe('Zudio shuts a store');
  });

  it('given a theme, finds its signals with all their data', async () => {
    const [one] = await searchSignals(engine.database, { text: 'surat', themes: ['expansion'], limit: 1 });

    expect(one).toMatchObject({
      moved_at: '2026-11-20T04:00:00.000Z',
      about: ['zudio'],
      facts: { deal: null, openings: [] },
      signal: { id: idOf('a'), key_facts: [], source: { outlet: 'Daily Trade' } },
    });
    expect(one?.rank).toBeGreaterThan(0);
  });
});

describe('searchBox', () => {
  it('given several words, lists signals that contain all of them first', async () => {
    const headlines = (await searchBox(engine.database, { text: 'zudio cafe', limit: 2 })).map(
      ({ signal: { headline } }) => headline,
    );

    expect(headlines).toEqual(['Zudio opens a café in Surat', 'Zudio shuts a store']);
  });
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
