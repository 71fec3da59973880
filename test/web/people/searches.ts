/** Saved searches on the pages, and their feeds. */
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../../access/account.ts';
import { changeSearches } from '../../../access/subscriptions.ts';
import { waitForOwnWrite } from '../../../projector/model-progress.ts';
import { textsOf } from '../../harness/elements.ts';
import { detected, report, understanding } from '../../projector/signal-events.ts';
import type { SignedIn, SigningIn } from './signing-in.ts';
import { theSite } from './the-site.ts';

let people: SigningIn;
let asha: SignedIn;
/** The page of the saved search. */
let page = '';
beforeAll(async () => {
  people = await theSite();
  asha = await people.signIn('searcher@clarity.test');
});

const FILTER = '/searches/new?kind=deals&city=Surat&days=30';
const deal = (name: string, city: string, published_at: string) =>
  detected(name, {
    published_at,
    understanding: understanding({ move: 'deals', headline: `Deal ${name} in ${city}`, cities: [city] }),
  });
const listed = async (): Promise<string> => (await asha.open('/searches')).$('.searches').text().replace(/\s+/g, ' ');

describe('saved searches', () => {
  it('given a filter, when a reader saves it, then new signals that fit are unread until they are marked as read', async () => {
    for (const path of ['/searches', '/searches/sch_0000000000000000'])
      expect((await people.visitor().browser.get(`${people.baseUrl}${path}`)).headers.get('location')).toContain(
        '/sign-in',
      );
    expect((await asha.open('/searches')).$('main').text()).toContain('You have saved no search yet');
    const visitor = await people.visitor().browser.get(`${people.baseUrl}${FILTER}`);
    expect(visitor.headers.get('location')).toContain('/sign-in');
    expect((await asha.open('/?kind=deals&days=30')).$('a[href="/searches/new?kind=deals&days=30"]').length).toBe(1);

    const saved = await asha.send(FILTER, '/searches', { name: 'Surat <b>deals</b>' });
    page = saved.headers.get('location') ?? '';
    expect([saved.status, page]).toEqual([303, expect.stringMatching(/^\/searches\/sch_[0-9a-f]{16}$/)]);
    expect(await listed()).toMatch(/Surat <b>deals<\/b> nothing unread Kind of move: Deals, City: Surat, Last 30 days/);

    const soon = new Date(people.site.engine.clock().getTime() + 1_000).toISOString();
    await people.site.append(deal('s1', 'Surat', soon), deal('s2', 'Surat', soon), deal('p1', 'Pune', soon));
    expect(await listed()).toContain('2 unread');
    expect((await asha.open('/my-brands')).$('.rail').text().replace(/\s+/g, ' ')).toContain(
      'Surat <b>deals</b> 2 new',
    );
  });

  it('given a search of my brands, then it finds what is followed at that moment, also in its feed', async () => {
    const bina = await people.signIn('bina-searches@clarity.test');
    const follow = (slug: string) => bina.send(`/brand/${slug}`, '/follow');
    expect((await follow('kiri-foods')).status).toBe(303);
    expect((await bina.open('/my-brands')).$('a[href="/searches/new?brand=my-brands"]')).toHaveLength(1);
    const saved = await bina.send('/searches/new?brand=my-brands', '/searches', { name: 'Mine' });
    const address = saved.headers.get('location') ?? '';
    const found = async () => (await bina.open(address)).$('.stories .entry').length;
    const count = await found();
    expect(count).toBeGreaterThan(0);
    expect((await bina.send('/brand/kiri-foods', '/unfollow')).status).toBe(303);
    expect(await found()).toBe(0);
    await follow('kiri-foods');
    // The brief leads with the same brands.
    const brief = (await bina.open('/brief')).$;
    expect(brief('section.part h2').first().text()).toBe('Your brands');
    expect(brief('section.part .entry b').first().text()).toBe('Kiri Foods');
    const made = await bina.send(address, '/searches/feed');
    const feed = /\/saved\/[A-Za-z0-9_-]{43}\/feed\.json/.exec(await made.text())?.[0] ?? '';
    const { items } = (await (await fetch(`${people.baseUrl}${feed}`)).json()) as { items: unknown[] };
    expect(items.length).toBe(count);
    await bina.send(address, '/searches/remove');
  });

  it('given its page, then unread entries come first, and it is renamed and marked as read there', async () => {
    const { $ } = await asha.open(page);
    expect($('h1').text()).toBe('Surat <b>deals</b>');
    expect($('.stories h2').first().text()).toBe('Unread');
    expect($('.stories .entry').length).toBe(2);
    expect((await asha.send(page, '/searches/name', { name: 'Surat' })).headers.get('location')).toBe(page);
    expect((await asha.send(page, '/searches/read')).headers.get('location')).toBe(page);
    const after = await asha.open(page);
    // The clock of the pages is before what was published.
    expect([after.$('h1').text(), after.$('.stories .entry').length]).toEqual(['Surat', 2]);
    const other = await people.signIn('other-searcher@clarity.test');
    expect((await other.open(page)).status).toBe(404);
  });

  it('given a story whose report is older than its publication, then the page is by the date of the report', async () => {
    const now = people.site.engine.clock().getTime();
    const at = (days: number) => new Date(now - days * 86_400_000).toISOString();
    const story = (name: string, published_at: string, reported: string) => ({
      published_at,
      understanding: understanding({ move: 'deals', headline: `Deal ${name} in Rewari`, cities: ['Rewari'] }),
      report: report(name, { published_at: reported }),
    });
    await people.site.append(
      detected('fresh', story('fresh', at(2), at(2.1))),
      detected('late', story('late', at(1), at(6))),
    );
    const saved = await asha.send('/searches/new?city=Rewari', '/searches', { name: 'Rewari' });
    const address = saved.headers.get('location') ?? '';
    const { $ } = await asha.open(address);
    expect(textsOf($, '.stories .entry h3')).toEqual(['Deal fresh in Rewari', 'Deal late in Rewari']);
    await asha.send(address, '/searches/remove');
  });

  it('given mails, then they go to the verified address, a link ends them at once without sign-in, and they can be chosen again', async () => {
    const mails = async () => (await asha.open(page)).$('#mails').text().replace(/\s+/g, ' ');
    expect(await mails()).toContain('This service sends no mail yet');
    const chosen = await asha.send(page, '/searches/digest', { every: 'weekly' });
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, page]);
    expect(await mails()).toContain('Mailed to searcher@clarity.test: on Mondays at 07:00 IST');
    expect((await asha.open('/searches')).$('select option[selected]').attr('value')).toBe('weekly');

    const { database } = people.site.engine;
    const { rows } = await database.query<{ token: string }>('SELECT digest_token AS token FROM read.saved_searches');
    const link = `${people.baseUrl}/unsubscribe/${rows[0]?.token}`;
    expect(await (await fetch(link)).text()).toMatch(/<button>Unsubscribe<\/button>/);
    expect(await mails()).toContain('Mailed to');
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const ended = await fetch(link, { method: 'POST', body });
    expect([ended.status, await ended.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')]);
    expect(await mails()).not.toContain('Mailed to');
    expect((await fetch(link, { method: 'POST', body })).status).toBe(200);
    expect((await fetch(`${people.baseUrl}/unsubscribe/${'x'.repeat(43)}`, { method: 'POST', body })).status).toBe(404);

    await asha.send('/searches', '/searches/digest', { every: 'daily' });
    expect(await mails()).toContain('every day at 07:00 IST');
    await asha.send(page, '/searches/digest', { every: 'none' });
    expect(await mails()).not.toContain('Mailed to');
    const bad = await asha.send(page, '/searches/digest', { every: 'hourly' });
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('at_once, daily, weekly')]);
  });

  it('given an address that refuses mails, then its page says that they are paused, and choosing them again resumes', async () => {
    await asha.send(page, '/searches/digest', { every: 'daily' });
    const { engine } = people.site;
    const command = { do: 'end_digest', id: page.split('/').at(-1) ?? '', by: 'undeliverable' } as const;
    const { id: account } = accountOfEmail('searcher@clarity.test');
    const { position } = await changeSearches({ store: engine.store, account, now: engine.clock() }, command);
    await waitForOwnWrite(engine.database, ['saved_searches'], position);
    for (const path of [page, '/searches'])
      expect((await asha.open(path)).$('.wrong').text()).toMatch(/Mails are paused: .* refuses searcher@clarity.test/);
    await asha.send(page, '/searches/digest', { every: 'daily' });
    expect((await asha.open(page)).$('#mails').text()).toContain('Mailed to');
  });

  it('given its feed, then every format has what fits and nothing else, until it is revoked', async () => {
    const made = await asha.send('/searches', '/searches/feed');
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const token = /\/saved\/([A-Za-z0-9_-]{43})\/feed\.atom/.exec(await made.text())?.[1] ?? '';
    expect(token).toHaveLength(43);
    const get = (ending: string, given = token) => fetch(`${people.baseUrl}/saved/${given}/feed.${ending}`);

    const lines = (await (await get('csv')).text()).trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => /Deal \w+ in \w+/.exec(line)?.[0]).toSorted()).toEqual([
      'Deal s1 in Surat',
      'Deal s2 in Surat',
    ]);
    const json = await (await get('json')).json();
    expect(json).toMatchObject({ title: expect.stringContaining('Surat'), items: [{}, {}] });
    const atom = await get('atom');
    expect([atom.status, atom.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect((await atom.text()).match(/<entry>/g)).toHaveLength(2);

    // The token is shown once, and stored nowhere.
    const { rows: stored } = await people.site.engine.database.query<{ all: string }>(
      `SELECT string_agg(body::text, ' ') AS all FROM log.event UNION ALL SELECT string_agg(s::text, ' ') FROM read.saved_searches s`,
    );
    expect(stored.some(({ all }) => all?.includes(token))).toBe(false);
    expect((await get('atom', `${token.slice(0, -1)}_`)).status).toBe(404);

    expect((await asha.send('/searches', '/searches/feed/revoke')).status).toBe(303);
    expect(await Promise.all(['atom', 'json', 'csv'].map(async (ending) => (await get(ending)).status))).toEqual([
      404, 404, 404,
    ]);
    expect((await asha.send('/searches', '/searches/remove')).status).toBe(303);
    expect((await asha.open('/searches')).$('.searches').text()).toBe('');
  });

  it('given the page of a city, then one click saves it as a search under a proper name, and the page leads to it', async () => {
    const visitor = await people.visitor().open('/city/surat');
    expect(visitor.$('header a.button').attr('href')).toContain('/sign-in?to=%2Fsearches%2Fnew%3Fcity%3DSurat');
    const saved = (await asha.send('/city/surat', '/searches')).headers.get('location') ?? '';
    expect((await asha.open(saved)).$('h1').text()).toBe('Moves in Surat');
    expect((await asha.open('/city/surat')).$('header a.button').attr('href')).toBe(saved);
    await asha.send(saved, '/searches/remove');
    expect((await asha.open('/city/surat')).$('header form[action="/searches"]').length).toBe(1);
  });

  it('given no filter, then there is nothing to save', async () => {
    const answer = await asha.browser.get(`${people.baseUrl}/searches/new`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('No filter is set')]);
  });
});
