/** Team lists on the pages: made, shared by a link, filled by several accounts, left. */
import { beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, textsOf } from '../../harness/elements.ts';
import { detected, idOf, understanding } from '../../projector/signal-events.ts';
import type { SignedIn, SigningIn } from './signing-in.ts';
import { theSite } from './the-site.ts';

let people: SigningIn;
let asha: SignedIn;
let bina: SignedIn;
/** The page of the list. */
let page = '';
/** The newest invitation. */
let link = '';

const main = async (who: SignedIn, path: string): Promise<string> =>
  (await who.open(path)).$('main').text().replace(/\s+/g, ' ');
const headlines = async (who: SignedIn): Promise<string[]> => {
  const { $ } = await who.open(page);
  return textsOf($, '.entry h3');
};
const invite = async (): Promise<string> => {
  const made = await asha.send(page, '/lists/invite');
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const [, path = ''] = new RegExp(`${people.baseUrl}(/lists/join/[\\w-]{43})`).exec(await made.text()) ?? [];
  return path;
};
const join = (who: SignedIn, name: string) => who.send(link, '/lists/join', { name });

describe('team lists', () => {
  // After the tests of the other files, which count stories.
  beforeAll(async () => {
    people = await theSite();
    const of = (headline: string) => ({ understanding: understanding({ headline }) });
    await people.site.append(detected('team-1', of('Kiri opens in Gaya')), detected('team-2', of('Maya buys a plant')));
    asha = await people.signIn('asha-in-team@clarity.test');
    bina = await people.signIn('bina-in-team@clarity.test');
  });

  it('given ticked stories, when a reader makes a list of them, then it has them under the chosen name, once', async () => {
    const sent = `/send?s=${idOf('team-1')}`;
    expect(await main(people.visitor(), sent)).toContain('Sign in to collect stories with others');
    expect((await people.visitor().browser.get(`${people.baseUrl}/lists`)).headers.get('location')).toContain(
      '/sign-in',
    );
    expect(await main(asha, '/lists')).toContain('You are in no team list yet');
    expect((await asha.open('/my-brands')).status).toBe(200);

    const wrong = await asha.send(sent, '/lists', { title: 'Malls', name: 'asha@clarity.test' });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining(`value="${idOf('team-1')}"`)]);
    const { $ } = await asha.open(sent);
    const fields = fieldsOf($, 'form[action="/lists"]');
    const send = () => asha.browser.post(`${people.baseUrl}/lists`, { ...fields, title: 'Malls <b>', name: 'Asha' });
    page = (await send()).headers.get('location') ?? '';
    expect(page).toMatch(/^\/lists\/tml_[0-9a-f]{16}$/);
    expect((await send()).headers.get('location')).toBe(page);
    expect(await headlines(asha)).toEqual(['Kiri opens in Gaya']);
    expect(await main(asha, page)).toMatch(/Malls <b>.*1 story, 1 member.*Added by Asha, .*Asha you, manages the list/);
    expect(await main(asha, '/lists')).toContain('Malls <b> 1 story, 1 member');
    expect(await main(asha, '/my-brands')).toContain('Team listsMalls <b> 1');
  });

  it('given an invitation, then who opens it joins under another name, and no page has a mail address of others', async () => {
    expect((await bina.open(page)).status).toBe(404);
    link = await invite();
    const visitor = await people.visitor().browser.get(`${people.baseUrl}${link}`);
    expect(visitor.headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(link)}`);
    expect(await main(bina, link)).toContain('From Asha; 1 member');
    const taken = await join(bina, 'asha');
    expect([taken.status, await taken.text()]).toEqual([400, expect.stringContaining('Choose another name')]);
    expect((await join(bina, 'Bina R.')).headers.get('location')).toBe(page);
    expect((await bina.open(link)).headers.get('location')).toBe(page);
    for (const who of [asha, bina]) expect(await main(who, page)).toMatch(/2 members.*MembersAsha.*Bina R\./);
    expect((await bina.open(page)).$('html').text()).not.toContain('asha-in-team@');
    expect((await bina.open(page)).$('#invitation, form[action="/lists/people/remove"]')).toHaveLength(0);
    expect((await bina.open(page)).$('[value^="acc_"]')).toHaveLength(0);
  });

  it('given a member, then stories are added and removed, each with the name of who added it; strangers change nothing', async () => {
    const chitra = await people.signIn('chitra-in-team@clarity.test');
    const added = await bina.send(`/send?s=${idOf('team-2')},${idOf('team-1')}`, '/lists/add');
    expect(added.headers.get('location')).toBe(page);
    expect((await headlines(asha)).toSorted()).toEqual(['Kiri opens in Gaya', 'Maya buys a plant']);
    expect(await main(asha, page)).toContain('Added by Bina R.');
    const token = await chitra.formToken();
    const id = page.split('/').at(-1) ?? '';
    const others: readonly [string, Record<string, string>][] = [
      ['add', { s: idOf('team-2') }],
      ['remove', { story: idOf('team-1') }],
      ['leave', {}],
    ];
    for (const [path, fields] of others) {
      const sent = { form_token: token, id, ...fields };
      expect((await chitra.browser.post(`${people.baseUrl}/lists/${path}`, sent)).status).toBe(404);
    }
    const bad = await bina.send(page, '/lists/remove', { story: 'sig_x' });
    expect(bad.status).toBe(400);
    expect((await bina.send(page, '/lists/remove', { story: idOf('team-1') })).status).toBe(303);
    expect(await headlines(asha)).toEqual(['Maya buys a plant']);
  });

  it('given an invitation that was renewed or revoked, then it leads nowhere; it is stored nowhere in the clear', async () => {
    const before = link;
    link = await invite();
    expect((await people.signIn('dev-in-team@clarity.test').then((dev) => dev.open(before))).status).toBe(404);
    const { rows } = await people.site.engine.database.query<{ all: string }>(
      `SELECT string_agg(body::text, ' ') AS all FROM log.event UNION ALL SELECT string_agg(l::text, ' ') FROM read.team_lists l`,
    );
    const token = link.split('/').at(-1) ?? '';
    expect(rows.some(({ all }) => all?.includes(token))).toBe(false);
    expect((await asha.send(page, '/lists/invite/revoke')).status).toBe(303);
    const dev = await people.signIn('dev-in-team@clarity.test');
    for (const path of [link, '/lists/join/x']) expect((await dev.open(path)).status).toBe(404);
  });

  it('given the maker removes a member, then the list is gone for them, with the link; what they added stays under their name', async () => {
    link = await invite();
    expect((await asha.send(page, '/lists/people/remove')).status).toBe(303);
    expect((await bina.open(page)).status).toBe(404);
    expect((await bina.open(link)).status).toBe(404);
    expect(await main(asha, page)).toMatch(/1 story, 1 member.*Added by Bina R.,/);
    link = await invite();
    expect((await join(bina, 'Bina')).status).toBe(303);
  });

  it('given the maker leaves, then the next member manages the list, which ends with its last member', async () => {
    expect((await asha.send(page, '/lists/leave')).headers.get('location')).toBe('/lists');
    expect((await asha.open(page)).status).toBe(404);
    expect(await main(bina, page)).toContain('Bina you, manages the list');
    expect((await bina.send(page, '/lists/leave')).headers.get('location')).toBe('/lists');
    expect(await main(bina, '/lists')).toContain('You are in no team list yet');
  });
});
