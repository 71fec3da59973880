/** Signing in on the pages with an external issuer: an `oidc-provider` at its own address, with a client secret. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type AccountClaims } from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateAccess } from '../../access/access.ts';
import { issuerClient, webSignInOf } from '../../access/web-sessions.ts';
import { browser } from '../access/issuer-program.ts';
import { type Serving, serving } from '../api/serving.ts';
import { freePort } from '../harness/free-port.ts';

const CLAIMS: Readonly<Record<string, Omit<AccountClaims, 'sub'>>> = {
  'user-1': { email: 'Olga@Clarity.test', email_verified: true },
  'user-2': { email: 'olga@clarity.test', email_verified: false },
  'user-3': {},
  // By address.
  'victim@clarity.test': { email: 'victim@clarity.test', email_verified: false },
  'olga@clarity.test': { email: 'olga@clarity.test', email_verified: false },
};

let issuer: Server;
let issuerUrl: string;
let site: Serving;
let baseUrl: string;

async function startIssuer(): Promise<void> {
  issuer = createServer();
  issuer.listen(0, '127.0.0.1');
  await new Promise((resolve) => issuer.once('listening', resolve));
  issuerUrl = `http://localhost:${(issuer.address() as AddressInfo).port}`;
  const provider = new Provider(issuerUrl, {
    clients: [
      {
        client_id: 'pages',
        client_secret: 'a secret of thirty-two characters!',
        redirect_uris: [`${baseUrl}/sign-in/callback`],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    cookies: { keys: ['only for this test'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...CLAIMS[sub] }) }),
    // Every visitor is signed in as the `login_hint`, and consents.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: 'pages', accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  const handle = provider.callback();
  issuer.on('request', async (request, response) => {
    const user = /^\/login\/[^?]+\?as=(.+)$/.exec(request.url ?? '')?.[1];
    if (user === undefined) return void handle(request, response);
    response
      .writeHead(303, { location: await provider.interactionResult(request, response, { login: { accountId: user } }) })
      .end();
  });
}

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://localhost:${port}`;
  await startIssuer();
  const settings = {
    BASE_URL: baseUrl,
    HOST: '0.0.0.0',
    OIDC_ISSUER: issuerUrl,
    OPERATORS: ['olga@clarity.test'],
    OIDC_CLIENT_ID: 'pages',
    OIDC_CLIENT_SECRET: 'a secret of thirty-two characters!',
  };
  site = await serving({ baseUrl, settings, models: ['accounts'] });
  await migrateAccess(site.engine.database);
  await site.server.listen({ port, host: 'localhost' });
});
afterAll(async () => {
  await site.close();
  issuer.closeAllConnections();
  await new Promise((resolve) => issuer.close(resolve));
});

/** Signs in as an account of the issuer. @returns the final address and the text of the account page */
async function signInAs(user: string): Promise<{ end: string; text: string }> {
  // One cookie jar serves both hosts: they differ only by port, and their cookies have different names.
  const through = browser();
  let at = `${baseUrl}/sign-in/begin?to=/account`;
  for (let hops = 0; hops < 10; hops++) {
    const answer = await through.get(at.includes('/login/') ? `${at}?as=${user}` : at);
    if (answer.status === 200) return { end: at, text: await answer.text() };
    at = new URL(answer.headers.get('location') ?? '', at).href;
  }
  throw new Error(`no end at ${at}`);
}

it('given an e-mail address that the issuer verified, then the account is that of the sub, and OPERATORS matches the address', async () => {
  const { end, text } = await signInAs('user-1');
  expect(end).toBe(`${baseUrl}/account`);
  expect(text).toContain('olga@clarity.test');
  expect(text).toContain('href="/operate"');
});

it.each([
  ['an address that the issuer does not vouch for', 'user-2'],
  ['no address at all', 'user-3'],
])('given %s, then the account has no address and no operator rights', async (_what, user) => {
  const { text } = await signInAs(user);
  expect(text).toContain(`<h1>${user}</h1>`);
  expect(text).not.toContain('olga@');
  expect(text).not.toContain('href="/operate"');
});

it.each(['victim@clarity.test', 'olga@clarity.test'])(
  'given %s as the name and an issuer that does not verify it, then nobody is signed in, and the page explains why',
  async (user) => {
    const { end, text } = await signInAs(user);
    expect(end).toBe(`${baseUrl}/sign-in?failed=unverified`);
    expect(text).toContain('not verified');
    const { rows } = await site.engine.database.query('SELECT 1 FROM access.web_session WHERE name = $1', [user]);
    expect(rows).toEqual([]);
  },
);

it('given an unreachable issuer, then no sign-in starts until it is reachable again', async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const client = issuerClient({ kind: 'external', issuer, clientId: 'pages', clientSecret: null }, baseUrl);
  await expect(client.begin()).rejects.toThrow();
  const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
  const back = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  }).listen(port, '127.0.0.1');
  await new Promise((resolve) => back.once('listening', resolve));
  const { searchParams } = new URL((await client.begin()).address);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    code_challenge_method: 'S256',
    redirect_uri: `${baseUrl}/sign-in/callback`,
    scope: 'openid email',
  });
  back.closeAllConnections();
  await new Promise((resolve) => back.close(resolve));
});

it.each([
  [{ BASE_URL: 'https://clarity.example', OIDC_ISSUER: 'https://issuer.example' }, /OIDC_CLIENT_ID.*callback/],
  [{ BASE_URL: 'https://clarity.example', HOST: '0.0.0.0' }, /OIDC_ISSUER/],
])('given %o, then signing in is off, and the result says what to set', (settings, what) => {
  expect(webSignInOf(settings)).toEqual({ kind: 'off', why: expect.stringMatching(what) });
});

it('given that signing in is off, then its page says so, and no sign-in starts', async () => {
  const off = await serving({ settings: { BASE_URL: 'https://clarity.example', HOST: '0.0.0.0' } });
  for (const url of ['/sign-in', '/sign-in/begin']) {
    const answer = await off.server.inject({ url, headers: { accept: 'text/html' } });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('sets OIDC_ISSUER')]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
  await off.close();
});
