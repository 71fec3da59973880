import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApplicationList } from '../../../schemas/access.ts';
import { type Keyed, keyed } from '../keyed.ts';

const OPERATOR = 'Ravi@clarity.test';
let test: Keyed;
beforeAll(async () => {
  test = await keyed(undefined, { OPERATORS: ['ravi@Clarity.test'] });
});
afterAll(() => test.close());
beforeEach(() => test.forgetCalls());

async function as(claims: Record<string, unknown>, method: 'GET' | 'POST', path = '', payload?: object) {
  const headers = { authorization: `Bearer ${await test.issuer.token(claims)}` };
  const url = `/api/v1/keys/applications${path}`;
  return test.site.server.inject({ method, url, headers, ...(payload && { payload }) });
}

/** Applies and gives the id of the application. */
async function apply(sub: string): Promise<string> {
  const body = { email: 'asha@clarity.test', use: 'A dashboard of <b>openings</b> for our leasing team.' };
  return (await as({ sub }, 'POST', '', body)).json().application.id;
}

describe('/api/v1/keys/applications', () => {
  it('given applications, when an operator lists them, then the pending ones are listed with their texts', async () => {
    const ids = [await apply('one'), await apply('two')];
    const answer = await as({ sub: OPERATOR }, 'GET');
    expect(answer.statusCode).toBe(200);
    const { applications } = ApplicationList.parse(answer.json());
    expect(applications.map(({ id }) => id).sort()).toEqual(ids.sort());
    const one = applications.find(({ account }) => account.name === 'one');
    expect(one).toMatchObject({ status: 'pending', email: 'asha@clarity.test', use: expect.stringContaining('<b>') });
    expect((await as({ sub: OPERATOR }, 'GET', '?status=approved')).json()).toEqual({ applications: [] });
  });

  it('given one that is approved, then its sender can make a key; approved again it stays so; rejected it cannot be', async () => {
    const id = await apply('three');
    const approved = await as({ sub: OPERATOR }, 'POST', `/${id}/approve`);
    expect(approved.json().application).toMatchObject({ id, status: 'approved', why: null });
    expect((await as({ sub: OPERATOR }, 'POST', `/${id}/approve`)).statusCode).toBe(200);
    expect((await as({ sub: OPERATOR }, 'POST', `/${id}/reject`, { why: 'No.' })).statusCode).toBe(400);
    const headers = { authorization: `Bearer ${await test.issuer.token({ sub: 'three' })}` };
    const payload = { name: 'mine' };
    const answer = await test.site.server.inject({ method: 'POST', url: '/api/v1/keys', headers, payload });
    expect(answer.statusCode).toBe(201);
  });

  it('given one that is rejected, then its sender reads why, and the event names the operator', async () => {
    const id = await apply('four');
    const rejected = await as({ sub: OPERATOR }, 'POST', `/${id}/reject`, { why: ' Say more. ' });
    expect(rejected.json().application).toMatchObject({ status: 'rejected', why: 'Say more.' });
    const { rows } = await test.site.engine.database.query(
      `SELECT body::jsonb -> 'data' ->> 'by' AS by FROM log.event WHERE body::jsonb ->> 'type' = 'ApplicationRejected'`,
    );
    expect(rows).toEqual([{ by: `operator ${OPERATOR}` }]);
  });

  it.each([
    ['a sub without an address', { sub: 'asha' }, 403],
    ['an address that is no operator’s', { sub: 'mina@clarity.test' }, 403],
    ['an address that the issuer did not verify', { sub: 'x1', email: OPERATOR }, 403],
    ['an address that the issuer did verify', { sub: 'x1', email: OPERATOR, email_verified: true }, 200],
  ])('given %s, then operators are recognised only by verified claims (%#)', async (_, claims, status) => {
    const answer = await as(claims, 'GET');
    expect(answer.statusCode).toBe(status);
    if (status === 403) expect(answer.json().error).toBe('insufficient_scope');
  });

  it('given a key or no credentials, then 403 and 401', async () => {
    const url = '/api/v1/keys/applications';
    const headers = { 'x-api-key': await test.key({ account: OPERATOR, plan: 'pro' }) };
    expect((await test.site.server.inject({ url, headers })).statusCode).toBe(403);
    expect((await test.site.server.inject(url)).statusCode).toBe(401);
  });

  it.each([
    ['GET', '?status=open', undefined, 400],
    ['GET', '?page=2', undefined, 400],
    ['POST', '/app_0123456789abcdef/approve', undefined, 404],
    ['POST', '/app_%00/approve', undefined, 404],
    ['POST', '/app_0123456789abcdef/approve', { why: 'x' }, 400],
    ['POST', '/app_0123456789abcdef/reject', {}, 400],
    ['POST', '/app_0123456789abcdef/reject', { why: '' }, 400],
    ['POST', '/app_0123456789abcdef/reject', { why: 'x'.repeat(501) }, 400],
  ] as const)('given %s %s %j, then %i', async (method, path, body, status) => {
    expect((await as({ sub: OPERATOR }, method, path, body)).statusCode).toBe(status);
  });
});
