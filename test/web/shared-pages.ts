/** What pages contain for link previews and for machines; checked on a site that is filled already. */

import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BASE_URL, type Serving } from '../api/serving.ts';

// The types of schema.org that pages use, each with the properties it has there, and no other.

const url = z.url({ protocol: /^https?$/ });
const instant = z.iso.datetime({ offset: true });
const position = z.int().positive();
const name = z.string().min(1).max(300);
const headline = z.string().min(1).max(110);

const typed = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ '@type': z.literal(type), ...shape });

const Country = typed('Country', { name });
const State = typed('AdministrativeArea', { name, containedInPlace: Country });
const City = typed('City', { name, containedInPlace: z.union([State, Country]) });
const About = z.discriminatedUnion('@type', [
  typed('Organization', { name }),
  typed('Thing', { name }),
  Country,
  City,
  typed('ShoppingCenter', { name, containedInPlace: City }),
  typed('Airport', { name, containedInPlace: City }),
  typed('Place', { name, containedInPlace: City }),
]);
const context = z.literal('https://schema.org');

const Listed = typed('NewsArticle', { '@id': url, url, headline, datePublished: instant });

const CollectionPage = typed('CollectionPage', {
  '@context': context,
  '@id': url,
  url,
  name,
  description: name,
  inLanguage: z.literal('en-IN'),
  isPartOf: typed('WebSite', { name, url }),
  about: About.optional(),
  breadcrumb: typed('BreadcrumbList', {
    itemListElement: z.array(typed('ListItem', { position, name, item: url })).min(1),
  }),
  mainEntity: typed('ItemList', {
    numberOfItems: z.int().nonnegative(),
    itemListElement: z.array(typed('ListItem', { position, item: Listed })),
  }),
});

const NewsArticle = typed('NewsArticle', {
  '@context': context,
  '@id': url,
  identifier: z.string(),
  headline,
  description: z.string().max(300),
  url,
  image: z.array(url),
  mainEntityOfPage: url,
  datePublished: instant,
  dateModified: instant,
  inLanguage: z.literal('en-IN'),
  publisher: typed('Organization', { name }),
  author: typed('Organization', { name: z.string().min(1) }),
  isBasedOn: z.array(url),
  // A provisional brand has no page.
  about: z.array(typed('Brand', { name: z.string().min(1), url: url.optional() })),
  contentLocation: z.array(typed('City', { name: z.string().min(1) })),
});

const LinkedData = z.discriminatedUnion('@type', [CollectionPage, NewsArticle]);

/** Paths of every kind of page that has its own picture or entry. */
const SHARED = [
  '/',
  '/signal/slug-kiri-pune',
  '/signal/slug-hostile-0',
  '/brand/kiri-foods',
  '/theme/expansion',
].concat([
  '/city/pune',
  '/mall/hill-mall',
  '/group/food',
  '/brief',
  '/brief/2026-11-19',
  '/watch',
  '/map?mall=Hill+Mall',
  '/nothing-here',
]);

/** @param site filled by `fullRecord` and `appendHostileSignals` */
export function sharedPages(site: () => Serving): void {
  const get = (url: string, headers: Record<string, string> = {}) => site().server.inject({ url, headers });

  describe('GET /card/{subject}/{name}.png', () => {
    it('given every public page, also with hostile text, then it names a picture, and the picture exists', async () => {
      const shown = await Promise.all(
        SHARED.map(async (path) => {
          const $ = load((await get(path, { accept: 'text/html' })).body);
          return {
            path,
            card: $('meta[property="og:image"]').attr('content'),
            kind: $('[name="twitter:card"]').attr('content'),
          };
        }),
      );
      expect(shown.filter(({ card }) => card === undefined).map(({ path }) => path)).toEqual(['/nothing-here']);
      expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set([undefined, 'summary_large_image']));
      expect(shown.find(({ path }) => path === '/city/pune')?.card).toBe(`${BASE_URL}/card/city/pune.png`);
      for (const address of new Set(shown.flatMap(({ card }) => card ?? []))) {
        const answer = await get(new URL(address).pathname);
        expect([address, answer.statusCode, answer.headers['content-type']]).toEqual([address, 200, 'image/png']);
        expect(answer.rawPayload.subarray(1, 4).toString()).toBe('PNG');
      }
    });

    it('given a cached picture, then 304, and it may be cached for a day', async () => {
      const { headers } = await get('/card/signal/slug-kiri-pune.png');
      expect(headers['cache-control']).toMatch('public, max-age=86400');
      const again = await get('/card/signal/slug-kiri-pune.png', { 'if-none-match': String(headers.etag) });
      expect([again.statusCode, again.body]).toEqual([304, '']);
      expect(again.headers.etag).toBe(headers.etag);
    });

    it('given an id or an alternative name, then 301 to the picture of the page; given an unknown name, then 404', async () => {
      const moved = await get('/card/city/poona.png');
      expect([moved.statusCode, moved.headers.location]).toEqual([301, `${BASE_URL}/card/city/pune.png`]);
      const unknown = ['signal/none.png', 'brand/none.png', 'theme/a%00.png', 'city/none.png', 'group/none.png']
        .concat('page/constructor.png', 'page/clarity.jpg', 'other/clarity.png')
        .map((path) => get(`/card/${path}`));
      expect((await Promise.all(unknown)).map(({ statusCode }) => statusCode)).toEqual(unknown.map(() => 404));
    });
  });

  describe('data blocks', () => {
    const blockOf = async (path: string) => {
      const blocks = load((await get(path, { accept: 'text/html' })).body)('script[type="application/ld+json"]');
      expect([path, blocks.length]).toEqual([path, 1]);
      return LinkedData.parse(JSON.parse(blocks.text()));
    };

    it.each([
      '/',
      '/?kind=results',
      '/brand/kiri-foods',
      '/theme/expansion',
      '/city/pune',
      '/mall/hill-mall',
      '/group/food',
      '/map',
      '/people',
    ])(
      'given %s, also with hostile text, then it is a collection in the terms of schema.org, with breadcrumbs',
      async (path) => {
        const block = await blockOf(path);
        if (block['@type'] !== 'CollectionPage') throw new Error('not a collection');
        const { breadcrumb, mainEntity } = block;
        expect(block.url).toBe(`${BASE_URL}${path}`);
        expect(breadcrumb.itemListElement.map(({ position }) => position)).toEqual(
          breadcrumb.itemListElement.map((_, n) => n + 1),
        );
        expect(breadcrumb.itemListElement.at(-1)?.item).toBe(block.url);
        const listed = mainEntity.itemListElement.map(({ item }) => item.url);
        expect([new Set(listed).size, mainEntity.numberOfItems]).toEqual([listed.length, listed.length]);
        expect(listed.length).toBeGreaterThan(0);
      },
    );

    it('given a brand, then the data is about an organisation; given a city, then about a city in its state', async () => {
      expect(await blockOf('/brand/kiri-foods')).toMatchObject({
        about: { '@type': 'Organization', name: 'Kiri Foods' },
      });
      expect(await blockOf('/city/pune')).toMatchObject({
        about: { '@type': 'City', name: 'Pune', containedInPlace: { name: 'Maharashtra' } },
      });
    });

    it('given a signal, then the data is an article with its picture', async () => {
      expect(await blockOf('/signal/slug-kiri-pune')).toMatchObject({
        '@type': 'NewsArticle',
        image: [`${BASE_URL}/card/signal/slug-kiri-pune.png`],
      });
      await expect(blockOf('/signal/slug-hostile-0')).resolves.toBeDefined();
    });
  });
}
