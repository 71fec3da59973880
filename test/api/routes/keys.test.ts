import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountCommand, accountNamed, changeAccount } from '../../../access/account.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { IssuedKey, KeyList } from '../../../schemas/access.ts';
import { type Keyed, keyed } from '../keyed.ts';

let test: Keyed;
beforeAll(async () => {
  test = await keyed();
});
afterAll(() => test.close());
beforeEach(() => test.forgetCalls());

type Method = 'GET' | 'POST' | 'DELETE';
async function as(sub: string, method: Method, path = '', payload?: object) {
  const headers = { authorization: `Bearer ${await test.issuer.token({ sub })}` };
  return test.site.server.inject({ method, url: `/api/v1/keys${path}`, headers, ...(payload && { payload }) });
}
const APPLICATION = { email: 'asha@clarity.test', use: 'A dashboard of openings for our leasing team.' };

/** What an operator does, and readers see it. */
async function operate(sub: string, command: AccountCommand): Promise<void> {
  const { store, database } = test.site.engine;
  const commander = { role: 'operator', by: 'operator ravi' } as const;
  const { position } = await changeAccount(store, accountNamed(sub), command, { commander, now: new Date() });
  if (position !== null) await waitForPosition(database, 'accounts', position, 5_000);
}

describe('/api/v1/keys', () => {
  it('given a new account, then its first free key needs an application that an operator approves', async () => {
    const early = await as('asha', 'POST', '', { name: 'mine' });
    expect([early.statusCode, early.json().error]).toEqual([403, 'application_required']);
    const applied = await as('asha', 'POST', '/applications', APPLICATION);
    expect(applied.statusCode).toBe(202);
    const { application } = applied.json();
    expect((await as('asha', 'POST', '/applications', APPLICATION)).statusCode).toBe(200);
    expect((await as('asha', 'POST', '', { name: 'mine' })).json().message).toContain('being reviewed');
    await operate('asha', { command: 'approve', application_id: application.id });

    const issued = await as('asha', 'POST', '', { name: ' mine ' });
    expect(issued.statusCode).toBe(201);
    expect(issued.headers['cache-control']).toBe('no-store');
    const { key, details } = IssuedKey.parse(issued.json());
    expect(details).toMatchObject({ name: 'mine', scopes: ['read'], status: 'active', ending: key.slice(-4) });
    const called = await test.site.server.inject({ url: '/api/v1/signals', headers: { 'x-api-key': key } });
    expect(called.statusCode).toBe(200);

    const list = await as('asha', 'GET');
    expect(KeyList.parse(list.json())).toMatchObject({
      account: { name: 'asha', plan: 'free' },
      usage: { minute: { used: 1, max: 30 }, day: { used: 1, max: 100 } },
      application: { status: 'approved' },
      keys: [{ id: details.id, status: 'active' }],
    });
    expect(list.body).not.toContain(key);
    expect(list.body).not.toContain('hash');
  });

  it('given a key, when its owner revokes it, then it is listed as revoked; revoking it again succeeds; the key of another account is not found', async () => {
    await operate('mina', { command: 'change_plan', plan: 'pro' });
    const { details } = (await as('mina', 'POST', '', { name: 'one', expires_at: '2099-01-01' })).json();
    expect(details).toMatchObject({ scopes: ['read', 'ask'], expires_at: '2098-12-31T18:30:00.000Z' });
    expect((await as('stranger', 'DELETE', `/${details.id}`)).statusCode).toBe(404);
    expect((await as('mina', 'DELETE', `/${details.id}`)).statusCode).toBe(204);
    expect((await as('mina', 'DELETE', `/${details.id}`)).statusCode).toBe(204);
    expect((await as('mina', 'GET')).json().keys).toMatchObject([{ id: details.id, status: 'revoked' }]);
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: '' }, 'name has 0 characters; allowed: 1 to 80.'],
    [{ name: 'x'.repeat(81) }, 'name has 81 characters; allowed: 1 to 80.'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'x', expires_at: 'soon' }, 'expires_at'],
    [{ name: 'x', expires_at: '2020-01-01' }, 'past'],
    [{ name: 'x', plan: 'pro' }, '"plan" is unknown'],
    [[], 'JSON object'],
  ])('given the body %j, then 400 says what is allowed', async (body, words) => {
    await operate('leela', { command: 'change_plan', plan: 'pro' });
    const answer = await as('leela', 'POST', '', body);
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    expect(answer.json().message).toContain(words);
  });

  it('given a free account, then a key for questions is refused', async () => {
    expect((await as('free', 'POST', '', { name: 'x', scopes: ['ask'] })).json().error).toBe('pro_required');
  });

  it('given no credentials, or a key in place of a sign-in, then 401 and 403', async () => {
    const none = await test.site.server.inject('/api/v1/keys');
    expect([none.statusCode, none.json().error]).toEqual([401, 'auth_required']);
    const headers = { 'x-api-key': await test.key({ plan: 'pro' }) };
    const withKey = await test.site.server.inject({ url: '/api/v1/keys', headers });
    expect([withKey.statusCode, withKey.json().error]).toEqual([403, 'insufficient_scope']);
  });

  it('given an account that has used its calls of the day, then it can still revoke', async () => {
    const { id } = accountNamed('thrifty');
    await test.spend(`${id} day`, 100);
    expect((await as('thrifty', 'GET')).statusCode).toBe(200);
  });
});
