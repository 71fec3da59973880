import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { BrandAnswer, ErrorBody } from '../../../schemas/resources.ts';
import { brandRef, detected, idOf, understanding } from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

let site: Serving;
const get = (slug: string) => site.server.inject(`/api/v1/brands/${slug}`);
const about = (slug: string, others: string[] = []) =>
  understanding({
    brands: [brandRef(slug, 'As Reported'), ...others.map((other) => brandRef(other, other, 'secondary'))],
  });
const brand = (slug: string, retired_slugs: string[] = []) =>
  CatalogueBrand.parse({ slug, retired_slugs, name: `Name of ${slug}`, category: 'fashion' });

beforeAll(async () => {
  site = await serving({
    models: ['brands'],
    catalogue: { brands: [brand('kiri-foods', ['kiri', 'kiri-snacks']), brand('silent')], themes: [] },
  });
  await site.append(
    detected('one', { understanding: about('kiri-foods', ['maya']) }),
    detected('two', { understanding: about('kiri'), published_at: '2026-11-20T05:00:00Z' }),
    detected('else', { understanding: about('unlisted') }),
    ...Array.from({ length: 12 }, (_, index) =>
      detected(`busy-${index}`, {
        understanding: about('busy', [`friend-${index}`]),
        published_at: `2026-11-19T0${index % 10}:00:00Z`,
      }),
    ),
  );
});
afterAll(() => site.close());

describe('GET /api/v1/brands/{slug}', () => {
  it('given a brand with stories under two slugs, then one profile under the name of the catalogue', async () => {
    const answer = await get('kiri-foods');
    expect(answer.statusCode).toBe(200);
    const { brand, latest } = BrandAnswer.parse(answer.json());
    expect(brand).toMatchObject({
      name: 'Name of kiri-foods',
      slug: 'kiri-foods',
      url: 'http://clarity.test/brand/kiri-foods',
      stories: 2,
      stories_about: 2,
      last_30_days: { total: 2, by_move: { stores: 2, deals: 0 }, until: '2026-11-21T04:30:00.000Z' },
      related_brands: [{ slug: 'maya', stories: 1 }],
      top_outlets: [{ outlet: 'Daily Trade', stories: 2 }],
    });
    expect(latest.map(({ id }) => id)).toEqual([idOf('two'), idOf('one')]);
  });

  it('given more than ten entries in each list, then ten', async () => {
    const { brand, latest } = BrandAnswer.parse((await get('busy')).json());
    expect([brand.stories, brand.related_brands.length, latest.length]).toEqual([12, 10, 10]);
  });

  it.each(['kiri', 'kiri-snacks'])('given the retired slug %s, then 301 to the current one', async (slug) => {
    const answer = await get(slug);
    expect([answer.statusCode, answer.headers.location]).toEqual([301, 'http://clarity.test/api/v1/brands/kiri-foods']);
  });

  it.each(['kiri-foods-india', 'name-of-kiri-foods', 'kiri-foods-pvt-ltd'])(
    'given %s, a name of a brand of the catalogue, then 301 to it',
    async (slug) => {
      const answer = await get(slug);
      expect([answer.statusCode, answer.headers.location]).toEqual([
        301,
        'http://clarity.test/api/v1/brands/kiri-foods',
      ]);
    },
  );

  it('given a brand of the catalogue without a story, then an empty profile', async () => {
    const { brand, latest } = BrandAnswer.parse((await get('silent')).json());
    expect(brand).toMatchObject({ stories: 0, first_seen_at: null, last_30_days: null, themes: [] });
    expect(latest).toEqual([]);
  });

  it('given a brand that only stories contain, then it has a profile', async () => {
    expect((await get('unlisted')).json().brand).toMatchObject({ name: 'As Reported', stories: 1 });
  });

  it.each(['nobody', 'No%20Slug', '%00', '__proto__', 'constructor'])('given %s, then 404', async (slug) => {
    const answer = await get(slug);
    expect(answer.statusCode).toBe(404);
    expect(ErrorBody.parse(answer.json()).error).toBe('not_found');
  });
});

it('given a retired slug as filter of the list, then the stories of the brand under all its slugs', async () => {
  for (const slug of ['kiri', 'kiri-foods']) {
    const answer = await site.server.inject(`/api/v1/signals?brand=${slug}&limit=1`);
    const next = await site.server.inject(`/api/v1/signals?brand=${slug}&limit=1&cursor=${answer.json().next_cursor}`);
    expect([answer, next].map((page) => page.json().signals[0].id)).toEqual([idOf('two'), idOf('one')]);
  }
});
