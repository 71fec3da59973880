import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccess } from '../../../access/access.ts';
import { changeAccount } from '../../../access/account/change.ts';
import { accountOfEmail } from '../../../access/account/identity.ts';
import { openEmbeddedIssuer } from '../../../access/issuer/embedded.ts';
import { mountIssuer } from '../../../access/issuer/mount.ts';
import { migrateAccess } from '../../../access/schema.ts';
import { waitForPosition } from '../../../projector/wait.ts';
import { type Serving, serving } from '../../api/serving.ts';
import { freePort } from '../../harness/free-port.ts';
import { browser } from './browser.ts';
import { allow, follow, press, program, RETURNS_TO } from './program.ts';

let site: Serving;
let baseUrl: string;
const failures: unknown[] = [];
beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://localhost:${port}`;
  site = await serving({
    baseUrl,
    models: ['accounts'],
    access: (database) => openAccess({ database, configuration: { BASE_URL: baseUrl, HOST: '127.0.0.1' } }),
    async issuer(database) {
      await migrateAccess(database);
      const issuer = await openEmbeddedIssuer(database, baseUrl, (error) => failures.push(error));
      return { issuer, mounted: mountIssuer(issuer, baseUrl) };
    },
  });
  await site.server.listen({ port, host: 'localhost' });
});
afterAll(async () => {
  expect(failures).toEqual([]);
  await site.close();
});

/** The account may have a key. */
async function approve(email: string): Promise<void> {
  const { store, database } = site.engine;
  const commander = { role: 'operator', by: 'test' } as const;
  const { position } = await changeAccount(
    store,
    accountOfEmail(email),
    { command: 'change_plan', plan: 'pro' },
    { commander, now: new Date() },
  );
  if (position !== null) await waitForPosition(database, 'accounts', position, 5_000);
}

const codeOf = (back: URL): string => back.searchParams.get('code') ?? '';
async function tokensOf(answer: Response): Promise<{ access_token: string; refresh_token: string; error?: string }> {
  return (await answer.json()) as { access_token: string; refresh_token: string; error?: string };
}

describe('signing in at the embedded issuer', () => {
  it('given a program that registers itself, when a person signs in and allows it, then its token makes a key that works', async () => {
    await approve('asha@clarity.test');
    const one = await program(baseUrl);
    const back = await allow(one.begin(), ' Asha@Clarity.test ', baseUrl);
    expect(back.href.startsWith(RETURNS_TO)).toBe(true);
    expect(back.searchParams.get('state')).toBe('the-state');
    const { access_token, refresh_token } = await tokensOf(await one.token({ code: codeOf(back) }));
    expect(decodeJwt(access_token)).toMatchObject({
      iss: `${baseUrl}/oidc`,
      aud: `${baseUrl}/api/v1`,
      sub: 'asha@clarity.test',
    });
    const issued = await fetch(`${baseUrl}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'mine' }),
    });
    expect(issued.status).toBe(201);
    const { key } = (await issued.json()) as { key: string };
    const called = await fetch(`${baseUrl}/api/v1/signals`, { headers: { 'x-api-key': key } });
    expect(called.status).toBe(200);

    const fresh = await one.token({ grant_type: 'refresh_token', refresh_token });
    expect(fresh.status).toBe(200);
    const reused = await one.token({ grant_type: 'refresh_token', refresh_token });
    expect([reused.status, (await tokensOf(reused)).error]).toEqual([400, 'invalid_grant']);
  });

  it('given a token for the assistants’ surface, then the API does not take it', async () => {
    const one = await program(baseUrl);
    const back = await allow(one.begin({ resource: `${baseUrl}/mcp/account` }), 'asha@clarity.test', baseUrl);
    const { access_token } = await tokensOf(await one.token({ code: codeOf(back) }));
    expect(decodeJwt(access_token).aud).toBe(`${baseUrl}/mcp/account`);
    const answer = await fetch(`${baseUrl}/api/v1/keys`, { headers: { authorization: `Bearer ${access_token}` } });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([401, 'invalid_key']);
  });

  it('given a program that names neither surface nor scope, then its token is for the API', async () => {
    const one = await program(baseUrl);
    const back = await allow(one.begin({ resource: null, scope: null }), 'asha@clarity.test', baseUrl);
    const { access_token } = await tokensOf(await one.token({ code: codeOf(back) }));
    const answer = await fetch(`${baseUrl}/api/v1/keys`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE', { code_challenge_method: null, code_challenge: null }, 'invalid_request'],
    ['a surface that is none', { resource: 'https://evil.test/api' }, 'invalid_target'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ])('given %s, then the program is told no before anybody is asked', async (_, changes, error) => {
    const one = await program(baseUrl);
    const back = new URL(await follow(browser(), one.begin(changes), baseUrl));
    const said = new URLSearchParams(back.search || back.hash.slice(1));
    expect([back.origin + back.pathname, said.get('error')]).toEqual([RETURNS_TO, error]);
  });

  it('given a redirect that the program did not register, then the browser stays here', async () => {
    const one = await program(baseUrl);
    const answer = await browser().get(one.begin({ redirect_uri: 'https://evil.test/' }));
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).toContain('redirect_uri');
  });

  it('given a code, then a wrong verifier, another program, another redirect or surface get nothing', async () => {
    const one = await program(baseUrl);
    const other = await program(baseUrl);
    const code = async (): Promise<string> => codeOf(await allow(one.begin(), 'asha@clarity.test', baseUrl));
    for (const answer of [
      await one.token({ code: await code(), code_verifier: 'x'.repeat(43) }),
      await other.token({ code: await code(), code_verifier: one.verifier }),
      await one.token({ code: await code(), redirect_uri: 'http://127.0.0.1:4711/other' }),
      await one.token({ code: await code(), resource: `${baseUrl}/mcp/account` }),
    ]) {
      expect(answer.status).toBe(400);
      expect((await tokensOf(answer)).error).toMatch(/^invalid_(grant|target)$/);
    }
  });

  it('given a code that is brought twice, then the second gets nothing and what the first got is revoked', async () => {
    const one = await program(baseUrl);
    const code = codeOf(await allow(one.begin(), 'asha@clarity.test', baseUrl));
    const { refresh_token } = await tokensOf(await one.token({ code }));
    expect((await tokensOf(await one.token({ code }))).error).toBe('invalid_grant');
    expect((await one.token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
  });

  it('given a code that is brought twenty times at once, then one gets a token at most', async () => {
    const one = await program(baseUrl);
    const code = codeOf(await allow(one.begin(), 'asha@clarity.test', baseUrl));
    const answers = await Promise.all(Array.from({ length: 20 }, () => one.token({ code })));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('given a person who refuses, then the program is told', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const asked = await follow(through, one.begin(), baseUrl);
    const consent = await press(through, asked, { answer: 'sign_in', email: 'asha@clarity.test' }, baseUrl);
    const back = new URL(await press(through, consent, { answer: 'refuse' }, baseUrl));
    expect(back.searchParams.get('error')).toBe('access_denied');
  });

  it('given a program that asks silently in a browser that is signed in, then it is told that consent must be asked', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const asked = await follow(through, one.begin(), baseUrl);
    const consent = await press(through, asked, { answer: 'sign_in', email: 'asha@clarity.test' }, baseUrl);
    await press(through, consent, { answer: 'allow' }, baseUrl);
    const silent: Record<string, string | null>[] = [{}, { scope: null }, { resource: `${baseUrl}/mcp/account` }];
    for (const changes of silent) {
      const back = new URL(await follow(through, one.begin({ ...changes, prompt: 'none' }), baseUrl));
      expect([back.searchParams.get('code'), back.searchParams.get('error')]).toEqual([null, 'consent_required']);
    }
  });

  it('given somebody who is signed in as another, then they can sign in as themselves', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const asked = await follow(through, one.begin(), baseUrl);
    const consent = await press(through, asked, { answer: 'sign_in', email: 'mina@clarity.test' }, baseUrl);
    const again = await press(through, consent, { answer: 'other' }, baseUrl);
    const second = await press(through, again, { answer: 'sign_in', email: 'asha@clarity.test' }, baseUrl);
    const back = new URL(await press(through, second, { answer: 'allow' }, baseUrl));
    const { access_token } = await tokensOf(await one.token({ code: codeOf(back) }));
    expect(decodeJwt(access_token).sub).toBe('asha@clarity.test');
  });
});

describe('the pages of signing in', () => {
  it('given a program whose name is markup, then the pages show it as text, run nothing and say that trust is local', async () => {
    const one = await program(baseUrl, '<script>alert(1)</script>\u202E');
    const through = browser();
    const asked = await follow(through, one.begin(), baseUrl);
    const page = await through.get(asked);
    const text = await page.text();
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toMatch(/<script(?! src="\/site\.js)|\u202E/);
    expect(text).toContain('Local trust');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:4711;");
  });

  it.each(['', 'asha', 'asha@', '<b>@clarity.test', `${'x'.repeat(300)}@clarity.test`])(
    'given %j for an e-mail address, then it is asked for again',
    async (email) => {
      const through = browser();
      const asked = await follow(through, (await program(baseUrl)).begin(), baseUrl);
      const answer = await through.post(asked, { answer: 'sign_in', email });
      expect(answer.status).toBe(400);
      const text = await answer.text();
      expect(text).toContain('is no e-mail address');
      expect(text).not.toContain('<b>@');
    },
  );

  it('given the form of another site, another browser or an end, then nobody is signed in', async () => {
    const through = browser();
    const asked = await follow(through, (await program(baseUrl)).begin(), baseUrl);
    const form = { answer: 'sign_in', email: 'asha@clarity.test' };
    expect((await through.post(asked, form, { origin: 'https://evil.test' })).status).toBe(400);
    expect((await browser().post(asked, form)).status).toBe(404);
    expect((await through.post(asked, { answer: 'allow' })).status).toBe(400);
  });

  it.each([
    ['another name of this machine (DNS rebinding)', { host: 'evil.test' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
  ])('given a request by %s, then nothing of the issuer answers', async (_, headers) => {
    for (const path of [
      '/oidc/auth',
      '/oidc/reg',
      '/oidc/token',
      '/oidc/sign-in/x',
      '/oidc/.well-known/openid-configuration',
    ]) {
      const answer = await site.server.inject({ url: path, headers: { host: new URL(baseUrl).host, ...headers } });
      expect(answer.statusCode, path).toBe(404);
    }
  });
});

describe('what the issuer says of itself', () => {
  it.each([
    '/oidc/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/oidc',
    '/.well-known/openid-configuration/oidc',
  ])('given %s, then S256 alone, registration, and addresses under BASE_URL', async (path) => {
    const metadata = (await (await fetch(`${baseUrl}${path}`)).json()) as Record<string, unknown>;
    expect(metadata).toMatchObject({
      issuer: `${baseUrl}/oidc`,
      authorization_endpoint: `${baseUrl}/oidc/auth`,
      token_endpoint: `${baseUrl}/oidc/token`,
      registration_endpoint: `${baseUrl}/oidc/reg`,
      jwks_uri: `${baseUrl}/oidc/jwks`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
    });
  });

  it('given the keys, then nothing of them is private', async () => {
    const { keys } = (await (await fetch(`${baseUrl}/oidc/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});
