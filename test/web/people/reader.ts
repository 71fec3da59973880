/** The actions of readers and operators: keys, follows, the brands of a reader, the mailed brief, decisions. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRoster } from '../../../ingest/roster/roster.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { proposalId, proposalStream } from '../../../schemas/source.ts';
import { fieldsOf } from '../../harness/elements.ts';
import type { Outlets } from '../../harness/outlets.ts';
import { storedEvent } from '../../projector/given-when-then.ts';
import { detected, idOf, report, reported, understanding } from '../../projector/signal-events.ts';
import { OPERATOR, type SignedIn, type SigningIn } from './signing-in.ts';
import { dateCallsToday, theOutlets, theSite } from './the-site.ts';

let people: SigningIn;
let outlets: Outlets;
let asha: SignedIn;
let olga: SignedIn;
beforeAll(async () => {
  people = await theSite();
  outlets = await theOutlets();
  outlets.publish('paper', { guid: 'one', title: 'Kiri Foods opens', summary: 'One', published: new Date() });
  await people.site.append(detected('kiri'), detected('held', { status: 'held', status_reason: 'no date' }));
  asha = await people.signIn('asha@clarity.test');
  olga = await people.signIn(OPERATOR);
});

const text = async (who: SignedIn, path: string): Promise<string> =>
  (await who.open(path)).$('main').text().replace(/\s+/g, ' ');

describe('keys', () => {
  it('given an approved application, when a key is issued, then it is shown once, works, is counted, and is refused after revocation', async () => {
    const use = 'A dashboard <b>of openings</b> for our team';
    expect((await asha.send('/keys', '/keys/apply', { use })).status).toBe(303);
    expect(await text(asha, '/keys')).toContain('is being reviewed');
    await expect(asha.send('/keys', '/keys/make')).rejects.toThrow('no form');

    expect(await text(olga, '/operate')).toContain('1 applications for keys');
    expect(await text(olga, '/operate/applications')).toContain(use);
    expect((await olga.send('/operate/applications', '/operate/applications/approve')).status).toBe(303);
    expect(await text(olga, '/operate/applications')).toContain('No open applications');

    const made = await asha.send('/keys', '/keys/make', { name: 'Dashboard' });
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const key = /ck_live_[0-9A-Za-z]{32}/.exec(await made.text())?.[0] ?? '';
    expect(await text(asha, '/keys')).not.toContain(key);
    expect(await text(asha, '/keys')).toContain(`…${key.slice(-4)}`);

    const call = () => fetch(`${people.baseUrl}/api/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    expect((await call()).status).toBe(200);
    await dateCallsToday();
    const { $ } = await asha.open('/keys');
    expect($('main').text()).toContain('1 of 100 calls of the day are used');
    expect($('.usage tbody tr').first().find('td').first().text()).toBe('1');
    expect($('table').first().find('tbody td').eq(1).text()).toMatch(/^1last \d+ \w+ 2026, \d\d:\d\d IST$/);

    expect((await asha.send('/keys', '/keys/revoke')).status).toBe(303);
    expect(await text(asha, '/keys')).toContain('revoked');
    await expect.poll(async () => (await call()).status).toBe(401);
  });

  it('given an account with calls, then an operator finds it, changes its plan to Pro, and revokes its key', async () => {
    await asha.send('/keys', '/keys/make', { name: 'Leaked' });
    await dateCallsToday();
    const { $ } = await olga.open('/operate/accounts?q=ASHA@');
    const shown = $('.case').text().replace(/\s+/g, ' ');
    expect([$('.case').length, shown]).toEqual([1, expect.stringContaining('asha@clarity.test')]);
    // One call, and those that were accepted before the cached key expired.
    expect(shown).toMatch(
      /\b([1-9]\d?) calls? in 30 days, \1 of them today; 0 questions.*Dashboard….{4} · key_[0-9a-f]{16} read\1last/,
    );
    expect(await text(olga, '/operate/accounts?q=nobody')).toContain('No accounts found');

    expect((await olga.send('/operate/accounts?q=asha', '/operate/accounts/plan')).status).toBe(303);
    expect(await text(asha, '/keys')).toContain('plan Pro');
    expect((await olga.send('/operate/accounts?q=asha', '/operate/accounts/revoke')).status).toBe(303);
    expect((await asha.open('/keys')).$('form[action="/keys/revoke"]')).toHaveLength(0);
    const nobody = { account: 'acc_0000000000000000' };
    expect((await olga.send('/operate/accounts?q=asha', '/operate/accounts/plan', nobody)).status).toBe(400);
    expect((await olga.send('/operate/accounts?q=asha', '/operate/accounts/plan')).status).toBe(303);
    expect(await text(asha, '/keys')).toContain('plan Free');
  });

  it('given the same form sent twice, then one key is issued', async () => {
    const { $ } = await asha.open('/keys');
    const fields = fieldsOf($, 'form[action="/keys/make"]');
    const send = () => asha.browser.post(`${people.baseUrl}/keys/make`, { ...fields, name: 'Twice' });
    expect([(await send()).status, (await send()).status]).toEqual([200, 303]);
    const keys = await text(asha, '/keys');
    expect(keys.split('Twice')).toHaveLength(2);
  });

  it('given a rejected application, then its applicant reads the reason and may apply again', async () => {
    const bina = await people.signIn('bina@clarity.test');
    await bina.send('/keys', '/keys/apply', { use: 'Nothing in particular' });
    await olga.send('/operate/applications', '/operate/applications/reject', { why: 'Please say what for.' });
    expect(await text(bina, '/keys')).toContain('Please say what for.');
    expect((await bina.send('/keys', '/keys/apply', { use: 'A weekly chart of openings' })).status).toBe(303);
  });
});

describe('follows and my brands', () => {
  it('given a followed brand, when a signal on it is published, then it is unread until the reader marks it', async () => {
    expect(await text(asha, '/my-brands')).toContain('You follow nothing yet');
    const form_token = await asha.formToken();
    const sent = { form_token, type: 'brand', slug: 'kiri-foods', back: '/my-brands' };
    expect((await asha.browser.post(`${people.baseUrl}/follow`, sent)).headers.get('location')).toBe('/my-brands');
    const before = await asha.open('/my-brands');
    expect(before.$('.chips').text()).toContain('Kiri Foods');
    // What was reported in the 14 days before is there, as read.
    expect([before.$('.entry h3').text(), before.$('.entry.new').length]).toEqual(['Kiri Foods opens 40 stores', 0]);

    await people.site.append(
      detected('new', {
        published_at: '2026-11-21T04:45:00Z',
        understanding: understanding({ headline: 'Kiri Foods comes to Nagpur' }),
      }),
    );
    const unread = await asha.open('/my-brands');
    expect(unread.$('h1').text()).toBe('My brands: 1 story today');
    expect(unread.$('.entry.new h3').text()).toBe('Kiri Foods comes to Nagpur');
    expect(unread.$('.entry').length).toBe(2);
    expect((await asha.open('/my-brands?of=kiri-foods')).$('.chip[aria-current]').text()).toBe('Kiri Foods 1');
    expect((await asha.send('/my-brands', '/my-brands/read')).status).toBe(303);
    expect((await asha.open('/my-brands')).$('.entry.new').length).toBe(0);
    expect((await asha.open('/my-brands?show=unread')).$('.entry')).toHaveLength(0);

    expect((await asha.send('/my-brands?of=kiri-foods', '/unfollow')).status).toBe(303);
    expect(await text(asha, '/my-brands')).toContain('You follow nothing yet');
    expect((await asha.open('/inbox')).headers.get('location')).toBe(`${people.baseUrl}/my-brands`);
  });

  it('given names that a visitor types on the first page, then they are followed after the sign-in, and the others are named', async () => {
    const bela = people.visitor();
    expect((await bela.open('/')).$('.pitch').text()).toContain('Every move in Indian retail');
    const sent = await bela.browser.post(`${people.baseUrl}/my-brands/add`, { names: 'kiri FOODS, Nobody & Sons' });
    expect(sent.headers.get('location')).toBe('/sign-in?to=%2Fmy-brands');
    await people.signIn('bela@clarity.test', bela);
    const first = await bela.browser.get(`${people.baseUrl}/my-brands`);
    expect([first.status, first.headers.get('location')]).toEqual([303, '/my-brands?left=Nobody+%26+Sons']);
    const { $ } = await bela.open('/my-brands?left=Nobody+%26+Sons');
    expect($('.wrong').text()).toContain('No brand has the name Nobody & Sons.');
    expect($('.chips').text()).toContain('Kiri Foods');
    // Whoever is signed in sees no line for visitors, and starts with their brands.
    const home = await bela.open('/');
    expect([home.$('.pitch').length, home.$('.sections a').first().text(), home.$('.nameplate').attr('href')]).toEqual([
      0,
      'My brands',
      '/my-brands',
    ]);
    expect((await bela.send('/my-brands?of=kiri-foods', '/unfollow')).status).toBe(303);
  });

  it('given a target that does not exist, then it is not followed', async () => {
    const form_token = await asha.formToken();
    const follow = async (type: string, slug: string) =>
      (await asha.browser.post(`${people.baseUrl}/follow`, { form_token, type, slug })).status;
    expect(await follow('brand', 'nobody')).toBe(404);
    expect(await follow('planet', 'kiri-foods')).toBe(400);
    expect(await follow('brand', '../x')).toBe(400);
  });
});

describe('the morning brief by mail', () => {
  it('given a subscription, when the link of a mail is opened, then nothing changes; when the mail program posts to it, then the subscription ends', async () => {
    expect((await asha.send('/brief/mail', '/brief/mail', { scope: 'followed' })).status).toBe(303);
    const { rows } = await people.site.engine.database.query<{ token: string }>(
      'SELECT token FROM read.brief_subscribers',
    );
    const path = `/unsubscribe/${rows[0]?.token}`;
    const looked = await fetch(`${people.baseUrl}${path}`);
    expect([looked.status, await looked.text()]).toEqual([
      200,
      expect.stringContaining('Unsubscribe from the morning brief?'),
    ]);
    expect(await text(asha, '/brief/mail')).toContain('The brief is sent at 07:30 IST to asha@clarity.test');

    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    for (const body of [form, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })]) {
      const ended = await fetch(`${people.baseUrl}${path}`, { method: 'POST', body, redirect: 'error' });
      expect([ended.status, await ended.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')]);
    }
    expect(await text(asha, '/brief/mail')).toContain('The brief will be sent');

    // Links of old mails also end a subscription that was started again.
    await asha.send('/brief/mail', '/brief/mail', { scope: 'everything' });
    await asha.send(path, path).catch(() => undefined);
    expect((await fetch(`${people.baseUrl}${path}`, { method: 'POST', body: form })).status).toBe(200);
    expect(await text(asha, '/brief/mail')).toContain('The brief will be sent');
    expect((await fetch(`${people.baseUrl}/unsubscribe/${'x'.repeat(43)}`, { method: 'POST' })).status).toBe(404);
  });
});

describe('operating', () => {
  const pages = ['', '/applications', '/accounts', '/proposals', '/sources', '/add-source', '/review'].concat([
    '/signals',
    '/catalogue',
    '/parked',
  ]);

  it('given an operator, then every page of operators is shown', async () => {
    for (const page of pages) expect((await olga.open(`/operate${page}`)).status).toBe(200);
    expect(await text(olga, '/operate/catalogue/candidates')).toContain('Kiri Foods');
  });

  it('when a held signal is released, then its page is public; when two are merged, then one redirects to the other', async () => {
    expect((await asha.open('/signal/slug-held')).status).toBe(404);
    expect((await olga.send('/operate/signals', '/operate/signals/release', { why: '' })).status).toBe(400);
    expect((await olga.send('/operate/signals', '/operate/signals/release', { why: 'dated by hand' })).status).toBe(
      303,
    );
    expect((await asha.open('/signal/slug-held')).status).toBe(200);
    const merge = { signal: idOf('held'), into: idOf('kiri'), why: 'one event' };
    expect((await olga.send('/operate/signals', '/operate/signals/merge', merge)).status).toBe(303);
    expect((await asha.open('/signal/slug-held')).headers.get('location')).toBe(`${people.baseUrl}/signal/slug-kiri`);
    const again = await olga.send('/operate/signals', '/operate/signals/merge', merge);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('merged')]);
  });

  it('given a signal in doubt, then the review desk has its words, its fields with reasons, and a form for every verdict', async () => {
    const certainty = { relevance: 0.51, move: 0.6, agreed: false };
    await people.site.append(
      detected('doubt', { report: report('doubt', { certainty, summary: 'Kiri opened <i>in</i> Gaya.' }) }),
      reported('doubt', report('gazette', { outlet: 'Gazette', title: 'Kiri in Surat' })),
    );
    const { $ } = await olga.open('/operate/review');
    const shown = $(`#${idOf('doubt')}`)
      .text()
      .replace(/\s+/g, ' ');
    for (const part of ['doubt 79 %, 2 outlets, 0 followers', 'Title of doubt', 'Kiri opened <i>in</i> Gaya.'])
      expect(shown).toContain(part);
    expect(shown).toContain('PuneWhyplace, headline: Pune');
    const desk = '/operate/review';
    const one = `${desk}?signal=${idOf('doubt')}`;
    expect(await text(olga, one)).toContain('asked for');

    expect((await olga.send(one, `${desk}/correct`, { cities: 'Gaya', openings: '', why: '' })).status).toBe(400);
    expect((await olga.send(one, `${desk}/correct`, { openings: 'begun | Kiri', why: 'x' })).status).toBe(400);
    const why = 'the report says Gaya';
    const corrected = await olga.send(one, `${desk}/correct`, { cities: 'Gaya', why });
    expect([corrected.status, corrected.headers.get('location')]).toEqual([303, desk]);
    const page = await text(asha, '/signal/slug-doubt');
    expect(page).toMatch(/CitiesGaya /);
    expect(page).toContain('Cities: the report says Gaya');
    expect(await text(asha, '/corrections')).toContain('Corrected the cities: we had Pune; right is Gaya.');
    expect(await text(asha, '/corrections')).not.toContain('olga');
    expect(await text(olga, desk)).not.toContain('Title of doubt');

    expect((await olga.send(one, `${desk}/split`, { report: '2', why: 'Surat' })).status).toBe(303);
    expect((await asha.open('/signal/another-event')).$('h1').text()).toBe('Another event');
    expect((await olga.send(`${desk}?signal=another-event`, `${desk}/confirm`)).status).toBe(303);
    expect((await olga.send(`${desk}?signal=another-event`, `${desk}/retract`, { why: 'an opinion' })).status).toBe(
      303,
    );
    expect((await asha.open('/signal/another-event')).status).toBe(404);
    expect(await text(asha, '/corrections')).toContain('Retracted: the report is about no move.');
    expect((await olga.open(`${desk}?signal=nothing`)).status).toBe(400);
  });

  it('given a proposal, when it is accepted, then its source is polled and added to the roster', async () => {
    const { engine } = people.site;
    const propose = async (url: string): Promise<void> => {
      const proposal_id = proposalId(url);
      const said = { outlet: 'The <i>Paper</i>', reason: 'good', email: null };
      await engine.add(proposalStream(proposal_id), storedEvent('ProposalSubmitted', { proposal_id, url, ...said }));
    };
    await propose(`${outlets.url}/paper`);
    expect(await text(olga, '/operate/proposals')).toContain('The <i>Paper</i>');
    expect((await olga.send('/operate/proposals', '/operate/proposals/accept', { outlet: 'The Paper' })).status).toBe(
      303,
    );
    expect([...(await loadRoster(engine.store)).roster.values()].map(({ source }) => source)).toMatchObject([
      { outlet: 'The Paper', url: `${outlets.url}/paper` },
    ]);

    await propose(`${outlets.url}/nothing`);
    const accepted = await olga.send('/operate/proposals', '/operate/proposals/accept');
    expect([accepted.status, await accepted.text()]).toEqual([400, expect.stringContaining('404')]);
    expect((await olga.send('/operate/proposals', '/operate/proposals/reject', { why: 'a dead link' })).status).toBe(
      303,
    );
    expect(await text(olga, '/operate/proposals')).toContain('No open proposals');
  });

  it('given a parked event of a topic, when it is retried, then the result is shown; when it is dropped, then who did so and why', async () => {
    const { database } = people.site.engine;
    await database.query(
      `INSERT INTO projector.parked (model, event_id, type, input, event, error, build)
       VALUES ('signals', 'event-1', 'SignalDetected', 'polls/3', '{"a": "<script>"}', 'it does not fit', NULL)`,
    );
    const { $ } = await olga.open('/operate/parked');
    expect($('main').text()).toContain('it does not fit');
    expect($('main script')).toHaveLength(0);
    expect((await olga.send('/operate/parked', '/operate/parked/retry')).status).toBe(400);
    expect(await text(olga, '/operate/parked')).toMatch(/Retry failed at .*: No read model signals is live/);
    expect((await olga.send('/operate/parked', '/operate/parked/drop', { why: 'a test' })).status).toBe(303);
    expect(await text(olga, '/operate/parked')).toContain(`Dropped by ${OPERATOR}: a test`);
    expect(await text(olga, '/operate/parked')).toContain('No dead letters');
  });

  it('given a message that a consumer could not handle, then its cause is shown, a retry is requested, and it is dropped with a reason', async () => {
    const { database } = people.site.engine;
    await postgresDeadLetters(database).add('understand', 'items', {
      message_id: 'item-1',
      partition: 0,
      message_offset: 7n,
      key: 'one',
      type: 'ItemFound',
      kind: 'defect',
      error: 'TypeError: <b>no title</b>',
      attempts: 8,
      body: '{"title":null}',
    });
    const shown = await text(olga, '/operate/parked');
    expect(shown).toContain('ItemFound, in understand');
    expect(shown).toContain('TypeError: <b>no title</b>');
    expect((await olga.send('/operate/parked', '/operate/parked/retry')).status).toBe(303);
    expect(await text(olga, '/operate/parked')).toContain('A retry was requested at');
    expect((await olga.send('/operate/parked', '/operate/parked/drop', { why: 'made up' })).status).toBe(303);
    expect(await text(olga, '/operate/parked')).toContain(`Dropped by ${OPERATOR}: made up`);
  });
});
