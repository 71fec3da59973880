/** Pages, feeds and files are limited by the minute, for each client address or signed-in reader. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess, openAccess } from '../../access/access.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import { BASE_URL, type Serving, serving } from '../api/serving.ts';
import { forgetCalls } from '../harness/database.ts';

const LIMIT = 5;
let site: Serving;
beforeAll(async () => {
  const configuration = { BASE_URL, PAGE_LIMIT: LIMIT };
  site = await serving({
    models: ['accounts', 'brands'],
    access: (database) => openAccess({ database, configuration }),
  });
  await migrateAccess(site.engine.database);
});
beforeEach(() => forgetCalls(site.engine.database));
afterAll(() => site.close());

const open = (url: string, remoteAddress = '203.0.113.7', headers: Record<string, string> = { accept: 'text/html' }) =>
  site.server.inject({ url, remoteAddress, headers });
const spend = async (address?: string) => {
  for (let n = 0; n < LIMIT; n++) expect((await open('/plans', address)).statusCode).toBe(200);
};

describe('pages', () => {
  it('given the limit of a minute, then the next is 429 with Retry-After and a page that says what to do', async () => {
    await spend();
    const answer = await open('/');
    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toContain(`More than ${LIMIT} pages a minute`);
  });

  it('given a client that accepts JSON, then the same as JSON', async () => {
    await spend();
    const answer = await open('/', undefined, { accept: '*/*' });
    expect(answer.json()).toMatchObject({
      error: 'rate_limited',
      limit: { window: 'minute', max: LIMIT },
      retry_after: Number(answer.headers['retry-after']),
    });
  });

  it('given pages, feeds, files and cards, then they are counted together', async () => {
    for (const url of ['/', '/feed.rss', '/llms.txt', '/sitemap.xml', '/sources']) await open(url, undefined, {});
    for (const url of ['/', '/feed.atom', '/llms.txt', '/signal/nobody', '/sign-in', '/card/page/home.png'])
      expect((await open(url, undefined, {})).statusCode, url).toBe(429);
  });

  it('given addresses of pages that cannot be decoded, then each is 400 and counts as a page', async () => {
    for (const [index, url] of ['/brand/%zz', '/%', '/signal/%E0%A4%A', '/theme/%ff', '/%c0%ae'].entries()) {
      const { statusCode, headers } = await open(url, undefined, {});
      const limits = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']];
      expect([statusCode, ...limits], url).toEqual([400, String(LIMIT), String(LIMIT - 1 - index)]);
    }
    for (const url of ['/brand/%zz', '/plans']) expect((await open(url)).statusCode, url).toBe(429);
  });

  it('given the assets of a page and the files that crawlers request first, then they are neither counted nor refused', async () => {
    const { body } = await open('/');
    const assets = [...body.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|svg)(?:\?[^"]*)?)"/g)].map(
      ([, url = '']) => url,
    );
    expect(assets.length).toBeGreaterThan(1);
    await spend('198.51.100.1');
    for (const url of [...assets, '/robots.txt'])
      for (let n = 0; n <= LIMIT; n++) expect((await open(url, '198.51.100.1')).statusCode, url).toBe(200);
    expect((await open('/plans')).statusCode).toBe(200);
  });

  it('given several addresses, then each has its own limit; an IPv6 network counts as one', async () => {
    await spend();
    expect((await open('/plans', '203.0.113.8')).statusCode).toBe(200);
    await spend('2001:db8:1:1::1');
    expect((await open('/plans', '2001:db8:1:1::2')).statusCode).toBe(429);
    expect((await open('/plans', '2001:db8:1:2::1')).statusCode).toBe(200);
  });

  it('given a full minute of pages, then calls of the API are counted separately', async () => {
    await spend();
    expect((await open('/api/v1/sources/health')).statusCode).toBe(200);
  });

  it('given no setting, then the limit is 120', () => {
    expect(readConfiguration({}).PAGE_LIMIT).toBe(120);
  });
});
