import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAccess } from '../../access/access.ts';
import { accountOfEmail, changeAccount } from '../../access/account.ts';
import { hashKey } from '../../access/api-keys.ts';
import { buildServer } from '../../api/server.ts';
import { prefixedId } from '../../schemas/scalar.ts';
import { eventually } from '../harness/eventually.ts';
import { type Keyed, keyed } from './keyed.ts';
import { BASE_URL } from './serving.ts';

let test: Keyed;
beforeAll(async () => {
  test = await keyed();
});
afterAll(() => test.close());
beforeEach(() => test.forgetCalls());

const get = (url: string, headers: Record<string, string> = {}) => test.site.server.inject({ url, headers });
const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` });
const NEVER_ISSUED = `ck_live_${'A'.repeat(32)}`;

describe('who calls', () => {
  it('given no key, then 401 auth_required where one is needed, with a challenge, and it never counts', async () => {
    const answer = await get('/api/v1/signals');
    expect(answer.statusCode).toBe(401);
    expect(answer.json().error).toBe('auth_required');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="clarity"');
    const { rows } = await test.site.engine.database.query('SELECT 1 FROM access.quota_window');
    expect(rows).toEqual([]);
  });

  it.each([
    ['/api/v1/signals', NEVER_ISSUED],
    ['/api/v1/signals?limit=none', NEVER_ISSUED],
    ['/api/v1/sources/health', NEVER_ISSUED],
    ['/api/v1/sources/health', 'ck_live_short'],
    ['/api/v1/sources/health', ''],
    ['/api/v1/sources/health', "' OR 1=1 --"],
    ['/api/v1/sources/health', 'x'.repeat(5_000)],
    ['/.well-known/openapi.yaml', NEVER_ISSUED],
    ['/.well-known/openapi.json', NEVER_ISSUED],
    ['/feed.rss', NEVER_ISSUED],
    ['/feed.json', NEVER_ISSUED],
    ['/llms.txt', NEVER_ISSUED],
    ['/tables/openings.csv', NEVER_ISSUED],
    ['/mcp/server-card', NEVER_ISSUED],
    ['/.well-known/mcp.json', NEVER_ISSUED],
    ['/.well-known/oauth-protected-resource/mcp/account', NEVER_ISSUED],
    ['/robots.txt', NEVER_ISSUED],
    ['/site.css', NEVER_ISSUED],
    ['/no/such/page', NEVER_ISSUED],
    ['/tables/openings.json', NEVER_ISSUED],
    ['/watch.csv?b=zudio', NEVER_ISSUED],
    ['/', NEVER_ISSUED],
    ['/api/v1/signals', 'a.b.c'],
  ])('given %s with the bad key %s, then 401 invalid_key, on anonymous surfaces too', async (url, key) => {
    const answer = await get(url, bearer(key));
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_key']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(answer.body).not.toContain(key || 'nothing to see');
  });

  it('given a malformed escape in a path, then 400 behind the guard: with a key it counts, without one it is 401', async () => {
    const key = await test.key();
    const refused = await get('/api/v1/signals/%zz', bearer(key));
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_request']);
    expect(refused.json().message).toContain('malformed percent escape');
    const next = await get('/api/v1/signals', bearer(key));
    expect(Number(refused.headers['x-ratelimit-remaining']) - Number(next.headers['x-ratelimit-remaining'])).toBe(1);
    expect((await get('/api/v1/signals/%ff')).statusCode).toBe(401);
    expect((await get('/brand/%zz')).statusCode).toBe(400);
  });

  it('given OPTIONS, then the answer has the limits, and nothing counts', async () => {
    const key = await test.key();
    for (const url of ['/api/v1/signals', '/feed.rss', '/', '/llms.txt', '/.well-known/mcp.json']) {
      const options = () => test.site.server.inject({ method: 'OPTIONS', url, headers: bearer(key) });
      const [first, second] = [await options(), await options()];
      expect([url, first.statusCode, first.headers['x-ratelimit-limit']]).toEqual([url, 204, '100']);
      expect(second.headers['x-ratelimit-remaining']).toBe(first.headers['x-ratelimit-remaining']);
    }
  });

  it('given a key, then it may be sent either way, and Bearer wins', async () => {
    const key = await test.key();
    expect((await get('/api/v1/signals', bearer(key))).statusCode).toBe(200);
    expect((await get('/api/v1/signals', { authorization: `bearer  ${key}` })).statusCode).toBe(200);
    expect((await get('/api/v1/signals', { 'x-api-key': key })).statusCode).toBe(200);
    expect((await get('/api/v1/signals', { 'x-api-key': NEVER_ISSUED, ...bearer(key) })).statusCode).toBe(200);
    expect((await get('/api/v1/signals', { 'x-api-key': key, ...bearer(NEVER_ISSUED) })).statusCode).toBe(401);
    expect((await get('/api/v1/signals', { 'x-api-key': key, authorization: 'Basic YTpi' })).statusCode).toBe(200);
  });

  it('given a key that expires, then it is valid until then', async () => {
    const soon = await test.key({ expires_at: new Date(Date.now() + 400).toISOString() });
    expect((await get('/api/v1/signals', bearer(soon))).statusCode).toBe(200);
    await eventually(async () => expect((await get('/api/v1/signals', bearer(soon))).statusCode).toBe(401));
  });

  it('given a key that is revoked, then it is refused as soon as its cache entry expires', async () => {
    const account = accountOfEmail('revoked@clarity.test');
    const key = await test.key({ account: account.name });
    expect((await get('/api/v1/signals', bearer(key))).statusCode).toBe(200);
    const command = { command: 'revoke_key', key_id: prefixedId('key', hashKey(key)) } as const;
    const commander = { role: 'owner', by: 'owner' } as const;
    await changeAccount(test.site.engine.store, account, command, { commander, now: new Date() });
    await eventually(async () => expect((await get('/api/v1/signals', bearer(key))).statusCode).toBe(401));
  });

  it('given a key without the scope, then 403 that names it, and the call counts', async () => {
    const key = await test.key({ scopes: ['ask'] });
    const answer = await get('/api/v1/signals', bearer(key));
    expect([answer.statusCode, answer.json().error]).toEqual([403, 'insufficient_scope']);
    expect(answer.headers['www-authenticate']).toContain('scope="read"');
    expect(answer.headers['x-ratelimit-remaining']).toBe('99');
  });

  it('given a sign-in token, then it does for follows but not in place of a key', async () => {
    const token = bearer(await test.issuer.token({}));
    expect((await get('/api/v1/follow', token)).statusCode).toBe(200);
    expect((await get('/api/v1/signals', token)).json().error).toBe('auth_required');
    expect((await get('/api/v1/sources/health', bearer(await test.issuer.token({ aud: 'x' })))).statusCode).toBe(401);
  });

  it('given the pages, then no key is needed', async () => {
    expect((await get('/', { accept: 'text/html' })).statusCode).toBe(200);
  });
});

describe('a body', () => {
  const post = (url: string, payload: string, headers: Record<string, string> = {}) =>
    test.site.server.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it.each([
    ['/api/v1/follow', 'broken', '{"target":'],
    ['/api/v1/follow', 'too large', `"${'x'.repeat(300_000)}"`],
    ['/api/v1/keys', 'broken', '{'],
    ['/api/v1/research', 'broken', '{'],
    ['/api/v1/webhooks', 'broken', '{'],
    ['/api/v1/nothing', 'broken', '{'],
    ['/api/v1/signals', 'of a wrong method', '{}'],
  ])('given %s without a key and a body that is %s, then 401', async (url, _, payload) => {
    const answer = await post(url, payload);
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'auth_required']);
    expect((await post(url, payload, bearer(NEVER_ISSUED))).json().error).toBe('invalid_key');
  });

  it('given a body that never arrives and no key, then 401 at once', async () => {
    const server = await buildServer({
      database: test.site.engine.database,
      store: test.site.engine.store,
      configuration: { BASE_URL, TRUST_PROXY: undefined },
      access: openAccess({ database: test.site.engine.database, configuration: { BASE_URL } }),
    });
    const address = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(address.port), address.hostname);
    socket.write(
      'POST /api/v1/follow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('HTTP/1.1 401');
    socket.destroy();
    await server.close();
  });

  it.each(['', '{', '<xml/>', `"${'x'.repeat(300_000)}"`])(
    'given webhooks with a key and any body, such as %.10s, then 410 not_offered',
    async (payload) => {
      const key = bearer(await test.key());
      for (const url of ['/api/v1/webhooks', '/api/v1/webhooks/a/b'])
        for (const type of ['application/json', 'text/plain', 'nonsense']) {
          const answer = await post(url, payload, { ...key, 'content-type': type });
          expect([answer.statusCode, answer.json().error]).toEqual([410, 'not_offered']);
        }
    },
  );

  it('given 20,000 unknown fields or parameters, then a message of at most 2,000 characters that names the first', async () => {
    const key = bearer(await test.key());
    const names = Array.from({ length: 20_000 }, (_, n) => `f_${n}`);
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const long = await test.site.server.inject({
      url: `/api/v1/signals?${names.slice(0, 900).join('&')}`,
      headers: key,
    });
    for (const answer of [await post('/api/v1/follow', body, key), long]) {
      expect(answer.statusCode).toBe(400);
      expect(answer.json().message).toContain('f_0');
      expect(answer.json().message).toContain('more');
      expect(answer.json().message.length).toBeLessThanOrEqual(2_000);
    }
  });
});

describe('an unknown path or method', () => {
  it('given a key, then 404 and 405; given none, then 401, except at paths that anonymous callers may use', async () => {
    const key = bearer(await test.key());
    const call = (method: 'GET' | 'PUT', url: string, headers = {}) =>
      test.site.server.inject({ method, url, headers });
    expect((await call('GET', '/api/v1/nothing', key)).statusCode).toBe(404);
    expect((await call('PUT', '/api/v1/signals', key)).statusCode).toBe(405);
    expect((await call('GET', '/api/v1/nothing')).statusCode).toBe(401);
    expect((await call('PUT', '/api/v1/signals')).statusCode).toBe(401);
    expect((await call('GET', '/api/v1/ask')).statusCode).toBe(405);
  });
});

describe('the store', () => {
  it('given an issued key, then only its hash is stored', async () => {
    const key = await test.key();
    const { rows } = await test.site.engine.database.query(
      `SELECT body::text AS text FROM log.event UNION ALL SELECT row FROM read.accounts`,
    );
    const everything = rows.map(({ text }) => text).join();
    expect(everything).toContain(hashKey(key));
    expect(everything).not.toContain(key);
    expect(key).toMatch(/^ck_live_[0-9A-Za-z]{32}$/);
  });
});
