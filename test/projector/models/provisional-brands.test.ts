import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandsWithoutPage, type Evidence, hasPage } from '../../../projector/models/names-queries.ts';
import { AccountId } from '../../../schemas/access.ts';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { brandStream } from '../../../schemas/resources.ts';
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

/** A headline that has what the address of a brand looks like in a document. */
const QUOTING = 'Maya says "url":"http://clarity.test/brand/tilakwadi" is its address';

let site: Serving;
const status = async (path: string) => (await site.server.inject(path)).statusCode;
const decide = async (type: 'BrandPromoted' | 'BrandRefused', slug: string): Promise<void> => {
  const position = await site.engine.add(brandStream(brandSlug(slug)), decided(type, slug));
  expect(await waitForPosition(site.engine.database, 'brands', position, 10_000)).toBe(true);
};

beforeAll(async () => {
  const tilakwada = CatalogueBrand.parse({ slug: 'tilakwada', name: 'Tilakwada', category: 'fashion' });
  site = await serving({
    models: ['brands', 'names', 'search', 'follows', 'inbox_reads'],
    catalogue: { brands: [tilakwada] },
    authorise: () => async (request) => {
      const account = AccountId.parse('acc_0000000000000001');
      request.access = { kind: 'key', account, name: 'test', plan: 'free', scopes: ['read'], keyId: null };
    },
  });
  await site.append(
    story('a', 'tilakwadi'),
    story('b', 'maya'),
    story('c', 'maya', 'Second'),
    story('d', 'kiri'),
    story('e', 'kiri', 'Daily Trade', '2026-11-20T09:30:00Z'),
    story('f', 'later'),
    detected('agreed', { understanding: understanding({ brands: [mention('swadling', { agreed: true })] }) }),
    story('g', 'later', 'Daily Trade', '2026-11-20T19:30:00Z'),
    story('h', 'unseen'),
    story('i', 'unseen', 'Second'),
    held('i'),
    detected('quoting', {
      published_at: '2026-11-21T04:30:00Z',
      understanding: understanding({
        headline: QUOTING,
        brands: [mention('maya'), mention('passing', { role: 'secondary' })],
      }),
    }),
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

  it('has a page at once where two readers agree on it, which says that no editor confirmed it', async () => {
    expect(await brandsWithoutPage(site.engine.database, ['swadling'])).toEqual(new Set());
    const page = (await site.server.inject('/brand/swadling')).body;
    expect(page).toContain('Named in headlines, not confirmed by an editor yet');
  });

  it('is named with the nearest brands that have a page', async () => {
    const answer = await site.server.inject('/api/v1/brands/mayaa');
    expect(answer.json().message).toBe('No brand has the slug "mayaa". Nearest: maya.');
  });

  it('is text on pages, and absent from the sitemap', async () => {
    const page = (await site.server.inject('/signal/slug-a')).body;
    expect(page).toContain('<span class="brand primary">tilakwadi</span>');
    // A near signal may quote the address in its headline, as text.
    expect(page).not.toContain('href="/brand/tilakwadi');
    expect((await site.server.inject('/')).body).not.toContain('href="/brand/tilakwadi');
    const map = (await site.server.inject('/sitemap/pages.xml')).body;
    expect(map).toContain('/brand/maya<');
    expect(map).not.toContain('/brand/tilakwadi');
  });

  const reference = async (path: string, at: (answer: never) => unknown) =>
    at((await site.server.inject(path)).json() as never);
  const pathOf = (slug: string) => `http://clarity.test${slug}`;

  it.each<[string, (answer: never) => unknown]>([
    [
      '/api/v1/signals',
      ({ signals }: { signals: { slug: string }[] }) => signals.find(({ slug }) => slug === 'slug-a'),
    ],
    [
      '/api/v1/signals?expand=detail',
      ({ signals }: { signals: { slug: string }[] }) => signals.find(({ slug }) => slug === 'slug-a'),
    ],
    ['/api/v1/signals/slug-a', ({ signal }: { signal: unknown }) => signal],
  ])('keeps its reference at %s, which leads to the page of the signal', async (path, at) => {
    expect(await reference(path, at)).toMatchObject({
      brands: [{ name: 'tilakwadi', slug: 'tilakwadi', url: pathOf('/signal/slug-a'), role: 'primary' }],
    });
    expect(await status('/signal/slug-a')).toBe(200);
  });

  it('leaves the addresses of brands with a page, and the text of outlets, as they are', async () => {
    const { signal } = (await site.server.inject('/api/v1/signals/slug-quoting')).json();
    expect(signal.headline).toBe(QUOTING);
    expect(signal.brands.map(({ url }: { url: string }) => url)).toEqual([
      pathOf('/brand/maya'),
      pathOf('/signal/slug-quoting'),
    ]);
    const { latest } = (await site.server.inject('/api/v1/brands/maya')).json();
    expect(latest[0].brands[1].url).toBe(pathOf('/signal/slug-quoting'));
  });

  it.each([
    '/api/v1/signals?brand=%',
    '/api/v1/signals.csv?brand=%',
    '/api/v1/signals?brand=%&mentions=true',
    '/api/v1/brief?brands=%',
  ])('is no filter at %s, with the nearest names; a promoted one is', async (path) => {
    const refused = await site.server.inject(path.replace('%', 'tilakwadi'));
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ error: 'invalid_request' });
    expect(refused.json().message).toContain('no brand has the slug "tilakwadi". Nearest: tilakwada.');
    expect(await status(path.replace('%', 'maya'))).toBe(200);
  });

  it('is no target of a follow', async () => {
    const follow = (slug: string) =>
      site.server.inject({
        method: 'POST',
        url: '/api/v1/follow',
        payload: { target: { type: 'brand', slug } },
      });
    const refused = await follow('tilakwadi');
    expect([refused.statusCode, refused.json().error]).toEqual([404, 'not_found']);
    expect((await follow('maya')).statusCode).toBe(201);
  });

  it('is a brand everywhere once it is promoted; refused, its follow leads to the list of follows', async () => {
    await decide('BrandPromoted', 'kiri');
    expect(await status('/api/v1/signals?brand=kiri')).toBe(200);
    expect(
      await reference('/api/v1/signals?brand=kiri', ({ signals }: { signals: { brands: unknown[] }[] }) => signals[0]),
    ).toMatchObject({ brands: [{ url: pathOf('/brand/kiri') }] });
    const added = await site.server.inject({
      method: 'POST',
      url: '/api/v1/follow',
      payload: { target: { type: 'brand', slug: 'kiri' } },
    });
    expect(added.json()).toMatchObject({ follow: { url: pathOf('/brand/kiri') } });
    await decide('BrandRefused', 'kiri');
    const { follows } = (await site.server.inject('/api/v1/follow')).json();
    expect(follows.find(({ slug }: { slug: string }) => slug === 'kiri')).toMatchObject({ url: pathOf('/my-brands') });
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
