import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { changeAccount } from '../../access/account/change.ts';
import { accountOfEmail } from '../../access/account/identity.ts';
import { hashKey } from '../../access/keys/new-key.ts';
import { prefixedId } from '../../schemas/identity.ts';
import { type Keyed, keyed } from './keyed.ts';

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
    ['/api/v1/sources/health', NEVER_ISSUED],
    ['/api/v1/sources/health', 'ck_live_short'],
    ['/api/v1/sources/health', ''],
    ['/api/v1/sources/health', "' OR 1=1 --"],
    ['/api/v1/sources/health', 'x'.repeat(5_000)],
    ['/api/v1/signals', 'a.b.c'],
  ])('given %s with the bad key %s, then 401 invalid_key, on anonymous surfaces too', async (url, key) => {
    const answer = await get(url, bearer(key));
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_key']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(answer.body).not.toContain(key || 'nothing to see');
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

  it('given a key that expires, then it holds until then', async () => {
    const soon = await test.key({ expires_at: new Date(Date.now() + 400).toISOString() });
    expect((await get('/api/v1/signals', bearer(soon))).statusCode).toBe(200);
    await vi.waitFor(async () => expect((await get('/api/v1/signals', bearer(soon))).statusCode).toBe(401), 5_000);
  });

  it('given a key that is revoked, then it is refused as soon as what was remembered is old', async () => {
    const account = accountOfEmail('revoked@clarity.test');
    const key = await test.key({ account: account.name });
    expect((await get('/api/v1/signals', bearer(key))).statusCode).toBe(200);
    const command = { command: 'revoke_key', key_id: prefixedId('key', hashKey(key)) } as const;
    const commander = { role: 'owner', by: 'owner' } as const;
    await changeAccount(test.site.engine.store, account, command, { commander, now: new Date() });
    await vi.waitFor(async () => expect((await get('/api/v1/signals', bearer(key))).statusCode).toBe(401), 5_000);
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

  it('given the pages, then no key is asked for', async () => {
    expect((await get('/', { accept: 'text/html' })).statusCode).toBe(200);
  });
});

describe('the store', () => {
  it('given an issued key, then it stands nowhere, only its hash does', async () => {
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
