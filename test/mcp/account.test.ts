/** The endpoint of the own account: access, and where other callers are sent to sign in. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../access/account.ts';
import { allow, program } from '../access/issuer-program.ts';
import { newClient } from './clients.ts';
import { call, poster } from './post.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { RECORD } from './small-record.ts';

let serving: ServingMcp;
beforeAll(async () => {
  // A header gives the client address, as behind a trusted proxy.
  serving = await servingMcp({ proxied: true });
  await serving.site.append(...RECORD);
});
afterEach(() => serving.forgetCalls());
afterAll(() => serving.close());

const post = poster(() => serving);

describe('an account endpoint', () => {
  it('given no token, a bad token or a token for the API, then 401 names where to sign in, and only there', async () => {
    const metadata = `${serving.baseUrl}/.well-known/oauth-protected-resource/mcp/account`;
    for (const headers of [{}, { authorization: 'Bearer e30.e30.e30' }] as Record<string, string>[]) {
      const answer = await post(call(7), headers, '/mcp/account');
      expect([answer.status, answer.messages[0]?.id, answer.messages[0]?.error?.code]).toEqual([401, 7, -32001]);
      expect(answer.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
    }
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: `${serving.baseUrl}/mcp/account`,
      authorization_servers: [`${serving.baseUrl}/oidc`],
    });
    expect((await fetch(`${serving.baseUrl}/.well-known/oauth-protected-resource`)).status).toBe(404);
  });

  it('given a token that a person granted for it, then the calls count for the person, and no other endpoint accepts it', async () => {
    const tokenFor = async (resource: string): Promise<string> => {
      const one = await program(serving.baseUrl, 'An assistant');
      const back = await allow(one.begin({ resource }), 'asha@clarity.test', serving.baseUrl);
      const answer = await one.token({ code: back.searchParams.get('code') ?? '' });
      return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
    };
    const own = await tokenFor(`${serving.baseUrl}/mcp/account`);
    await serving.spend(`${accountOfEmail('asha@clarity.test').id} day`, 98, new Date(Date.now() + 3_600_000));
    const called = await post(call(1), { authorization: own }, '/mcp/account');
    expect([called.status, called.headers.get('x-ratelimit-remaining')]).toEqual([200, '1']);
    expect((await post(call(1), { authorization: own })).status).toBe(401);
    const others = await tokenFor(`${serving.baseUrl}/api/v1`);
    expect((await post(call(1), { authorization: others }, '/mcp/account')).status).toBe(401);
  });

  it('given a client that registers with the scopes that the metadata names, then the issuer accepts it', async () => {
    const metadata = await fetch(`${serving.baseUrl}/.well-known/oauth-protected-resource/mcp/account`);
    const { scopes_supported } = (await metadata.json()) as { scopes_supported: string[] };
    const answer = await fetch(`${serving.baseUrl}/oidc/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['http://127.0.0.1:4711/callback'],
        token_endpoint_auth_method: 'none',
        scope: scopes_supported.join(' '),
      }),
    });
    expect(answer.status).toBe(201);
  });

  it('given a key, then its account is the caller', async () => {
    const client = await newClient(`${serving.baseUrl}/mcp/account`, { 'x-api-key': await serving.key() });
    expect((await client.call('latest_moves')).isError).toBe(false);
    await client.close();
  });
});
