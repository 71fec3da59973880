import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { countMoves, findBrand, findTheme } from '../../../projector/models/brands-queries.ts';
import { brandsModel } from '../../../projector/models/brands-read-model.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { BrandMention } from '../../../schemas/story.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import {
  brandRef,
  detected,
  held,
  idOf,
  merged,
  released,
  report,
  reported,
  revised,
  understanding,
} from '../signal-events.ts';

const brand = (slug: string, role: BrandMention['role'] = 'primary'): BrandMention =>
  brandRef(slug, slug.toUpperCase(), role);
const naming = (...brands: BrandMention[]) => ({ understanding: understanding({ brands }) });
const now = new Date('2026-11-21T04:30:00Z');
const about = { now, baseUrl: 'https://clarity.test' };
let engine: Engine;
let last = 0n;
const add = async (name: string, ...events: Parameters<Engine['add']>[1][]): Promise<void> => {
  last = await engine.add(signalStream(idOf(name)), ...events);
};

beforeAll(async () => {
  engine = await testEngine();
  engine.run([brandsModel(), signalsModel({ baseUrl: 'https://clarity.test' })]);
  await add('a', detected('a', naming(brand('kiri'), brand('maya', 'secondary'))));
  await add('a', reported('a', report('a2', { outlet: 'Second' })));
  await add('b', detected('b', naming(brand('kiri'), brand('maya'))));
  // Named at first, no longer after an edit.
  await add('c', detected('c', naming(brand('kiri'))), revised('c', 1, { brands: [brand('tilak')], move: 'deals' }));
  // Merged: one event counts once, and both outlets count for what is left.
  await add('d', detected('d', { ...naming(brand('kiri')), report: report('d', { outlet: 'Third' }) }));
  await add('d', merged('d', 'a'));
  await add('e', detected('e', naming(brand('kiri'))), held('e'));
  await add('f', detected('f', { ...naming(brand('kiri')), published_at: '2026-09-01T00:00:00Z' }));
  await add('f', held('f'), { ...released('f'), time: '2026-09-02T00:00:00Z' });
  for (const model of ['brands', 'signals']) await waitForPosition(engine.database, model, last, 10_000);
});
afterAll(() => engine.close());

describe('findBrand', () => {
  it('counts each public event that names the brand once, by its newest text', async () => {
    const found = await findBrand(engine.database, brandSlug('kiri'), about);

    expect(found?.brand).toMatchObject({
      name: 'KIRI',
      url: 'https://clarity.test/brand/kiri',
      stories: 3,
      stories_about: 3,
      first_seen_at: '2026-09-02T00:00:00.000Z',
      last_seen_at: '2026-11-20T04:30:00.000Z',
      last_30_days: { total: 2, by_move: { stores: 2, deals: 0, people: 0, rules: 0 } },
      themes: [{ slug: 'expansion', name: 'Expansion', url: 'https://clarity.test/theme/expansion', stories: 3 }],
      related_brands: [{ slug: 'maya', name: 'MAYA', url: 'https://clarity.test/brand/maya', stories: 2 }],
      top_outlets: [
        { outlet: 'Daily Trade', stories: 3 },
        { outlet: 'Second', stories: 1 },
        { outlet: 'Third', stories: 1 },
      ],
    });
    const latest = found?.latest.map((document) => JSON.parse(document).id);
    expect(new Set(latest)).toEqual(new Set([idOf('a'), idOf('b'), idOf('f')]));
  });

  it('distinguishes mentions from stories about the brand', async () => {
    expect((await findBrand(engine.database, brandSlug('maya'), about))?.brand).toMatchObject({
      stories: 2,
      stories_about: 1,
    });
  });

  it('answers null for a brand that no public signal names', async () => {
    expect(await findBrand(engine.database, brandSlug('nobody'), about)).toBeNull();
  });
});

describe('countMoves', () => {
  it('counts stories about each brand in a window that leaves out its end', async () => {
    const counts = (since: string, until: string) =>
      countMoves(engine.database, ['kiri', 'tilak', 'maya'].map(brandSlug), new Date(since), new Date(until));

    expect(new Set(await counts('2026-11-20T04:30:00Z', '2026-11-21T00:00:00Z'))).toEqual(
      new Set([
        { brand: 'kiri', move: 'stores', stories: 2 },
        { brand: 'maya', move: 'stores', stories: 1 },
        { brand: 'tilak', move: 'deals', stories: 1 },
      ]),
    );
    expect(await counts('2026-11-01T00:00:00Z', '2026-11-20T04:30:00Z')).toEqual([]);
  });
});

describe('themes', () => {
  it('count public signals by their newest text', async () => {
    expect(await findTheme(engine.database, 'expansion', about)).toMatchObject({
      name: 'Expansion',
      url: 'https://clarity.test/theme/expansion',
      stories: 4,
      last_30_days: { total: 3, by_move: { stores: 2, deals: 1 } },
    });
    expect(await findTheme(engine.database, 'nothing', about)).toBeNull();
  });
});
