/** A shared cache in front of the pages: what it may store, and that events remove what they change. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresGroup } from '../../../log/postgres/topics/consumer-group.ts';
import { cacheKeys, httpPurge, runCachePurge } from '../../../presentation/http/http-caching.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { brandStream } from '../../../schemas/resources.ts';
import { BASE_URL, type Serving } from '../../api/serving.ts';
import { brandSlug } from '../../harness/ids.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';
import { storedEvent } from '../../projector/given-when-then.ts';
import { detected, report, reported } from '../../projector/signal-events.ts';
import { fullRecord } from '../../web/full-record.ts';

/** A cache as RFC 9111 has it, as far as the service uses it: `s-maxage`, `Vary: Cookie`, and purges by key. */
class SharedCache {
  readonly #stored = new Map<string, { readonly body: string; readonly keys: ReadonlySet<string> }>();
  readonly purges: { readonly keys: readonly string[]; readonly key: string | undefined }[] = [];
  /** Statuses that the next purges are answered with. */
  readonly failures: number[] = [];
  #server: Server | undefined;

  async get(url: string): Promise<{ readonly hit: boolean; readonly body: string }> {
    const stored = this.#stored.get(url);
    if (stored) return { hit: true, body: stored.body };
    const { headers, body } = await site.server.inject({ url, headers: { accept: 'text/html' } });
    if (/\bs-maxage=[1-9]/.test(String(headers['cache-control'])))
      this.#stored.set(url, { body, keys: new Set(String(headers['surrogate-key']).split(' ')) });
    return { hit: false, body };
  }

  #purge({ headers }: IncomingMessage): number {
    const failure = this.failures.shift();
    if (failure !== undefined) return failure;
    const keys = String(headers['surrogate-key']).split(' ');
    this.purges.push({ keys, key: String(headers['fastly-key']) });
    for (const [url, stored] of this.#stored) if (keys.some((key) => stored.keys.has(key))) this.#stored.delete(url);
    return 200;
  }

  async listen(): Promise<string> {
    this.#server = createServer((request, response) => {
      request.resume();
      response.writeHead(this.#purge(request)).end();
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/purge`;
  }

  close(): void {
    this.#server?.close();
  }
}

let site: Serving;
const cache = new SharedCache();
const over = new AbortController();
let purging: Promise<void>;

beforeAll(async () => {
  const settings = {
    BASE_URL,
    CDN_PURGE_URL: await cache.listen(),
    CDN_PURGE_KEY: 'secret',
    CDN_API: 'fastly' as const,
  };
  site = await fullRecord({ settings });
  cache.failures.push(503);
  purging = runCachePurge({
    store: site.engine.store,
    logger: pino({ level: 'silent' }),
    signal: over.signal,
    group: postgresGroup(site.engine.database, 'cache purge'),
    purge: httpPurge(settings),
    projected: async (position) => {
      for (const model of ['signals', 'brands', 'themes', 'facets'])
        if (!(await waitForPosition(site.engine.database, model, position, 1_000))) return false;
      return true;
    },
  });
});
afterAll(async () => {
  over.abort();
  await purging;
  cache.close();
  await site.close();
});

const headersOf = async (url: string, headers: Record<string, string> = {}) =>
  (await site.server.inject({ url, headers: { accept: 'text/html', ...headers } })).headers;

describe('what a shared cache may store', () => {
  it.each(['/', '/signal/slug-kiri-pune', '/brand/kiri-foods', '/tables/openings', '/feed.json', '/map'])(
    'given %s read by nobody in particular, then it may be stored until it is purged, and browsers ask again',
    async (url) => {
      const { 'cache-control': control, 'surrogate-key': keys, vary, etag } = await headersOf(url);
      expect(control).toMatch(/^public, max-age=(0, must-revalidate|60), s-maxage=3600, /);
      expect(String(keys).split(' ')).toContain('clarity');
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

  it('given a page that other events change, then it is stored for half a minute', async () => {
    expect((await headersOf('/sources'))['cache-control']).toMatch(/s-maxage=30,/);
  });

  it('given a compressed page, then its keys are those of the page', async () => {
    const plain = await headersOf('/brand/kiri-foods');
    const answer = await site.server.inject({ url: '/brand/kiri-foods', headers: { 'accept-encoding': 'br' } });
    expect(brotliDecompressSync(answer.rawPayload).toString()).toContain('Kiri Foods');
    expect(answer.headers['surrogate-key']).toBe(plain['surrogate-key']);
    expect(String(plain['surrogate-key']).split(' ')).toContain('signal/slug-kiri-pune');
  });

  it('given a list of any length, then its keys are bounded', () => {
    const links = Array.from({ length: 5_000 }, (_, n) => `<a href="/signal/one-${n}">`).join('');
    expect(cacheKeys('/', links).length).toBeLessThan(150);
    expect(cacheKeys('/brand/kiri-foods/feed.atom', '')).toEqual(['clarity', 'brand/kiri-foods']);
  });
});

describe('purging', () => {
  it('given a cache that refuses the first purge, then everything is purged after it is back', async () => {
    await vi.waitFor(() => expect(cache.purges[0]).toEqual({ keys: ['clarity'], key: 'secret' }), WAIT_OPTIONS);
  });

  it('given stored pages, when a signal changes, then those that show it are fresh and others stay stored', async () => {
    const shown = ['/', '/signal/slug-kiri-pune', '/brand/kiri-foods'];
    const apart = ['/brand/tilak-shoes', '/signal/slug-maya-nagpur'];
    for (const url of [...shown, ...apart]) await cache.get(url);
    for (const url of [...shown, ...apart]) expect([url, (await cache.get(url)).hit]).toEqual([url, true]);
    await site.append(reported('kiri-pune', report('third', { outlet: 'Evening Paper', title: 'Kiri in Pune' })));
    await vi.waitFor(async () => {
      expect((await cache.get('/signal/slug-kiri-pune')).body).toContain('Evening Paper');
    }, WAIT_OPTIONS);
    expect((await cache.get('/')).body).toContain('Evening Paper');
    expect((await cache.get('/brand/tilak-shoes')).hit).toBe(true);
  });

  it('given a new signal, then the lists and its brand show it', async () => {
    await cache.get('/feed.json');
    await site.append(detected('kiri-new', { report: report('kiri-new', { published_at: '2026-11-21T04:00:00Z' }) }));
    await vi.waitFor(async () => expect((await cache.get('/feed.json')).body).toContain('slug-kiri-new'), WAIT_OPTIONS);
  });

  it('given a decision on a name, then everything is purged, since names are on any page', async () => {
    const { length } = cache.purges;
    await site.engine.add(
      brandStream(brandSlug('unlisted')),
      storedEvent('BrandRefused', { slug: brandSlug('unlisted'), name: 'Unlisted', by: 'test', why: 'test' }),
    );
    await vi.waitFor(
      () => expect(cache.purges.slice(length).map(({ keys }) => keys)).toContainEqual(['clarity']),
      WAIT_OPTIONS,
    );
  });

  it('given the dialect of Cloudflare, then tags are sent in requests of 30, with the key as a token', async () => {
    const bodies: { readonly tags: string[]; readonly authorization: string | undefined }[] = [];
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      bodies.push({ ...JSON.parse(body), authorization: request.headers.authorization });
      response.end('{"success":true}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const CDN_PURGE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const purge = httpPurge({ CDN_PURGE_URL, CDN_PURGE_KEY: 'secret', CDN_API: 'cloudflare' });
    await purge(Array.from({ length: 40 }, (_, n) => `signal/${n}`));
    await purge(Array.from({ length: 5_000 }, (_, n) => `signal/${n}`));
    server.close();
    expect(bodies.map(({ tags }) => tags.length)).toEqual([30, 10, 1]);
    expect(new Set(bodies.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret']));
  });
});
