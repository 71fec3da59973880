/** What HTTP clients, caches and feed readers rely on: validators, compression, Location, CORS, filters that exist. */
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonFeed } from '../../api/feed-formats.ts';
import { buildServer } from '../../api/server.ts';
import { CatalogueBrand, CatalogueTheme } from '../../schemas/catalogue.ts';
import { eventually } from '../harness/eventually.ts';
import { openAccess } from '../harness/open-access.ts';
import { brandRef, detected, understanding } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

const brand = (slug: string, name: string) => CatalogueBrand.parse({ slug, name, category: 'fashion' });
const CATALOGUE = {
  brands: [brand('zudio', 'Zudio'), brand('westside', 'Westside')],
  themes: [CatalogueTheme.parse({ slug: 'quick-commerce', name: 'Quick commerce', words: ['quick commerce'] })],
};

let site: Serving;
let minutes = 0;
let later: Awaited<ReturnType<typeof buildServer>>;
const log: string[] = [];

beforeAll(async () => {
  site = await serving({
    models: ['brands', 'search', 'names', 'investigations'],
    catalogue: CATALOGUE,
  });
  await site.append(
    ...Array.from({ length: 12 }, (_, index) =>
      detected(`one-${index}`, {
        published_at: `2026-11-20T0${index % 10}:00:00Z`,
        understanding: understanding({
          brands: [brandRef('kiri', 'Kiri')],
          theme: { slug: 'funding', name: 'Funding' },
        }),
      }),
    ),
  );
  const { database, store } = site.engine;
  later = await buildServer({
    database,
    store,
    configuration: { BASE_URL: 'http://clarity.test', TRUST_PROXY: undefined },
    access: openAccess(),
    now: () => new Date(Date.parse('2026-11-21T04:30:00Z') + 60_000 * minutes++),
    logger: pino({}, { write: (line) => void log.push(line) }),
  });
});
afterAll(async () => {
  await later.close();
  await site.close();
});

describe('validators', () => {
  it.each([
    ['/api/v1/brands/kiri', 'application/json'],
    ['/api/v1/watch?b=kiri', 'application/json'],
    ['/api/v1/watch?b=kiri', 'text/csv'],
  ])('given %s as %s again a minute later, then 304', async (url, accept) => {
    const first = await later.inject({ url, headers: { accept } });
    expect(first.headers['content-type']).toContain(accept);
    const again = await later.inject({ url, headers: { accept, 'if-none-match': String(first.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('given the ETag of one format, then the other format is still sent', async () => {
    const url = '/api/v1/watch?b=kiri';
    const { headers } = await later.inject({ url, headers: { accept: 'text/csv' } });
    expect((await later.inject({ url, headers: { 'if-none-match': String(headers.etag) } })).statusCode).toBe(200);
  });
});

describe('lists in a query', () => {
  it.each([
    ['watch', 'b=zudio&b=westside', (answer: { brands: { slug: string }[] }) => answer.brands.map(({ slug }) => slug)],
    ['brief', 'brands=zudio&brands=westside', (answer: { filters: { brands: string[] } }) => answer.filters.brands],
  ] as const)('given %s?%s, then both values are used', async (path, query, read) => {
    const answer = await site.server.inject(`/api/v1/${path}?${query}`);
    expect(answer.statusCode).toBe(200);
    expect(read(answer.json())).toEqual(['zudio', 'westside']);
  });

  it('given themes twice and with commas, then all count', async () => {
    const answer = await site.server.inject('/api/v1/brief?themes=funding,quick-commerce&themes=funding');
    expect(answer.json().filters.themes).toEqual(['funding', 'quick-commerce']);
  });
});

describe('filters that match no known name', () => {
  it.each([
    ['/api/v1/signals?brand=zudoi', 'brand: no brand has the slug "zudoi". Nearest: zudio'],
    ['/api/v1/signals?theme=quick-comerce', 'theme: no theme has the slug "quick-comerce". Nearest: quick-commerce'],
    ['/api/v1/brief?brands=zudio,wetside', 'brands: no brand has the slug "wetside". Nearest: westside'],
    ['/api/v1/brief?themes=nothing-like-it', 'themes: no theme has the slug "nothing-like-it".'],
    ['/api/v1/watch?b=zudoi', 'b: no brand has the slug "zudoi". Nearest: zudio'],
  ])('given %s, then 400 names the nearest', async (url, message) => {
    const answer = await site.server.inject(url);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toContain(message);
  });

  it('given a brand and a theme that only stories contain, then they are accepted', async () => {
    const answer = await site.server.inject('/api/v1/signals?brand=kiri&theme=funding&limit=2');
    expect(answer.json().signals).toHaveLength(2);
  });
});

describe('compression', () => {
  const bare = () => site.server.inject('/api/v1/signals');
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('given a client that takes %s, then the same text arrives', async (encoding, decompress) => {
    const answer = await later.inject({ url: '/api/v1/signals', headers: { 'accept-encoding': encoding } });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(String(answer.headers.vary).toLowerCase()).toContain('accept-encoding');
    expect(decompress(answer.rawPayload).toString()).toBe((await bare()).body);
    expect(answer.rawPayload.length).toBeLessThan((await bare()).rawPayload.length / 3);
  });

  it('given a page, then it is compressed only without a cookie: with one it may contain a form token', async () => {
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const stranger = await site.server.inject({ url: '/plans', headers });
    const personal = await site.server.inject({ url: '/plans', headers: { ...headers, cookie: 'theme=dark' } });
    expect([stranger.statusCode, personal.statusCode]).toEqual([200, 200]);
    expect(personal.headers['content-encoding']).toBeUndefined();
    expect(stranger.headers['content-encoding'] ?? String(stranger.headers['set-cookie'])).toMatch(/gzip|=/);
  });

  it('given a stream of events, then it is sent without buffering', async () => {
    const answer = await site.server.inject({
      method: 'POST',
      url: '/api/v1/ask',
      headers: { 'accept-encoding': 'gzip, br' },
      payload: { messages: [{ role: 'user', content: 'What did Kiri open?' }], stream: true },
    });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(answer.headers['content-encoding']).toBeUndefined();
  });
});

describe('feeds', () => {
  it.each(['/feed.rss', '/feed.atom', '/feed.json', '/brand/kiri/feed.json'])(
    'given %s, then any site may read it and utm_ parameters change nothing',
    async (url) => {
      const plain = await site.server.inject({ url, headers: { origin: 'https://reader.example' } });
      expect(plain.headers['access-control-allow-origin']).toBe('*');
      const marked = await site.server.inject(`${url}?utm_source=mail&utm_campaign=x`);
      expect([marked.statusCode, marked.body]).toEqual([200, plain.body]);
      expect((await site.server.inject(`${url}?page=2`)).statusCode).toBe(400);
    },
  );

  it('given feed.json, then it matches the description', async () => {
    const feed = JsonFeed.parse((await site.server.inject('/feed.json')).json());
    expect(feed.items).toHaveLength(12);
  });
});

describe('Location', () => {
  it('given a pending proposal, then it says where sources are listed', async () => {
    const payload = { url: 'https://market-gazette.example/feed.xml' };
    const answer = await site.server.inject({ method: 'POST', url: '/api/v1/sources/propose', payload });
    expect([answer.statusCode, answer.headers.location]).toEqual([202, 'http://clarity.test/sources']);
  });
});

describe('a client that disconnects in the middle of its body', () => {
  it('given the lost connection, then the log does not name the database as the cause', async () => {
    await later.listen({ port: 0, host: '127.0.0.1' });
    const { port } = later.server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /api/v1/sources/propose HTTP/1.1\r\nHost: clarity.test\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await eventually(() => expect(later.server).toBeDefined());
    setTimeout(() => socket.destroy(), 50);
    await eventually(() => expect(log.join('')).toContain('a client left before its body had arrived'));
    expect(log.join('')).not.toMatch(/database|a request failed/);
  });
});
