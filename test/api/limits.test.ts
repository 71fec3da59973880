import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../access/account.ts';
import { type Keyed, keyed } from './keyed.ts';

let test: Keyed;
beforeAll(async () => {
  test = await keyed();
});
afterAll(() => test.close());
beforeEach(() => test.forgetCalls());

const get = (url: string, key?: string, more: Record<string, string> = {}) =>
  test.site.server.inject({ url, headers: { ...(key && { authorization: `Bearer ${key}` }), ...more } });
const soon = (reset: unknown): number => Number(reset) - Date.now() / 1000;

describe('calls of an account', () => {
  it.each([
    ['free', 100, 30],
    ['pro', 5_000, 60],
  ] as const)('given the plan %s, then %i a day and %i a minute, on every answer', async (plan, day, minute) => {
    const { headers } = await get('/api/v1/signals', await test.key({ plan }));
    expect(headers).toMatchObject({
      'x-ratelimit-limit': String(day),
      'x-ratelimit-remaining': String(day - 1),
      'ratelimit-policy': `"minute";q=${minute};w=60, "day";q=${day};w=86400`,
      ratelimit: `"minute";r=${minute - 1};t=60, "day";r=${day - 1};t=86400`,
    });
    expect(soon(headers['x-ratelimit-reset'])).toBeGreaterThan(86_000);
  });

  it('given a full minute, then 429 rate_limited that says how long, for all keys of the account, and nothing is used', async () => {
    const account = 'two-keys@clarity.test';
    const [one, two] = [await test.key({ account }), await test.key({ account })];
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => get('/api/v1/signals', n % 2 ? one : two)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(30);
    const blocked = await get('/api/v1/signals', one);
    expect(blocked.statusCode).toBe(429);
    expect(blocked.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' });
    expect(blocked.headers.ratelimit).toContain('"day";r=70');
    const body = blocked.json();
    expect(body).toMatchObject({
      error: 'rate_limited',
      limit: { window: 'minute', max: 30, plan: 'free' },
      upgrade: 'http://clarity.test/plans',
      how_to_get_more: expect.stringContaining('Pro'),
    });
    expect(body.retry_after).toBeGreaterThan(50);
    expect(blocked.headers['retry-after']).toBe(String(body.retry_after));
  });

  it('given a used-up day and a full minute, then the minute is reported first, and the day after the minute is over', async () => {
    const { id, name } = accountOfEmail('spent@clarity.test');
    const key = await test.key({ account: name });
    await test.spend(`${id} day`, 100);
    expect((await get('/api/v1/signals', key)).json()).toMatchObject({
      error: 'quota_exhausted',
      limit: { window: 'day', max: 100, plan: 'free' },
    });
    await test.spend(`${id} minute`, 30);
    expect((await get('/api/v1/signals', key)).json().error).toBe('rate_limited');
  });

  it('given answers of 304, 400, 404 and 405, broken bodies and webhooks, then they count; given 401, then not', async () => {
    const key = await test.key();
    const left = async (url: string, more = {}) => (await get(url, key, more)).headers['x-ratelimit-remaining'];
    const { headers } = await get('/api/v1/signals', key);
    expect(await left('/api/v1/signals', { 'if-none-match': String(headers.etag) })).toBe('98');
    expect(await left('/api/v1/signals?limit=0')).toBe('97');
    expect(await left('/api/v1/signals/nobody')).toBe('96');
    expect(await left('/api/v1/nothing')).toBe('95');
    await get('/api/v1/signals', `${key}x`);
    await get('/api/v1/nothing', `${key}x`);
    const post = async (url: string, payload: string, type = 'application/json') => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': type };
      const answer = await test.site.server.inject({ method: 'POST', url, payload, headers });
      return [answer.statusCode, answer.headers['x-ratelimit-remaining']];
    };
    expect(await post('/api/v1/signals', '{')).toEqual([405, '94']);
    expect(await post('/api/v1/follow', '{"target":')).toEqual([400, '93']);
    expect(await post('/api/v1/follow', '<follow/>', 'application/xml')).toEqual([400, '92']);
    expect(await post('/api/v1/follow', '{}', 'no type')).toEqual([400, '91']);
    expect(await post('/api/v1/webhooks', '{"broken"')).toEqual([410, '90']);
    expect(await left('/api/v1/signals')).toBe('89');
  });

  it.each([
    [200, 'GET', '/api/v1/signals', {}],
    [304, 'GET', '/api/v1/signals', { 'if-none-match': '*' }],
    [400, 'GET', '/api/v1/signals?limit=0', {}],
    [401, 'GET', '/api/v1/signals', { authorization: 'Bearer nobody' }],
    [403, 'GET', '/api/v1/watch?b=zudio&days=90', {}],
    [404, 'GET', '/api/v1/signals/nobody', {}],
    [404, 'GET', '/api/v1/nothing', {}],
    [404, 'GET', '/nothing-at-all', {}],
    [405, 'PUT', '/api/v1/signals', {}],
    [410, 'POST', '/api/v1/webhooks', {}],
  ] as const)(
    'given an answer %i to %s %s, then the remaining calls are in both headers',
    async (status, method, url, more) => {
      const authorization = `Bearer ${await test.key()}`;
      const answer = await test.site.server.inject({ method, url, headers: { authorization, ...more } });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers['x-rate-limit-remaining']).toMatch(/^\d+$/);
      expect(answer.headers['x-ratelimit-remaining']).toBe(answer.headers['x-rate-limit-remaining']);
    },
  );

  it('given a call that fails on our side, then it does not count', async () => {
    const key = await test.key();
    const { database } = test.site.engine;
    await get('/api/v1/signals', key);
    await database.query('ALTER VIEW read.signals RENAME TO hidden');
    // Another page than the one that is kept.
    const failed = await get('/api/v1/signals?limit=7', key);
    await database.query('ALTER VIEW read.hidden RENAME TO signals');
    expect([failed.statusCode, failed.headers['x-rate-limit-remaining']]).toEqual([503, '99']);
    expect((await get('/api/v1/signals', key)).headers['x-ratelimit-remaining']).toBe('98');
  });
});

describe('calls without a key', () => {
  it('given 60 calls of the health of sources in a minute, then the next is refused, for that address alone', async () => {
    const ask = (remoteAddress: string) => test.site.server.inject({ url: '/api/v1/sources/health', remoteAddress });
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask('192.0.2.1')));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const blocked = await ask('::ffff:192.0.2.1');
    expect([blocked.statusCode, blocked.json().limit.max]).toEqual([429, 60]);
    expect((await ask('192.0.2.2')).statusCode).toBe(200);
  });

  it('given addresses of one IPv6 network, then they count together', async () => {
    const ask = (remoteAddress: string) => test.site.server.inject({ url: '/api/v1/sources/health', remoteAddress });
    expect((await ask('2001:db8:1:2::1')).headers['x-ratelimit-remaining']).toBe('59');
    expect((await ask('2001:db8:1:2:ffff::9')).headers['x-ratelimit-remaining']).toBe('58');
    expect((await ask('2001:db8:1:3::1')).headers['x-ratelimit-remaining']).toBe('59');
  });
});
