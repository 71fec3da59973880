import RssParser from 'rss-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { brandRef, detected, idOf, report, understanding } from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

/** Reads strictly: what is not well-formed throws. */
const reader = new RssParser();
const HOSTILE = '<script>alert(1)</script> & "Kiri" ]]> \u0001\u{1F6CD} ₹5 Cr';
const READ = '<script>alert(1)</script> & "Kiri" ]]> \uFFFD\u{1F6CD} ₹5 Cr';
const JsonFeed = z.looseObject({
  version: z.literal('https://jsonfeed.org/version/1.1'),
  title: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  items: z.array(z.looseObject({ id: z.string(), url: z.url(), title: z.string(), date_published: z.iso.datetime() })),
});

let site: Serving;
const get = (url: string) => site.server.inject(url);

beforeAll(async () => {
  const zudio = CatalogueBrand.parse({
    slug: 'zudio',
    retired_slugs: ['zudio-old'],
    name: 'Zudio',
    category: 'fashion',
  });
  site = await serving({ models: ['brands'], catalogue: { brands: [zudio], themes: [] } });
  const brands = [brandRef('zudio', '"Zudio" & <Co>')];
  await site.append(
    detected('plain', { published_at: '2026-11-20T05:00:00Z' }),
    detected('hostile', {
      published_at: '2026-11-20T06:00:00Z',
      understanding: understanding({ headline: HOSTILE, summary: HOSTILE, cities: ['<Pune>'], brands, theme: null }),
      report: report('x', {
        published_at: '2026-11-20T06:00:00Z',
        outlet: 'A & B <Times>',
        url: 'https://outlet.test/x?a=1&b="2"',
      }),
    }),
  );
});
afterAll(() => site.close());

describe('feeds', () => {
  it.each([
    ['/feed.rss', 'application/rss+xml'],
    ['/feed.atom', 'application/atom+xml'],
  ])('given hostile text, then %s is well-formed and contains the text unchanged', async (url, type) => {
    const answer = await get(url);
    expect(answer.headers['content-type']).toBe(`${type}; charset=utf-8`);
    const feed = await reader.parseString(answer.body);
    expect(feed.title).toBe('Clarity');
    expect(feed.items.map(({ title }) => title)).toEqual([READ, 'Kiri Foods opens 40 stores']);
    expect(feed.items[0]?.link).toBe('http://clarity.test/signal/slug-hostile');
    expect(feed.items[0]?.isoDate).toBe('2026-11-20T06:00:00.000Z');
    expect(answer.body).not.toContain('<script>');
  });

  it('given JSON Feed, then its version, addresses and entries', async () => {
    const answer = await get('/feed.json');
    expect(answer.headers['content-type']).toBe('application/feed+json; charset=utf-8');
    const feed = JsonFeed.parse(answer.json());
    expect([feed.home_page_url, feed.feed_url]).toEqual(['http://clarity.test/', 'http://clarity.test/feed.json']);
    expect(feed.items.map(({ id }) => id)).toEqual([idOf('hostile'), idOf('plain')]);
  });

  it.each([
    ['/brand/zudio', [idOf('hostile')]],
    ['/brand/kiri-foods', [idOf('plain')]],
    ['/theme/expansion', [idOf('plain')]],
  ])('given %s, then its own feed, which its page names', async (path, ids) => {
    for (const ending of ['rss', 'atom', 'json']) expect((await get(`${path}/feed.${ending}`)).statusCode).toBe(200);
    const feed = JsonFeed.parse((await get(`${path}/feed.json`)).json());
    expect(feed.items.map(({ id }) => id)).toEqual(ids);
    const page = (await get(path)).body;
    for (const ending of ['rss', 'atom', 'json']) expect(page).toContain(`href="${path}/feed.${ending}"`);
  });

  it('given a retired slug, then 301 for page and feed; given an unknown one, then 404', async () => {
    expect((await get('/brand/zudio-old')).headers.location).toBe('http://clarity.test/brand/zudio');
    const feed = await get('/brand/zudio-old/feed.rss');
    expect([feed.statusCode, feed.headers.location]).toEqual([301, 'http://clarity.test/brand/zudio/feed.rss']);
    for (const path of ['/brand/nobody', '/theme/nothing', '/brand/%00', '/theme/%00'])
      expect((await get(`${path}/feed.atom`)).statusCode).toBe(404);
    for (const query of ['colour=red', 'limit=0', 'kind=gossip', 'sort=relevance'])
      expect([query, (await get(`/feed.rss?${query}`)).statusCode]).toEqual([query, 400]);
    expect((await get('/brand/zudio/feed.rss?limit=5')).statusCode).toBe(400);
  });

  it('given an empty record of a brand, then a feed without entries', async () => {
    const empty = await serving({ catalogue: { brands: [], themes: [] } });
    const feed = await reader.parseString((await empty.server.inject('/feed.atom')).body);
    await empty.close();
    expect(feed.items).toEqual([]);
  });
});

it('given /llms.txt, then the addresses that it names exist', async () => {
  const answer = await get('/llms.txt');
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  const addresses = [...answer.body.matchAll(/\]\(http:\/\/clarity\.test([^)]*)\)/g)].map(([, path]) => path ?? '');
  expect(addresses.length).toBeGreaterThan(5);
  for (const path of addresses) expect([path, (await get(path)).statusCode]).toEqual([path, 200]);
});
