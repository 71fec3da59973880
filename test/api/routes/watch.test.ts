import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authorise } from '../../../access/authorise.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { ErrorBody, Watch } from '../../../schemas/resources.ts';
import { MOVES, type Move } from '../../../schemas/scalar.ts';
import { brandRef, detected, held, merged, understanding } from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

let site: Serving;
let plan: 'free' | 'pro' = 'pro';
const authorise: Authorise = () => async (request) => {
  request.access = {
    kind: 'key',
    account: 'acc_0000000000000001' as AccountId,
    name: 'test',
    plan,
    scopes: ['read'],
    keyId: null,
  };
};
const get = (query: string, headers: Record<string, string> = {}) =>
  site.server.inject({ url: `/api/v1/watch?${query}`, headers });
const watch = async (query: string): Promise<Watch> => {
  const answer = await get(query);
  expect(answer.statusCode).toBe(200);
  return Watch.parse(answer.json());
};
const story = (name: string, slug: string, published_at: string, move: Move = 'stores', cities = ['Pune']) =>
  detected(name, {
    published_at,
    understanding: understanding({
      move,
      cities,
      headline: `=${name}`,
      brands: [brandRef(slug, slug.toUpperCase()), brandRef('mentioned', 'Mentioned', 'secondary')],
    }),
  });

beforeAll(async () => {
  const old = CatalogueBrand.parse({
    slug: 'zudio',
    retired_slugs: ['zudio-old'],
    name: '=Zudio',
    category: 'fashion',
  });
  const quiet = CatalogueBrand.parse({ slug: 'silent', name: 'Silent', category: 'fashion' });
  site = await serving({ models: ['brands'], catalogue: { brands: [old, quiet], themes: [] }, authorise });
  await site.append(
    story('a', 'zudio', '2026-11-21T04:00:00Z', 'stores', ['Pune', 'Delhi']),
    story('b', 'zudio-old', '2026-11-20T04:00:00Z', 'deals'),
    story('c', 'zudio', '2026-11-19T04:00:00Z'),
    story('d', 'zudio', '2026-11-18T04:00:00Z'),
    // The window's first moment belongs to it, and the one before to the window before.
    story('first', 'zudio', '2026-11-14T04:30:00Z', 'people', []),
    story('before', 'zudio', '2026-11-14T04:29:59Z', 'rules', ['Goa']),
    story('double', 'zudio', '2026-11-21T04:10:00Z'),
    merged('double', 'a'),
    story('doubt', 'zudio', '2026-11-20T04:00:00Z'),
    held('doubt'),
    story('late', 'westside', '2026-11-01T00:00:00Z'),
  );
});
afterAll(() => site.close());

describe('GET /api/v1/watch', () => {
  it('given stories of two windows, then each event counts once in its window, and every kind is listed', async () => {
    const answer = await watch('b=zudio,westside');
    expect(answer).toMatchObject({
      window_days: 7,
      since: '2026-11-14T04:30:00.000Z',
      until: '2026-11-21T04:30:00.000Z',
      quiet: ['westside'],
    });
    const [zudio, westside] = answer.brands;
    expect(zudio).toMatchObject({ name: '=Zudio', slug: 'zudio', url: 'http://clarity.test/brand/zudio', total: 5 });
    expect(zudio).toMatchObject({ prior_total: 1, cities: ['Pune', 'Delhi'] });
    expect(zudio?.by_move).toEqual({ ...zeros, stores: 3, deals: 1, people: 1 });
    expect(zudio?.prior_by_move).toEqual({ ...zeros, rules: 1 });
    expect(zudio?.latest.map(({ headline }) => headline)).toEqual(['=a', '=b', '=c']);
    expect(Object.keys(zudio?.latest[0] ?? {})).toEqual(
      expect.arrayContaining(['id', 'slug', 'url', 'headline', 'move', 'delta', 'published_at', 'source']),
    );
    expect(westside).toMatchObject({
      name: 'WESTSIDE',
      total: 0,
      prior_total: 0,
      by_move: zeros,
      latest: [],
      cities: [],
    });
  });

  it('given a wider window, then it includes the earlier signals', async () => {
    const { brands, quiet } = await watch('b=westside&days=30');
    expect([brands[0]?.total, quiet]).toEqual([1, []]);
  });

  it('given a retired slug next to the current one, then one brand in the requested order', async () => {
    const { brands } = await watch('b=silent,zudio-old,zudio,%20silent');
    expect(brands.map(({ slug }) => slug)).toEqual(['silent', 'zudio']);
  });

  it.each([
    ['', ['b is missing']],
    ['b=', ['b:', '1 to 25']],
    ['b=zudio,Not%20a%20slug', ['b:']],
    ['b=zudio,nobody,noone', ['"nobody", "noone"']],
    [`b=${Array.from({ length: 26 }, (_, index) => `brand-${index}`)}`, ['1 to 25']],
    ['b=zudio&days=8', ['days', '"8"', '7, 30 or 90']],
    ['b=zudio&days=007', ['days']],
    ['b=zudio&kind=stores', ['"kind"']],
  ])('given %s, then 400 says what is allowed', async (query, words) => {
    const answer = await get(query);
    expect(answer.statusCode).toBe(400);
    for (const word of words) expect(ErrorBody.parse(answer.json()).message).toContain(word);
  });

  it.each([
    ['b=zudio&days=30', 403],
    ['b=zudio&days=90', 403],
    ['b=zudio,westside,silent,mentioned,zudio-old,a', 403],
    ['b=zudio,westside,silent,mentioned,zudio-old', 200],
    ['b=zudio,zudio,zudio,zudio,zudio,zudio', 200],
  ])('given a free key and %s, then %i', async (query, status) => {
    plan = 'free';
    const answer = await get(query);
    plan = 'pro';
    expect(answer.statusCode).toBe(status);
    if (status === 403) expect(ErrorBody.parse(answer.json()).error).toBe('pro_required');
  });

  it('given Accept: text/csv, then a table without a formula in it', async () => {
    const answer = await get('b=zudio,silent', { accept: 'text/csv' });
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    const lines = answer.body.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^brand,slug,url,window_days,since,until,total,prior_total,stores,.*prior_other,cities$/);
    expect(lines[1]).toMatch(/^'=Zudio,zudio,.*,7,.*,5,1,3,1,/);
  });

  it('given an ETag of before, then 304 while no count changed', async () => {
    const first = await get('b=zudio');
    expect((await get('b=zudio', { 'if-none-match': String(first.headers.etag) })).statusCode).toBe(304);
  });
});

const zeros = Object.fromEntries(MOVES.map((move) => [move, 0]));
