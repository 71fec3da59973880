/** Signing in and out on the pages, and the protection of their forms. */

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../../access/account.ts';
import { isRevoked } from '../../../access/sign-in-tokens.ts';
import { follow } from '../../access/issuer-program.ts';
import { forgetCalls } from '../../harness/database.ts';
import { OPERATOR, type SignedIn, type SigningIn } from './signing-in.ts';
import { theSite } from './the-site.ts';

let people: SigningIn;
beforeAll(async () => {
  people = await theSite();
});

const cookieOf = (answer: { headers: Headers }, name: string): string =>
  answer.headers.getSetCookie().find((line) => line.startsWith(`${name}=`)) ?? '';
const database = () => people.site.engine.database;

/** Goes through a sign-in step by step. @returns the response that sets the session */
async function callback(through = people.visitor(), email = 'asha@clarity.test') {
  const { browser } = through;
  const asked = await follow(browser, `${people.baseUrl}/sign-in/begin?to=/my-brands`, people.baseUrl);
  const answer = await browser.post(asked, { answer: 'sign_in', email });
  let at = new URL(answer.headers.get('location') ?? '', people.baseUrl).href;
  for (let hops = 0; !at.includes('/sign-in/callback'); hops++) {
    const next = await browser.get(at);
    expect([next.status, hops < 5]).toEqual([303, true]);
    at = new URL(next.headers.get('location') ?? '', at).href;
  }
  return { at, through };
}

describe('a sign-in from another site', () => {
  it.each([
    ['another machine', { remoteAddress: '203.0.113.7' }, {}],
    ['a proxy', {}, { 'x-forwarded-proto': 'https' }],
  ])('given %s, then no sign-in starts at the embedded issuer', async (_, from, headers) => {
    const { host } = new URL(people.baseUrl);
    const answer = await people.site.server.inject({ url: '/sign-in/begin', headers: { host, ...headers }, ...from });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([404, undefined]);
  });
});

describe('access tokens of programs', () => {
  it('given the button on the account page, then tokens that were issued before are no longer valid', async () => {
    const person = await people.signIn('tara@clarity.test');
    const { id: account } = accountOfEmail('tara@clarity.test');
    const iat = Date.now() / 1_000;
    expect(await isRevoked(database(), { account, iat: iat - 5 })).toBe(false);
    const answer = await person.send('/account', '/account/programs/end');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account?ended#programs']);
    expect(await isRevoked(database(), { account, iat: iat - 5 })).toBe(true);
    expect((await person.open('/account?ended')).$('[role=status]').text()).toContain('no longer have access');
    const stranger = await people.visitor().browser.post(`${people.baseUrl}/account/programs/end`, {});
    expect(stranger.headers.get('location')).toContain('/sign-in');
  });
});

describe('signing in', () => {
  it('given a visitor who is not signed in, when they open a personal page, then they are sent to sign in and back', async () => {
    const { browser } = people.visitor();
    for (const path of ['/account', '/keys', '/my-brands', '/brief/mail', '/operate']) {
      const answer = await browser.get(`${people.baseUrl}${path}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/sign-in?to=${encodeURIComponent(path)}`]);
    }
    const { at, through } = await callback();
    const back = await through.browser.get(at);
    expect([back.status, back.headers.get('location')]).toEqual([303, '/my-brands']);
    expect((await through.open('/account')).$('h1').text()).toBe('asha@clarity.test');
  });

  it('given a session, then its cookie is protected from scripts and other sites, and only its hash is stored', async () => {
    const { at, through } = await callback();
    const cookie = cookieOf(await through.browser.get(at), 'clarity_reader');
    expect(cookie).toMatch(/^clarity_reader=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/);
    const token = /=([^;]+)/.exec(cookie)?.[1] ?? '';
    const { rows } = await database().query<{ all: string }>('SELECT w::text AS all FROM access.web_session w');
    expect(rows.some(({ all }) => all.includes(createHash('sha256').update(token).digest('hex')))).toBe(true);
    expect(rows.some(({ all }) => all.includes(token))).toBe(false);
  });

  it('given an existing session, when its browser signs in again, then it gets a new session and the first ends', async () => {
    const first = await callback();
    const before = /=([^;]+)/.exec(cookieOf(await first.through.browser.get(first.at), 'clarity_reader'))?.[1] ?? '';
    const second = await callback(first.through, 'bina@clarity.test');
    const after = /=([^;]+)/.exec(cookieOf(await second.through.browser.get(second.at), 'clarity_reader'))?.[1] ?? '';
    expect(after).not.toBe(before);
    const old = await fetch(`${people.baseUrl}/account`, {
      headers: { cookie: `clarity_reader=${before}` },
      redirect: 'manual',
    });
    expect(old.status).toBe(303);
  });

  it.each([
    ['of another browser', (at: string) => ({ at, through: people.visitor() })],
    [
      'with another state',
      (at: string, through: ReturnType<SigningIn['visitor']>) => ({
        at: at.replace(/state=[^&]+/, 'state=other'),
        through,
      }),
    ],
    [
      'with another code',
      (at: string, through: ReturnType<SigningIn['visitor']>) => ({
        at: at.replace(/code=[^&]+/, 'code=other'),
        through,
      }),
    ],
    [
      'from another issuer',
      (at: string, through: ReturnType<SigningIn['visitor']>) => ({
        at: at.replace(/iss=[^&]+/, 'iss=http%3A%2F%2Felsewhere.test'),
        through,
      }),
    ],
  ])('given a callback %s, then nobody is signed in', async (_what, change) => {
    const begun = await callback();
    const { at, through } = change(begun.at, begun.through);
    const answer = await through.browser.get(at);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?failed']);
    expect(cookieOf(answer, 'clarity_reader')).toBe('');
  });

  it('given a replayed callback, then it signs nobody in', async () => {
    const { at, through } = await callback();
    const cookies = cookieOf(await through.browser.get(at), 'clarity_reader');
    expect(cookies).not.toBe('');
    expect((await through.browser.get(at)).headers.get('location')).toBe('/sign-in?failed');
  });

  it.each([
    'https://elsewhere.test/',
    '//elsewhere.test',
    '/\\elsewhere.test',
    'javascript:alert(1)',
    '/..//elsewhere.test',
  ])('given %s as the page to return to, then it leads to a page of this site', async (to) => {
    const { browser } = people.visitor();
    const asked = await follow(
      browser,
      `${people.baseUrl}/sign-in/begin?${new URLSearchParams({ to })}`,
      people.baseUrl,
    );
    const answer = await browser.post(asked, { answer: 'sign_in', email: 'asha@clarity.test' });
    const end = await follow(
      browser,
      new URL(answer.headers.get('location') ?? '', people.baseUrl).href,
      people.baseUrl,
    );
    expect(end).toBe(`${people.baseUrl}/account`);
  });

  it('given an expired session, then the visitor is signed out', async () => {
    const person = await people.signIn('expired@clarity.test');
    expect((await person.open('/account')).status).toBe(200);
    await database().query("UPDATE access.web_session SET expires_at = now() WHERE name = 'expired@clarity.test'");
    expect((await person.open('/account')).status).toBe(303);
  });

  it('when somebody signs out, then the session is gone on the server too', async () => {
    const person = await people.signIn('asha@clarity.test');
    const count = async () => (await database().query('SELECT FROM access.web_session')).rowCount ?? 0;
    const before = await count();
    const answer = await person.send('/account', '/sign-out');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await count()).toBe(before - 1);
    expect((await person.open('/account')).status).toBe(303);
  });

  it('given a page of a signed-in reader, then no shared cache stores it', async () => {
    const person = await people.signIn('asha@clarity.test');
    for (const path of ['/', '/account', '/keys']) {
      const { headers } = await person.open(path);
      expect(headers.get('cache-control')).toMatch(/private|no-store/);
      expect(headers.get('vary')).toContain('Cookie');
    }
  });
});

it('given too many sign-ins from one address, then the next must wait', async () => {
  const { browser } = people.visitor();
  const begin = () => browser.get(`${people.baseUrl}/sign-in/begin`);
  const answers = await Promise.all(Array.from({ length: 31 }, begin));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  await forgetCalls(database());
});

describe('forms', () => {
  let asha: SignedIn;
  let bina: SignedIn;
  beforeAll(async () => {
    [asha, bina] = [await people.signIn('asha@clarity.test'), await people.signIn('bina@clarity.test')];
  });
  const forms = [
    '/sign-out',
    '/follow',
    '/unfollow',
    '/my-brands/add',
    '/my-brands/read',
    '/keys/apply',
    '/keys/make',
    '/keys/revoke',
    '/brief/mail',
    '/brief/mail/end',
    '/operate/applications/approve',
    '/operate/signals/merge',
    '/operate/review/correct',
  ];

  it.each(forms)(
    'given %s from another site, or without the token of the session, then it is refused',
    async (action) => {
      // Others are refused before their form is looked at.
      const person = action.startsWith('/operate') ? await people.signIn(OPERATOR) : asha;
      const form_token = await person.formToken();
      const at = `${people.baseUrl}${action}`;
      const sent = async (fields: Record<string, string>, headers: Record<string, string>) =>
        (await person.browser.post(at, fields, headers)).status;
      expect(await sent({ form_token }, { origin: 'https://elsewhere.test' })).toBe(400);
      expect(await sent({ form_token }, { origin: 'null' })).toBe(400);
      expect(await sent({}, {})).toBe(400);
      const theirs = await bina.formToken();
      expect(theirs).not.toBe(form_token);
      expect(await sent({ form_token: theirs }, {})).toBe(400);
      expect((await person.open('/account')).status).toBe(200);
    },
  );
});
