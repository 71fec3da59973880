/** Saved searches on the pages, and their feeds. */
import { beforeAll, describe, expect, it } from 'vitest';
import { detected, understanding } from '../../projector/signal-events.ts';
import type { SignedIn, SigningIn } from './signing-in.ts';
import { theSite } from './the-site.ts';

let people: SigningIn;
let asha: SignedIn;
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
const inbox = async (): Promise<string> =>
  (await asha.open('/inbox')).$('.followed').first().text().replace(/\s+/g, ' ');

describe('saved searches', () => {
  it('given a filter, when a reader saves it, then new signals that fit are unread until they are marked as read', async () => {
    const visitor = await people.visitor().browser.get(`${people.baseUrl}${FILTER}`);
    expect(visitor.headers.get('location')).toContain('/sign-in');
    expect((await asha.open('/?kind=deals&days=30')).$('a[href="/searches/new?kind=deals&days=30"]').length).toBe(1);

    expect((await asha.send(FILTER, '/searches', { name: 'Surat <b>deals</b>' })).status).toBe(303);
    expect(await inbox()).toMatch(/Surat <b>deals<\/b> nothing unread Kind of move: Deals, City: Surat, Last 30 days/);

    const soon = new Date(people.site.engine.clock().getTime() + 1_000).toISOString();
    await people.site.append(deal('s1', 'Surat', soon), deal('s2', 'Surat', soon), deal('p1', 'Pune', soon));
    expect(await inbox()).toContain('2 unread');
  });

  it('given its feed, then every format has what fits and nothing else, until it is revoked', async () => {
    const made = await asha.send('/inbox', '/searches/feed');
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const page = await made.text();
    const token = /\/saved\/([A-Za-z0-9_-]{43})\/feed\.atom/.exec(page)?.[1] ?? '';
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

    expect((await asha.send('/inbox', '/searches/feed/revoke')).status).toBe(303);
    expect(await Promise.all(['atom', 'json', 'csv'].map(async (ending) => (await get(ending)).status))).toEqual([
      404, 404, 404,
    ]);
    expect((await asha.send('/inbox', '/searches/remove')).status).toBe(303);
    expect((await asha.open('/inbox')).$('.followed').text()).toBe('');
  });

  it('given no filter, then there is nothing to save', async () => {
    const answer = await asha.browser.get(`${people.baseUrl}/searches/new`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('No filter is set')]);
  });
});
