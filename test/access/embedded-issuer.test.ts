import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess, openAccess } from '../../access/access.ts';
import { accountOfEmail, changeAccount } from '../../access/account.ts';
import { mountIssuer, openEmbeddedIssuer } from '../../access/embedded-issuer.ts';
import { revokeAccountTokens } from '../../access/sign-in-tokens.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { type Serving, serving } from '../api/serving.ts';
import { forgetCalls } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { allow, browser, follow, press, program, RETURNS_TO } from './issuer-program.ts';

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
// Programs register in every test: the limit is tested on its own.
beforeEach(() => forgetCalls(site.engine.database));
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

/** Signs in with a browser. @returns the address of the page that asks for consent */
async function consentPage(
  through: ReturnType<typeof browser>,
  start: Parameters<typeof follow>[1],
  email = 'asha@clarity.test',
) {
  const signInPage = await follow(through, start, baseUrl);
  return press(through, signInPage, { answer: 'sign_in', email }, baseUrl);
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
  ])('given %s, then the program is refused before anybody signs in', async (_, changes, error) => {
    const one = await program(baseUrl);
    const back = new URL(await follow(browser(), one.begin(changes), baseUrl));
    const parameters = new URLSearchParams(back.search || back.hash.slice(1));
    expect([back.origin + back.pathname, parameters.get('error')]).toEqual([RETURNS_TO, error]);
  });

  it('given a redirect that the program did not register, then the browser is not redirected', async () => {
    const one = await program(baseUrl);
    const answer = await browser().get(one.begin({ redirect_uri: 'https://evil.test/' }));
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).toContain('redirect_uri');
  });

  it('given a code, then a wrong verifier, another program, another redirect or resource get no token', async () => {
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

  it('given a code that is used twice, then the second use gets nothing and the tokens of the first are revoked', async () => {
    const one = await program(baseUrl);
    const code = codeOf(await allow(one.begin(), 'asha@clarity.test', baseUrl));
    const { refresh_token } = await tokensOf(await one.token({ code }));
    expect((await tokensOf(await one.token({ code }))).error).toBe('invalid_grant');
    expect((await one.token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
  });

  it('given a code that is used twenty times at once, then at most one use gets a token', async () => {
    const one = await program(baseUrl);
    const code = codeOf(await allow(one.begin(), 'asha@clarity.test', baseUrl));
    const answers = await Promise.all(Array.from({ length: 20 }, () => one.token({ code })));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('given a person who refuses, then the program gets the error', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const consent = await consentPage(through, one.begin());
    const back = new URL(await press(through, consent, { answer: 'refuse' }, baseUrl));
    expect(back.searchParams.get('error')).toBe('access_denied');
  });

  it('given a program that asks silently in a browser that is signed in, then it gets the error that consent is required', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const consent = await consentPage(through, one.begin());
    await press(through, consent, { answer: 'allow' }, baseUrl);
    const silent: Record<string, string | null>[] = [{}, { scope: null }, { resource: `${baseUrl}/mcp/account` }];
    for (const changes of silent) {
      const back = new URL(await follow(through, one.begin({ ...changes, prompt: 'none' }), baseUrl));
      expect([back.searchParams.get('code'), back.searchParams.get('error')]).toEqual([null, 'consent_required']);
    }
  });

  it('given a person who is signed in with another account, then they can switch to their own', async () => {
    const one = await program(baseUrl);
    const through = browser();
    const consent = await consentPage(through, one.begin(), 'mina@clarity.test');
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
    const signInPage = await follow(through, one.begin(), baseUrl);
    const page = await through.get(signInPage);
    const markup = await page.text();
    expect(markup).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(markup).not.toMatch(/<script(?! src="\/site\.js)|\u202E/);
    expect(markup).toContain('Local trust');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:4711;");
  });

  it.each(['', 'asha', 'asha@', '<b>@clarity.test', `${'x'.repeat(300)}@clarity.test`])(
    'given %j for an e-mail address, then the form is shown again',
    async (email) => {
      const through = browser();
      const signInPage = await follow(through, (await program(baseUrl)).begin(), baseUrl);
      const answer = await through.post(signInPage, { answer: 'sign_in', email });
      expect(answer.status).toBe(400);
      const markup = await answer.text();
      expect(markup).toContain('is not an e-mail address');
      expect(markup).not.toContain('<b>@');
    },
  );

  it('given the form of another site, another browser or an end, then nobody is signed in', async () => {
    const through = browser();
    const signInPage = await follow(through, (await program(baseUrl)).begin(), baseUrl);
    const form = { answer: 'sign_in', email: 'asha@clarity.test' };
    expect((await through.post(signInPage, form, { origin: 'https://evil.test' })).status).toBe(400);
    expect((await browser().post(signInPage, form)).status).toBe(404);
    expect((await through.post(signInPage, { answer: 'allow' })).status).toBe(400);
  });

  it.each([
    ['another name of this machine (DNS rebinding)', { host: 'evil.test' }],
    ['no name at all', { host: '' }],
    ...[
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-forwarded-prefix',
      'forwarded',
      'via',
      'x-real-ip',
      'true-client-ip',
      'cf-connecting-ip',
      'x-amzn-trace-id',
      'x-envoy-external-address',
      'x-original-forwarded-for',
      'tailscale-user-login',
      'ngrok-skip-browser-warning',
    ].map((name): [string, Record<string, string>] => [`a proxy that sends ${name}`, { [name]: '127.0.0.1' }]),
  ])('given a request by %s, then no route of the issuer responds', async (_, headers) => {
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

describe('a connection from another machine', () => {
  it.each(['203.0.113.7', '10.0.0.5', '2001:db8::7', '::ffff:10.0.0.5'])(
    'given %s, then the issuer does not respond',
    async (remoteAddress) => {
      const headers = { host: new URL(baseUrl).host, 'x-forwarded-for': '127.0.0.1' };
      for (const extra of [headers, { host: headers.host }])
        for (const url of ['/oidc/.well-known/openid-configuration', '/oidc/reg'])
          expect((await site.server.inject({ url, headers: extra, remoteAddress })).statusCode, url).toBe(404);
    },
  );

  it('given HTTP/1.0, which proxies use by default, then the issuer does not respond', async () => {
    const { hostname, port, host } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    socket.end(`GET /oidc/.well-known/openid-configuration HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
    expect(await text(socket)).toContain('404');
  });
});

describe('a program that registers itself', () => {
  const register = (metadata: Record<string, unknown>, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/oidc/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token_endpoint_auth_method: 'none', ...metadata }),
    });

  it.each([
    'cursor://anysphere.cursor-retrieval/oauth/user-mcp/callback',
    'com.example.app:/callback',
    'vscode://ms.example/auth',
    'http://127.0.0.1:4711/callback',
    'http://localhost/callback',
    'http://[::1]:4711/callback',
    'https://app.example/callback',
  ])('given the redirect address %s, then it is accepted, and the browser is redirected to it', async (address) => {
    const answer = await register({ redirect_uris: [address] });
    expect(answer.status).toBe(201);
    const { client_id } = (await answer.json()) as { client_id: string };
    const one = await program(baseUrl);
    const back = await allow(one.begin({ client_id, redirect_uri: address }), 'asha@clarity.test', baseUrl);
    expect(back.href.startsWith(address)).toBe(true);
    expect(codeOf(back)).not.toBe('');
  });

  it.each([
    ['plain http to another machine', { redirect_uris: ['http://app.example/callback'] }],
    ['the same, said to be of the web', { redirect_uris: ['http://10.0.0.7/callback'], application_type: 'web' }],
    ['the same next to a valid one', { redirect_uris: ['https://app.example/', 'http://app.example/'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a file', { redirect_uris: ['file:///etc/passwd'] }],
    ['a host that only begins like loopback', { redirect_uris: ['http://localhost.evil.test/'] }],
    ['a scheme of its own, said to be of the web', { redirect_uris: ['app:/x'], application_type: 'web' }],
    ['no list', { redirect_uris: 'http://app.example/' }],
    ['no addresses', { redirect_uris: [] }],
  ])('given a redirect by %s, then it is refused', async (_, metadata) => {
    const answer = await register(metadata);
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    ]);
  });

  it('given a program of this machine, then any port of loopback is accepted (RFC 8252, section 7.3)', async () => {
    const one = await program(baseUrl);
    const elsewhere = 'http://127.0.0.1:53211/callback';
    const back = await allow(one.begin({ redirect_uri: elsewhere }), 'asha@clarity.test', baseUrl);
    expect(back.href.startsWith(elsewhere)).toBe(true);
  });

  it('given a page of another origin, then its browser may register', async () => {
    const origin = 'https://inspector.example';
    const preflight = await fetch(`${baseUrl}/oidc/reg`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
    for (const redirect_uris of [[`${origin}/callback`], ['nonsense']])
      expect((await register({ redirect_uris }, { origin })).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('given 30 registrations within a minute, then the next waits, whatever the spelling of the address', async () => {
    const { database } = site.engine;
    await forgetCalls(database);
    await database.query(
      `INSERT INTO access.quota_window VALUES ('ip 127.0.0.1 registration', 30, now() + interval '1 minute'),
         ('ip 0:0:0:0::/64 registration', 30, now() + interval '1 minute')`,
    );
    for (const path of ['/oidc/reg', '/oidc/REG', '/oidc/reg/', '/oidc/reg?x=1']) {
      const answer = await fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [RETURNS_TO], token_endpoint_auth_method: 'none' }),
      });
      expect(answer.status, path).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await forgetCalls(database);
  });

  it('given a body of more than 16 KB, then it is refused', async () => {
    expect((await register({ redirect_uris: [RETURNS_TO], client_name: 'x'.repeat(20_000) })).status).toBe(400);
  });

  it('given 1,000 programs, then one without any consent is removed for the next', async () => {
    const { database } = site.engine;
    const used = await program(baseUrl);
    await allow(used.begin(), 'asha@clarity.test', baseUrl);
    await database.query(
      `UPDATE access.sign_in SET expires_at = now() + interval '1 minute' WHERE kind = 'Client' AND id = $1`,
      [used.id],
    );
    await database.query(
      `INSERT INTO access.sign_in (kind, id, payload, expires_at)
       SELECT 'Client', 'filler-' || n, '{}', now() + interval '1 day' FROM generate_series(1, 1000) n`,
    );
    expect((await register({ redirect_uris: [RETURNS_TO] })).status).toBe(201);
    const { rows } = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM access.sign_in WHERE kind = 'Client'`,
    );
    expect(rows[0]?.count).toBeLessThanOrEqual(1_000);
    expect((await used.token({ code: 'x' })).status).toBe(400);
    const kept = await database.query(`SELECT 1 FROM access.sign_in WHERE kind = 'Client' AND id = $1`, [used.id]);
    expect(kept.rows).toHaveLength(1);
    await database.query(`DELETE FROM access.sign_in WHERE id LIKE 'filler-%'`);
  });
});

describe('a token that is revoked', () => {
  const EMAIL = 'rhea@clarity.test';
  const revoke = (id: string, token: string) =>
    fetch(`${baseUrl}/oidc/token/revocation`, { method: 'POST', body: new URLSearchParams({ client_id: id, token }) });
  const works = async (token: string): Promise<boolean> =>
    (await fetch(`${baseUrl}/api/v1/keys`, { headers: { authorization: `Bearer ${token}` } })).status === 200;
  async function signedIn() {
    const one = await program(baseUrl);
    const tokens = await tokensOf(await one.token({ code: codeOf(await allow(one.begin(), EMAIL, baseUrl)) }));
    expect(await works(tokens.access_token)).toBe(true);
    return { one, ...tokens };
  }

  it('given its own program asks for it (RFC 7009), then it is no longer valid, and the others are', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    expect((await revoke(first.one.id, first.access_token)).status).toBe(200);
    expect((await revoke(first.one.id, first.access_token)).status).toBe(200);
    expect(await works(first.access_token)).toBe(false);
    expect(await works(second.access_token)).toBe(true);
    const fresh = await first.one.token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect(await works((await tokensOf(fresh)).access_token)).toBe(true);
  });

  it('given its refresh token is revoked, then the access tokens of the grant are no longer valid', async () => {
    const { one, access_token, refresh_token } = await signedIn();
    expect((await revoke(one.id, refresh_token)).status).toBe(200);
    expect(await works(access_token)).toBe(false);
  });

  it('given another program, an unknown caller or garbage, then the token stays valid', async () => {
    const { access_token } = await signedIn();
    const other = await program(baseUrl);
    expect((await revoke(other.id, access_token)).status).toBe(200);
    expect((await revoke('nobody', access_token)).status).toBe(401);
    const [head, , signature] = access_token.split('.');
    expect((await revoke(other.id, `${head}.e30.${signature}`)).status).toBe(200);
    expect(await works(access_token)).toBe(true);
  });

  it('given all tokens of an account, then none issued before is valid and no refresh gives another; the next sign-in does', async () => {
    const { one, access_token, refresh_token } = await signedIn();
    await revokeAccountTokens(site.engine.database, accountOfEmail(EMAIL));
    expect(await works(access_token)).toBe(false);
    expect((await one.token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
    // Times of issue have whole seconds.
    await site.engine.database.query(
      `UPDATE access.token_revocation SET revoked_at = revoked_at - interval '2 seconds' WHERE kind = 'account'`,
    );
    await signedIn();
  });
});

describe('the scopes of a token', () => {
  it('given no scope of this service, then no access to the account; given only read, then no key that may ask', async () => {
    await approve('pia@clarity.test');
    const tokenWith = async (scope: string): Promise<Record<string, string>> => {
      const one = await program(baseUrl);
      const back = await allow(one.begin({ scope }), 'pia@clarity.test', baseUrl);
      const { access_token } = await tokensOf(await one.token({ code: codeOf(back) }));
      return { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    };
    const makeKey = (headers: Record<string, string>, scopes?: string[]) =>
      fetch(`${baseUrl}/api/v1/keys`, { method: 'POST', headers, body: JSON.stringify({ name: 'k', scopes }) });
    const none = await tokenWith('openid email');
    for (const path of ['/api/v1/keys', '/api/v1/follow']) {
      const answer = await fetch(`${baseUrl}${path}`, { headers: none });
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([403, 'insufficient_scope']);
    }
    const read = await tokenWith('read');
    expect((await makeKey(read, ['read', 'ask'])).status).toBe(403);
    const limited = (await (await makeKey(read)).json()) as { details: { scopes: string[] } };
    expect(limited.details.scopes).toEqual(['read']);
    const question = JSON.stringify({ messages: [{ role: 'user', content: 'What opened?' }], stream: false });
    const refused = await fetch(`${baseUrl}/api/v1/ask`, { method: 'POST', headers: read, body: question });
    expect(refused.status).toBe(403);
    const both = await tokenWith('read ask');
    expect((await makeKey(both, ['read', 'ask'])).status).toBe(201);
    expect((await fetch(`${baseUrl}/api/v1/ask`, { method: 'POST', headers: both, body: question })).status).toBe(200);
  });
});

describe('the metadata of the issuer', () => {
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

  it('given the keys, then no private part is published', async () => {
    const { keys } = (await (await fetch(`${baseUrl}/oidc/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});
