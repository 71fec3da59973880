import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandsWithoutPage, type Evidence, hasPage } from '../../../projector/models/provisional-brands.ts';
import { brandStream } from '../../../schemas/brand.ts';
import type { BrandMention } from '../../../schemas/story.ts';
import { type Serving, serving } from '../../api/serving.ts';
import { brandSlug } from '../../harness/ids.ts';
import { storedEvent } from '../given-when-then.ts';
import { detected, held, report, understanding } from '../signal-events.ts';

const none: Evidence = { decision: null, listed: false, stories: 0, outlets: 0, days: 0 };

describe('hasPage', () => {
  it.each<[string, Partial<Evidence>, boolean]>([
    ['one story', { stories: 1, outlets: 1, days: 1 }, false],
    ['one story of two outlets', { stories: 1, outlets: 2, days: 1 }, false],
    ['two stories of one outlet on one day', { stories: 2, outlets: 1, days: 1 }, false],
    ['two stories of two outlets on one day', { stories: 2, outlets: 2, days: 1 }, true],
    ['two stories of one outlet on two days', { stories: 2, outlets: 1, days: 2 }, true],
    ['only mentions', {}, false],
    ['a story with the name from the catalogue', { listed: true }, true],
    ['promoted without a second story', { decision: 'promoted', stories: 1, outlets: 1, days: 1 }, true],
    ['refused with many stories', { decision: 'refused', stories: 9, outlets: 5, days: 5 }, false],
  ])('%s', (_, evidence, expected) => expect(hasPage({ ...none, ...evidence })).toBe(expected));
});

const mention = (slug: string, changes: Partial<BrandMention> = {}): BrandMention => ({
  slug: brandSlug(slug),
  name: slug,
  role: 'primary',
  provisional: true,
  ...changes,
});
const story = (id: string, slug: string, outlet = 'Daily Trade', published_at = '2026-11-20T04:30:00Z') =>
  detected(id, {
    published_at,
    understanding: understanding({ brands: [mention(slug)] }),
    report: report(id, { outlet }),
  });
const decided = (type: 'BrandPromoted' | 'BrandRefused', slug: string) =>
  storedEvent(type, { slug: brandSlug(slug), name: slug, by: 'asha', why: '' });

let site: Serving;
const status = async (path: string) => (await site.server.inject(path)).statusCode;
const decide = async (type: 'BrandPromoted' | 'BrandRefused', slug: string): Promise<void> => {
  const position = await site.engine.add(brandStream(brandSlug(slug)), decided(type, slug));
  expect(await waitForPosition(site.engine.database, 'brands', position, 10_000)).toBe(true);
};

beforeAll(async () => {
  site = await serving({ models: ['brands', 'names', 'search'] });
  await site.append(
    story('a', 'tilakwadi'),
    story('b', 'maya'),
    story('c', 'maya', 'Second'),
    story('d', 'kiri'),
    story('e', 'kiri', 'Daily Trade', '2026-11-20T09:30:00Z'),
    story('f', 'later'),
    story('g', 'later', 'Daily Trade', '2026-11-20T19:30:00Z'),
    story('h', 'unseen'),
    story('i', 'unseen', 'Second'),
    held('i'),
  );
});
afterAll(() => site.close());

describe('a provisional brand', () => {
  it('has no page until a second public story about it by another outlet or on another IST day', async () => {
    const all = ['tilakwadi', 'maya', 'kiri', 'later', 'unseen'];
    expect([...(await brandsWithoutPage(site.engine.database, all))].sort()).toEqual(['kiri', 'tilakwadi', 'unseen']);
  });

  it.each(['/brand/%', '/brand/%/feed.rss', '/api/v1/brands/%'])(
    'answers 404 at %s, a promoted one 200',
    async (path) => {
      expect(await status(path.replace('%', 'tilakwadi'))).toBe(404);
      expect(await status(path.replace('%', 'maya'))).toBe(200);
    },
  );

  it('is named with the nearest brands that have a page', async () => {
    const answer = await site.server.inject('/api/v1/brands/mayaa');
    expect(answer.json().message).toBe('No brand has the slug "mayaa". Nearest: maya.');
  });

  it('is text on pages, and absent from the sitemap', async () => {
    const page = (await site.server.inject('/signal/slug-a')).body;
    expect(page).toContain('<span class="brand primary">tilakwadi</span>');
    expect(page).not.toContain('/brand/tilakwadi');
    expect((await site.server.inject('/')).body).not.toContain('href="/brand/tilakwadi');
    const map = (await site.server.inject('/sitemap/pages.xml')).body;
    expect(map).toContain('/brand/maya<');
    expect(map).not.toContain('/brand/tilakwadi');
  });

  it('keeps its reference and address in the API', async () => {
    const { signals } = (await site.server.inject('/api/v1/signals?brand=tilakwadi')).json();
    expect(signals[0].brands[0]).toEqual({
      name: 'tilakwadi',
      slug: 'tilakwadi',
      url: 'http://clarity.test/brand/tilakwadi',
      role: 'primary',
    });
  });

  it('is promoted and refused by an operator, the last decision counts', async () => {
    await decide('BrandPromoted', 'kiri');
    expect(await status('/brand/kiri')).toBe(200);
    await decide('BrandRefused', 'kiri');
    expect(await status('/brand/kiri')).toBe(404);
    await decide('BrandRefused', 'later');
    expect(await status('/brand/later')).toBe(404);
  });
});
