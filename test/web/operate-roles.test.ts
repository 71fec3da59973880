/** Every route below /operate with every role. */
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayActAs, type Role, rolesBy } from '../../schemas/access.ts';
import { guardOperate } from '../../web/pages/operate/operator-page.ts';
import { operatorPages } from '../../web/pages.ts';
import type { Site } from '../../web/site.ts';
import { attributesOf } from '../harness/elements.ts';
import { detected } from '../projector/signal-events.ts';
import { OPERATOR, REVIEWER, type SignedIn, type SigningIn, signingIn } from './people/signing-in.ts';

describe('roles', () => {
  it('given addresses in the settings, then each has its role, and one in both is an operator', () => {
    const roleOf = rolesBy({ OPERATORS: ['Olga@x.test'], REVIEWERS: ['ravi@x.test', 'olga@x.test'] });
    expect(['olga@x.test', 'ravi@x.test', 'asha@x.test', null].map(roleOf)).toEqual([
      'operator',
      'reviewer',
      null,
      null,
    ]);
    expect(mayActAs(null, 'reviewer')).toBe(false);
  });

  it('given a route without a role, then the server does not start', () => {
    const server = Fastify();
    guardOperate(server, {} as Site);
    expect(() => server.get('/operate/new', async () => 'open')).toThrow('/operate/new has no role');
  });
});

/** Every route below /operate with its role. */
async function operatorRoutes(): Promise<
  { route: string; method: 'GET' | 'POST'; url: string; role: Role; path: string }[]
> {
  const routes: Awaited<ReturnType<typeof operatorRoutes>> = [];
  const server = Fastify();
  guardOperate(server, {} as Site, (method, url, role) => {
    const path = url.replace(':id', 'daily-trade').replace(':kind', 'brand').replace(':slug', 'kiri-foods');
    if (method !== 'HEAD')
      routes.push({ route: `${method} ${url}`, method: method as 'GET' | 'POST', url, role, path });
  });
  for (const page of operatorPages) page(server, {} as Site);
  await server.ready();
  return routes;
}

const ROUTES = await operatorRoutes();

describe('the routes of operators', () => {
  let people: SigningIn;
  let tokens: Map<SignedIn, string>;
  const who: Record<'visitor' | 'reader' | 'reviewer' | 'operator', SignedIn> = {} as never;
  beforeAll(async () => {
    people = await signingIn({ models: ['review', 'brands', 'catalogue', 'source_health'] });
    await people.site.append(detected('kiri'));
    who.visitor = people.visitor();
    who.reader = await people.signIn('asha@clarity.test');
    who.reviewer = await people.signIn(REVIEWER);
    who.operator = await people.signIn(OPERATOR);
    tokens = new Map();
    for (const one of [who.reader, who.reviewer, who.operator]) tokens.set(one, await one.formToken());
  });
  afterAll(() => people.close());

  const ask = async (person: SignedIn, { method, path }: (typeof ROUTES)[number]): Promise<Response> => {
    const address = `${people.baseUrl}${path}`;
    const form = { form_token: tokens.get(person) ?? '' };
    return method === 'GET' ? person.browser.get(address) : person.browser.post(address, form);
  };

  it('given a reviewer, then only decisions on single signals and names are open', () => {
    const open = ROUTES.filter(({ role }) => role === 'reviewer').map(({ route }) => route.replace('/operate', ''));
    expect(open.toSorted()).toEqual([
      'GET ',
      'GET /brands',
      'GET /catalogue/candidates',
      'GET /review',
      'POST /catalogue/candidates/promote',
      'POST /catalogue/candidates/refuse',
      'POST /review/confirm',
      'POST /review/correct',
      'POST /review/hold',
      'POST /review/merge',
      'POST /review/retract',
      'POST /review/split',
    ]);
  });

  it.each(ROUTES)('given $route, then the visitor signs in first, and a reader is refused', async (route) => {
    const answer = await ask(who.visitor, route);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/sign-in?to=%2Foperate'),
    ]);
    const refused = await ask(who.reader, route);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('Only for operators')]);
  });

  it.each(ROUTES)('given $route, then it is open to the $role, and a reviewer has no more', async (route) => {
    const reviewed = await ask(who.reviewer, route);
    if (route.role === 'operator') expect(reviewed.status).toBe(403);
    else expect(reviewed.status).not.toBe(403);
    // A form without its fields is refused as a form, after the guard.
    expect([200, 301, 303, 400, 404]).toContain((await ask(who.operator, route)).status);
  });

  it('given HEAD, then it is guarded as GET is', async () => {
    const { statusCode } = await people.site.server.inject({ method: 'HEAD', url: '/operate/accounts' });
    expect(statusCode).toBe(303);
  });

  it('given a reviewer, then the overview lists its pages alone; a name is refused and promoted by the form', async () => {
    const { $ } = await who.reviewer.open('/operate');
    expect(attributesOf($, '.board a', 'href')).toEqual([
      '/operate/review',
      '/operate/review',
      '/operate/catalogue/candidates',
    ]);
    expect((await who.reader.open('/account')).$('a[href="/operate"]')).toHaveLength(0);
    expect((await who.reviewer.open('/account')).$('a[href="/operate"]')).toHaveLength(1);
    const decide = (what: string, why: string) =>
      who.reviewer.send('/operate/catalogue/candidates', `/operate/catalogue/candidates/${what}`, { why });
    const said = async () => (await who.reviewer.open('/operate/catalogue/candidates')).$('.case .said').first().text();
    expect((await decide('promote', '')).status).toBe(400);
    expect((await decide('promote', 'it is a brand')).status).toBe(303);
    expect(await said()).toContain('promoted');
    expect((await who.reviewer.open('/operate/catalogue/candidates')).$('[data-key=a]')).toHaveLength(0);
    // A refused name does not come back.
    expect((await decide('refuse', 'a common word')).status).toBe(303);
    expect(await said()).toBe('');
    expect((await who.reviewer.browser.get(`${people.baseUrl}/operate/brands`)).status).toBe(301);
  });
});
