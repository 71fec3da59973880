import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressRule } from '../../../ingest/poll/addresses.ts';
import { createFetchPage } from '../../../ingest/poll/fetch-page.ts';
import type { Source } from '../../../schemas/source.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const GOOD = rss('<title>Zudio opens</title><link>https://outlet.example.in/z</link><guid>z</guid>');
const LISTING: Partial<Source> = { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } };

interface Case {
  readonly name: string;
  readonly answer: Outlet['answer'];
  /** The code of the failure, or how many items are found all the same. */
  readonly ends: string | number;
  readonly source?: Partial<Source>;
}

const body =
  (text: string | Buffer, headers: Record<string, string> = {}): Outlet['answer'] =>
  (_request, response) =>
    response.writeHead(200, headers).end(text);
const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Outlet['answer'] =>
  (_request, response) =>
    response.writeHead(code, headers).end(text);

const CASES: readonly Case[] = [
  {
    name: 'gzip bomb',
    answer: body(zlib.gzipSync(Buffer.alloc(30 * 1_048_576)), { 'content-encoding': 'gzip' }),
    ends: 'too_large',
  },
  {
    name: 'endless body',
    answer: (_request, response) => {
      const more = (): void => void response.write('x'.repeat(65_536), more);
      more();
      response.on('error', () => undefined);
    },
    ends: 'too_large',
  },
  {
    name: 'drip',
    answer: (_request, response) => {
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    },
    ends: 'timeout',
  },
  { name: 'silence', answer: () => undefined, ends: 'timeout' },
  { name: 'redirect loop', answer: status(302, { location: '/' }), ends: 'too_many_redirects' },
  {
    name: 'redirect to metadata',
    answer: status(302, { location: 'http://169.254.169.254/latest' }),
    ends: 'address_refused',
  },
  { name: 'redirect to a file', answer: status(302, { location: 'file:///etc/passwd' }), ends: 'bad_address' },
  { name: 'redirect without a place', answer: status(302), ends: 'unexpected_status' },
  { name: 'huge headers', answer: status(200, { 'x-large': 'x'.repeat(100_000) }), ends: 'bad_answer' },
  { name: 'hang-up', answer: (request) => request.socket.destroy(), ends: 'connection_lost' },
  {
    name: 'half an answer',
    answer: (request, response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write(GOOD);
      setTimeout(() => request.socket.destroy(), 10);
    },
    ends: 'connection_lost',
  },
  {
    name: 'challenge',
    answer: status(403, { 'cf-mitigated': 'challenge' }, '<html><title>Just a moment...</title></html>'),
    ends: 'challenge',
  },
  {
    name: 'challenge that says 200',
    answer: body('<!doctype html><title>Just a moment...</title>'),
    ends: 'challenge',
  },
  { name: 'forbidden', answer: status(403), ends: 'forbidden' },
  { name: 'missing', answer: status(404), ends: 'not_found' },
  { name: 'rate limit', answer: status(429, { 'retry-after': '3600' }), ends: 'rate_limited' },
  { name: 'server error', answer: status(503), ends: 'server_error' },
  { name: 'partial content', answer: status(206, {}, GOOD), ends: 'unexpected_status' },
  { name: 'no content', answer: status(204), ends: 'unexpected_status' },
  { name: '304 that was not asked for', answer: status(304), ends: 'unexpected_status' },
  { name: 'empty', answer: body(''), ends: 'empty' },
  { name: 'web page', answer: body('<html><body>We moved</body></html>'), ends: 'html_instead_of_feed' },
  {
    name: 'binary',
    answer: body(Buffer.from(Array.from({ length: 5_000 }, (_, byte) => (byte * 7) % 256))),
    ends: 'not_a_feed',
  },
  {
    name: 'billion laughs',
    answer: body(
      `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}">]>${GOOD.replace('Zudio', '&b;')}`,
    ),
    ends: 1,
  },
  {
    name: 'external entity',
    answer: body(`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${GOOD.replace('Zudio', '&e;')}`),
    ends: 1,
  },
  { name: 'deep nesting', answer: body(`<rss><channel><item>${'<b>'.repeat(1_000_000)}`), ends: 0 },
  { name: 'truncated', answer: body(`${GOOD.slice(0, -25)}`), ends: 1 },
  {
    name: 'fifty thousand items',
    answer: body(
      rss(...Array.from({ length: 50_000 }, (_, id) => `<title>t${id}</title><link>https://a.in/${id}</link>`)),
    ),
    ends: 2_000,
  },
  {
    name: 'giant title',
    answer: body(rss(`<title>${'Zudio '.repeat(100_000)}</title><link>https://a.in/1</link>`)),
    ends: 1,
  },
  {
    name: 'giant guid',
    answer: body(rss(`<title>a</title><link>https://a.in/1</link><guid>${'g'.repeat(100_000)}</guid>`)),
    ends: 1,
  },
  { name: 'script links', answer: body(rss('<title>a</title><link>javascript:alert(1)</link>')), ends: 0 },
  {
    name: 'prototype keys',
    answer: body(
      rss(
        '<title>a</title><link>https://a.in/1</link><guid>__proto__</guid>',
        '<title>b</title><link>https://a.in/2</link><guid>constructor</guid>',
      ),
    ),
    ends: 2,
  },
  { name: 'hostile JSON', answer: body(`${'['.repeat(100_000)}`), ends: 'not_a_feed' },
  {
    name: 'JSON of odd types',
    answer: body('{"items":[null,3,"x",{"title":{},"url":[]},{"id":7,"title":"a","url":"https://a.in/7"}]}'),
    ends: 1,
  },
  {
    name: 'listing without entries',
    answer: body('<html><p>new design</p></html>'),
    ends: 'nothing_listed',
    source: LISTING,
  },
  { name: 'listing of depth', answer: body('<div>'.repeat(500_000)), ends: 'too_complex', source: LISTING },
  { name: 'no sitemap', answer: body(GOOD), ends: 'not_a_sitemap', source: { kind: 'news_sitemap' } },
];

const idOf = ({ name }: Case): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

describe('hostile sources', () => {
  let polling: Polling;
  const outlets: Outlet[] = [];
  let stop: () => Promise<void>;
  beforeAll(async () => {
    polling = await openPolling();
    const sources: Source[] = [];
    for (const one of CASES) {
      const outlet = await startOutlet(one.answer);
      outlets.push(outlet);
      sources.push(source(idOf(one), outlet.url, one.source));
    }
    const good = await startOutlet(body(GOOD));
    outlets.push(good);
    sources.push(source('good', good.url, { cadence_seconds: 1 }));
    stop = await polling.start(sources, {
      fetchPage: createFetchPage({ allowAddress: addressRule(() => true), userAgent: 'Test', timeoutMs: 3_000 }),
    });
    await polled(polling, [...CASES.map(idOf), 'good']);
  });
  afterAll(async () => {
    await stop();
    for (const outlet of outlets) await outlet.close();
    await polling.close();
  });

  it.each(CASES)('$name ends in its own state', (one) => {
    const [poll] = polling.pollsOf(idOf(one));
    if (typeof one.ends === 'number') expect(poll).toMatchObject({ error: null, items_found: one.ends });
    else
      expect(poll).toMatchObject({
        outcome: 'failed',
        error: { code: one.ends, message: expect.stringMatching(/\w{4}/) },
      });
  });

  it('leave the others unharmed', async () => {
    await polled(polling, ['good'], 2);
    for (const poll of polling.pollsOf('good')) expect(poll.error).toBeNull();
  });

  it('are asked less often, and not before they want to be', () => {
    const [limited] = polling.pollsOf('rate-limit');
    const waiting = Date.parse(limited?.next_poll_at ?? '') - Date.parse(limited?.started_at ?? '');
    expect(waiting).toBeGreaterThanOrEqual(3_600_000);
  });
});
