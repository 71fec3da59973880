import type { lookup as systemLookup } from 'node:dns';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule } from '../../../log/guarded-connection.ts';
import { healthOf } from '../../../projector/models/source-health-queries.ts';
import { evolveSource } from '../../../projector/models/source-health-read-model.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';
import type { Source } from '../../../schemas/source.ts';
import { ANSWERS, LOOKUPS } from './hostile-answers.ts';
import { body, type Case, GOOD, LISTING, status } from './hostile-case.ts';
import { DOCUMENTS } from './hostile-documents.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

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
  { name: 'deep nesting', answer: body(`<rss><channel><item>${'<b>'.repeat(1_000_000)}`), ends: 'too_complex' },
  { name: 'truncated', answer: body(`${GOOD.replace('</channel></rss>', '')}<item><title>Half`), ends: 1 },
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
  { name: 'script links', answer: body(rss('<title>a</title><link>javascript:alert(1)</link>')), ends: 'all_refused' },
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
  ...ANSWERS,
  ...DOCUMENTS,
  { name: 'no sitemap', answer: body(GOOD), ends: 'not_a_sitemap', source: { kind: 'news_sitemap' } },
];

/** The name server of the suite. */
const asked = new Map<string, number>();
const lookup = ((name: string, _options: unknown, callback: (error: Error | null, found: unknown) => void) => {
  const answers = LOOKUPS[name];
  const turn = asked.get(name) ?? 0;
  asked.set(name, turn + 1);
  if (answers) callback(null, answers[Math.min(turn, answers.length - 1)]);
  else callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
}) as unknown as typeof systemLookup;

const idOf = ({ name }: Case): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** The source health after the poll. */
function healthAfter(poll: KnownEvent<'PollCompleted'>['data']) {
  const event = newEvent('PollCompleted', poll, { id: eventId('poll'), time: poll.started_at });
  const polls = evolveSource(null, event)?.polls;
  if (!polls) return null;
  const date = (text: string | null) => (text ? new Date(text) : null);
  const { last_polled_at, last_success_at, last_item_at } = polls;
  return healthOf(
    {
      ...polls,
      paused: false,
      last_polled_at: date(last_polled_at),
      last_success_at: date(last_success_at),
      last_item_at: date(last_item_at),
    },
    new Date(poll.started_at),
  );
}

describe('hostile sources', () => {
  let polling: Polling;
  const outlets: Outlet[] = [];
  let stop: () => Promise<void>;
  beforeAll(async () => {
    polling = await openPolling();
    const sources: Source[] = [];
    for (const one of CASES) {
      const outlet = await startOutlet(one.answer);
      if (one.robots) outlet.robots = one.robots;
      outlets.push(outlet);
      const url = one.host ? `http://${one.host}:${outlet.port}/` : outlet.url;
      sources.push(source(idOf(one), url, one.source));
    }
    const good = await startOutlet(body(GOOD));
    outlets.push(good);
    sources.push(source('good', good.url, { cadence_seconds: 1 }));
    // Only those that hang get a short timeout: on a busy machine the others may need longer.
    const hanging = new Set(outlets.filter((_, place) => CASES[place]?.ends === 'timeout').map(({ url }) => url));
    const fetcher = (timeoutMs: number) =>
      createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test', timeoutMs, lookup });
    const [soon, late] = [fetcher(1_500), fetcher(20_000)];
    stop = await polling.start(sources, {
      fetchPage: (page) => (hanging.has(new URL(page.url).origin) ? soon : late)(page),
    });
    await polled(polling, [...CASES.map(idOf), 'good']);
  });
  afterAll(async () => {
    await stop();
    for (const outlet of outlets) await outlet.close();
    await polling.close();
  });

  it.each(CASES)('given $name, then the poll ends with the expected state', (one) => {
    const [poll] = polling.pollsOf(idOf(one));
    expect(poll && healthAfter(poll)).toBe(typeof one.ends === 'number' ? 'healthy' : 'degraded');
    if (typeof one.ends === 'number') expect(poll).toMatchObject({ error: null, items_found: one.ends });
    else
      expect(poll).toMatchObject({
        outcome: 'failed',
        error: { code: one.ends, message: expect.stringMatching(/\w{4}/) },
      });
  });

  it('given all of them, then other sources are polled as usual', async () => {
    await polled(polling, ['good'], 2);
    for (const poll of polling.pollsOf('good')) expect(poll.error).toBeNull();
  });
});
