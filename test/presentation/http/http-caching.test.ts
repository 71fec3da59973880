/** A shared cache in front of the pages: what it may store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../../api/serving.ts';
import { fullRecord } from '../../web/full-record.ts';

let site: Serving;

beforeAll(async () => {
  site = await fullRecord();
});
afterAll(() => site.close());

const headersOf = async (url: string, headers: Record<string, string> = {}) =>
  (await site.server.inject({ url, headers: { accept: 'text/html', ...headers } })).headers;

describe('what a shared cache may store', () => {
  it.each(['/', '/signal/slug-kiri-pune', '/brand/kiri-foods', '/tables/openings', '/feed.json', '/map', '/sources'])(
    'given %s read by nobody in particular, then it may be stored for half a minute, and browsers ask again',
    async (url) => {
      const { 'cache-control': control, vary, etag } = await headersOf(url);
      expect(control).toMatch(/^public, max-age=(0, must-revalidate|60), s-maxage=30, /);
      expect(etag).toBeDefined();
      if (!url.startsWith('/feed')) expect(String(vary).toLowerCase()).toContain('cookie');
    },
  );

  it.each([
    ['/', { cookie: 'density=compact' }],
    ['/', { cookie: 'session=x' }],
    ['/sign-in', {}],
    ['/nothing-here', {}],
    ['/api/v1/plans', {}],
    ['/ask', {}],
  ])('given %s with %j, then nobody else gets it', async (url, headers) => {
    const control = String((await headersOf(url, headers as Record<string, string>))['cache-control']);
    expect(control).not.toMatch(/s-maxage|public/);
  });
});
