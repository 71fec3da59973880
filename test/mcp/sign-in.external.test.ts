/** The sign-in from end to end: a real client is refused, finds the issuer, and a person allows it in Chromium. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from './browser.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { RECORD } from './small-record.ts';

let serving: ServingMcp;
let browser: Browser;
let callback: Server;
let returnsTo: string;
/** What the issuer sent the browser back with. */
const returned: URLSearchParams[] = [];
beforeAll(async () => {
  serving = await servingMcp();
  await serving.site.append(...RECORD);
  browser = await launchChromium();
  callback = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/callback') returned.push(searchParams);
    response.end('You may close this window.');
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  returnsTo = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  callback.close();
  await browser.close();
  await serving.close();
});

/** Keeps what a client keeps, and opens the sign-in in a window of Chromium where a person allows it. */
function person(email: string): OAuthClientProvider & { opened: string[]; token(): string } {
  let information: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  const opened: string[] = [];
  return {
    opened,
    redirectUrl: returnsTo,
    clientMetadata: {
      client_name: 'A desktop assistant',
      redirect_uris: [returnsTo],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => tokens,
    token: () => tokens?.access_token ?? '',
    saveTokens: (given) => {
      tokens = given;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    async redirectToAuthorization(address) {
      opened.push(address.href);
      const page = await browser.newPage();
      await page.goto(address.href);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('the tools for assistants, on your account').waitFor();
      await page.getByText('A desktop assistant').first().waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(/127\.0\.0\.1:\d+\/callback/);
      await page.close();
    },
  };
}

describe('signing in for the tools on one’s account', () => {
  it('given a client without a token, when it connects, then the sign-in opens once and its calls count for the person', async () => {
    const asha = person('asha@clarity.test');
    const url = new URL(`${serving.baseUrl}/mcp/account`);
    const first = new StreamableHTTPClientTransport(url, { authProvider: asha });
    const client = new Client({ name: 'desktop', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);

    const address = new URL(asha.opened[0] ?? '');
    expect(address.origin + address.pathname).toBe(`${serving.baseUrl}/oidc/auth`);
    expect(address.searchParams.get('resource')).toBe(url.href);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    await first.finishAuth(returned.at(-1) ?? new URLSearchParams());

    const second = new StreamableHTTPClientTransport(url, { authProvider: asha });
    const signedIn = new Client({ name: 'desktop', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await signedIn.connect(second);
    const answer = await signedIn.callTool({ name: 'latest_moves', arguments: { limit: 1 } });
    expect(answer.isError ?? false).toBe(false);
    expect(asha.opened).toHaveLength(1);
    expect(decodeJwt(asha.token())).toMatchObject({
      iss: `${serving.baseUrl}/oidc`,
      aud: url.href,
      sub: 'asha@clarity.test',
    });
    const { rows } = await serving.site.engine.database.query(
      `SELECT used FROM access.quota_window WHERE key LIKE 'acc_% day'`,
    );
    expect(rows).toEqual([{ used: 1 }]);
    await signedIn.close();
  });
});
