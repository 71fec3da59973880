/** The desk of sources: why a source has its state, its last polls, and every command. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRoster } from '../../../ingest/roster/roster.ts';
import { answerPollRequest, waitingPollRequests } from '../../../log/postgres/poll-requests.ts';
import { POLLS } from '../../../schemas/poll.ts';
import { sourceStream } from '../../../schemas/source.ts';
import { textsOf } from '../../harness/elements.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import type { Outlets } from '../../harness/outlets.ts';
import { detected, report } from '../../projector/signal-events.ts';
import { poll, polled, source } from '../../projector/source-events.ts';
import { OPERATOR, type SignedIn, type SigningIn, signingIn } from './signing-in.ts';
import { theOutlets, theSite } from './the-site.ts';

const DESK = '/operate/sources';
let people: SigningIn;
let outlets: Outlets;
let olga: SignedIn;

const text = async (path: string): Promise<string> => (await olga.open(path)).$('main').text().replace(/\s+/g, ' ');

describe('the desk of sources', () => {
  beforeAll(async () => {
    [people, outlets] = await Promise.all([theSite(), theOutlets()]);
    olga = await people.signIn(OPERATOR);
    const { engine } = people.site;
    await people.site.enrol(
      source({ id: sourceId('good-paper'), outlet: 'Good Paper', url: 'https://good.test/feed' }),
      source({ id: sourceId('shaky'), outlet: 'Shaky <i>News</i>', url: 'https://shaky.test/feed' }),
    );
    const now = engine.clock().getTime();
    const hourOf = (minutes: number): number => (now - minutes * 60_000 - Date.UTC(2026, 10, 20)) / 3_600_000;
    const error = { code: 'timeout', message: 'no answer in 20 s' };
    const failed = { outcome: 'failed', http_status: null, error, bytes: 0 } as const;
    const add = (id: string, changes: object, minutes: number) =>
      engine.topics
        .topic(POLLS)
        .publish([{ key: id, event: polled({ source_id: sourceId(id), ...changes }, hourOf(minutes)) }]);
    for (let at = 60; at > 0; at--)
      await add('shaky', [1, 4, 9].includes(at) ? failed : { items_new: 1, outcome: 'changed', bytes: 1_234 }, at);
    await add('good-paper', { items_new: 4, outcome: 'changed' }, 30);
    const seen = new Date(now - 3_600_000).toISOString();
    await people.site.append(
      detected('desk-one', {
        published_at: seen,
        report: report('desk-one', {
          source_id: sourceId('good-paper'),
          first_seen_at: seen,
          published_at: new Date(now - 2 * 3_600_000).toISOString(),
        }),
      }),
    );
    await eventually(async () => expect((await olga.open(`${DESK}/shaky`)).$('tbody tr').length).toBe(50));
  });

  it('given a source with failures, then its state has a reason in words, and its page the last 50 polls', async () => {
    const { $ } = await olga.open(DESK);
    const row = $('#shaky').text().replace(/\s+/g, ' ');
    expect(row).toContain('degraded 3 of the last 10 polls timed out.');
    expect(row).toContain('Shaky <i>News</i>');
    expect($('#shaky svg').attr('aria-label')).toMatch(/^Items by day, 14 days: (0, ){12}/);
    const page = await olga.open(`${DESK}/shaky`);
    const first = page.$('tbody tr').first().text().replace(/\s+/g, ' ');
    expect(first).toContain('failed timeout: no answer in 20 s');
    expect(page.$('tbody tr').eq(1).text().replace(/\s+/g, ' ')).toMatch(/changed 200 10 1 0 1,234 20/);
  });

  it('given signals and items, then shares and the median delay are those of 14 days', async () => {
    const row = (await olga.open(DESK)).$('#good-paper').text().replace(/\s+/g, ' ');
    expect(row).toMatch(/ 4 25 % 0 % 60 minutes/);
  });

  it('given a state and a text, then only the sources that fit are listed', async () => {
    expect((await olga.open(`${DESK}?health=degraded&q=shaky`)).$('tbody tr').length).toBe(1);
    expect(await text(`${DESK}?health=paused&q=shaky`)).toContain('No sources found');
    expect((await olga.open(`${DESK}/nothing`)).status).toBe(404);
    expect((await olga.open(`${DESK}/No%20id`)).status).toBe(404);
  });

  it('given a poll that is requested, then it waits for the poller, and its result is shown', async () => {
    const { database, clock } = people.site.engine;
    const sent = olga.send(`${DESK}/shaky`, `${DESK}/shaky/poll`);
    await expect.poll(() => waitingPollRequests(database)).toMatchObject([{ source_id: 'shaky' }]);
    const done = {
      ...poll({ source_id: sourceId('shaky'), items_found: 3, items_new: 2 }),
      started_at: clock().toISOString(),
    };
    expect(await text(`${DESK}/shaky`)).toContain('This page reloads until the poller answers');
    await answerPollRequest(database, done, clock());
    expect((await sent).status).toBe(303);
    expect(await text(`${DESK}/shaky`)).toContain('HTTP 200, 3 items, 2 new.');
  });

  it('given an address, then it is repaired with a reason; one of another source or on a private network is refused', async () => {
    const edit = (url: string, why = 'It moved.') => olga.send(`${DESK}/shaky`, `${DESK}/shaky/edit`, { url, why });
    expect((await edit('https://shaky.test/new')).status).toBe(303);
    const stored = (await loadRoster(people.site.engine.store)).roster.get(sourceId('shaky'))?.source;
    expect(stored).toEqual(
      source({ id: sourceId('shaky'), outlet: 'Shaky <i>News</i>', url: 'https://shaky.test/new' }),
    );
    expect(await text(`${DESK}/shaky`)).toContain(`changed by ${OPERATOR}: It moved.`);
    const refused = [
      await edit('https://good.test/feed'),
      await edit('http://169.254.169.254/'),
      await edit('https://a.test/', ''),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await refused[0]?.text()).toContain('already in the roster, as good-paper');
    expect(await refused[1]?.text()).toContain('on a private or internal network');
  });

  it('given pause, resume and retire, then each is an event with its reason', async () => {
    const act = (what: string) => olga.send(`${DESK}/shaky`, `${DESK}/shaky/${what}`, { why: `to ${what}` });
    expect((await act('pause')).status).toBe(303);
    const paused = await text(`${DESK}/shaky`);
    expect(paused).toContain('paused Paused by an operator');
    expect(paused).not.toContain('Poll now');
    expect((await act('resume')).status).toBe(303);
    const retired = await act('retire');
    expect([retired.status, retired.headers.get('location')]).toEqual([303, DESK]);
    expect((await olga.open(`${DESK}/shaky`)).status).toBe(404);
    const events = await people.site.engine.store.read(sourceStream(sourceId('shaky')));
    expect(events.slice(-3).map(({ data }) => (data as { why: string }).why)).toEqual([
      'to pause',
      'to resume',
      'to retire',
    ]);
  });

  it('given an address, then a preview shows what would become of each entry, and adding it makes a source', async () => {
    const guids = ['one', 'two'].map((guid) => ({ guid, title: `Title ${guid}`, summary: 'A summary.' }));
    outlets.publish('other', ...guids.map((item) => ({ ...item, published: people.site.engine.clock() })));
    const preview = `/operate/add-source?${new URLSearchParams({ url: `${outlets.url}/other` })}`;
    const { $ } = await olga.open(preview);
    expect(textsOf($, 'tbody tr')).toEqual([
      expect.stringMatching(/^Title one .* noise not about retail$/),
      expect.stringMatching(/^Title two .* a move stores, Kiri Foods, Pune$/),
    ]);
    const before = [...(await loadRoster(people.site.engine.store)).roster.keys()];
    expect(before).not.toContain('other');
    const added = await olga.send(preview, '/operate/add-source/add', { outlet: 'Other', why: 'asked for' });
    expect([added.status, added.headers.get('location')]).toEqual([303, `${DESK}/other`]);
    expect(await text(`${DESK}/other`)).toContain('Not polled yet');
    expect(await text(preview)).toContain('already in the roster, as other');
    expect(await text(`/operate/add-source?url=${outlets.url}/nothing`)).toContain('HTTP 404');
    expect(await text('/operate/add-source?url=ftp://x')).toContain('it must be an http or https address');
  });

  it('given OPML, then what the roster lacks is added, and it is exported again', async () => {
    const opml =
      '<opml><body><outline text="Good" xmlUrl="https://good.test/feed"/><outline text="New Paper" xmlUrl="https://new.test/feed"/></body></opml>';
    const sent = await olga.send(DESK, `${DESK}/import`, { file: opml, why: 'from my reader' });
    expect(await text(sent.headers.get('location') ?? '')).toContain('1 source added; the roster had 1 already');
    const exported = await olga.browser.get(`${people.baseUrl}${DESK}/roster.opml`);
    expect(exported.headers.get('content-type')).toContain('opml');
    expect(await exported.text()).toContain('xmlUrl="https://new.test/feed"');
    expect((await olga.send(DESK, `${DESK}/import`, { file: 'no', why: 'x' })).status).toBe(400);
    const stranger = await people.signIn('asha@clarity.test');
    expect((await stranger.browser.get(`${people.baseUrl}${DESK}/roster.opml`)).status).toBe(403);
  });

  it('given the demo newsroom, then operators read the command that reads the real sources, and others do not', async () => {
    const shown = 'Read the real sources';
    for (const path of ['/operate', DESK]) expect(await text(path)).not.toContain(shown);
    const demo = await signingIn({ demo: true, models: ['review'] });
    try {
      const { open } = await demo.signIn(OPERATOR);
      for (const path of ['/operate', DESK]) {
        const { $ } = await open(path);
        expect($('#go-live').text()).toContain(shown);
        expect($('#go-live code').text()).toBe('npm start -- --roster india');
      }
    } finally {
      await demo.close();
    }
  });
});

describe('following a source', () => {
  it('given the page of sources, then each has a button, also one that was searched by name, and its signals are under My brands', async () => {
    const asha = await people.signIn('follower@clarity.test');
    const found = await asha.open('/sources?outlet=GOOD');
    expect(found.$('tbody tr').length).toBe(1);
    expect(found.$('form[action="/follow"] input[name="slug"]').attr('value')).toBe('good-paper');
    expect((await asha.send('/sources?outlet=GOOD', '/follow')).headers.get('location')).toBe('/sources?outlet=GOOD');
    expect((await asha.open('/sources?outlet=good')).$('form[action="/unfollow"]').length).toBe(1);
    const soon = new Date(people.site.engine.clock().getTime() + 60_000).toISOString();
    const by = report('followed', { source_id: sourceId('good-paper'), first_seen_at: soon, published_at: soon });
    await people.site.append(detected('followed', { published_at: soon, report: by }));
    const { $ } = await asha.open('/my-brands');
    expect($('.entry.new').length).toBe(1);
    expect($('.followed').text()).toContain('Source');
    expect((await asha.open('/sources?outlet=nowhere')).$('.empty').text()).toContain('No source has this name');
    const visitor = await people.visitor().open('/sources?outlet=good');
    expect(visitor.$('tbody a.button').attr('href')).toBe('/sign-in?to=%2Fsources%3Foutlet%3Dgood');
  });
});
