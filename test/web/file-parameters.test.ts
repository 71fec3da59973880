/** Files of pages are read by programs: a parameter that would be ignored is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CatalogueBrand } from '../../schemas/catalogue.ts';
import { type Serving, serving } from '../api/serving.ts';

let site: Serving;
const get = (url: string) => site.server.inject(url);

beforeAll(async () => {
  const zudio = CatalogueBrand.parse({ slug: 'zudio', name: 'Zudio', category: 'fashion' });
  site = await serving({ models: ['openings', 'results', 'brands'], catalogue: { brands: [zudio], themes: [] } });
});
afterAll(() => site.close());

describe('the parameters of a file', () => {
  it.each([
    ['/tables/openings.csv?brnd=zudio', 'brnd'],
    ['/tables/openings.json?brand=', 'brand'],
    ['/tables/openings.xlsx?days=', 'days'],
    ['/tables/openings.csv?regulator=SEBI', 'regulator'],
    ['/tables/openings.csv?not_regulator=SEBI', 'not_regulator'],
    ['/tables/results.csv?by=city', 'by'],
    ['/watch.csv?b=zudio&foo=1', 'foo'],
    ['/watch.csv?b=zudio&days=', 'days'],
    ['/watch.csv?b=zudio,nobody', 'nobody'],
    ['/results.csv?quarter=', 'quarter'],
    ['/results.xlsx?foo=1', 'foo'],
  ])('given %s, then 400 that names %s', async (url, name) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    expect(answer.json().message).toContain(name);
  });

  it.each([
    '/tables/openings.csv?brand=zudio&not_city=Pune&state=Kerala&days=7&hide=City&sort=-stores&utm_source=mail',
    '/tables/openings.csv?by=city',
    '/watch.csv?b=zudio&utm_source=mail',
    '/results.csv?category=fashion',
  ])('given %s, then 200', async (url) => {
    expect((await get(url)).statusCode).toBe(200);
  });

  it('given a page, then fields that a form sends empty are taken as unset', async () => {
    expect((await get('/tables/openings?brand=&days=')).statusCode).toBeLessThan(400);
  });
});
