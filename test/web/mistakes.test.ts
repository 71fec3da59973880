/** Readers report mistakes, over real HTTP; operators find the reports on the desk and close them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutcomes, reviewQueue } from '../../projector/models/review-queries.ts';
import { reviewModel } from '../../projector/models/review-read-model.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { type MISTAKES, mistakeStream } from '../../schemas/signal.ts';
import { mailServer } from '../../web/mail/mail-rounds.ts';
import { sendOutcomeRound } from '../../web/mail/outcome-mails.ts';
import { specification, storedEvent } from '../projector/given-when-then.ts';
import { confirmed, detected, idOf, merged, report, understanding } from '../projector/signal-events.ts';
import { SCRIPT } from './full-record.ts';
import { type MailBox, mailBox } from './mail/mail-box.ts';
import { loggerTo } from './mail/subscribed.ts';
import { OPERATOR, type SignedIn, type SigningIn, signingIn } from './people/signing-in.ts';

const mistake = (name: string, what: (typeof MISTAKES)[number], note: string | null = null) =>
  storedEvent('MistakeReported', { mistake_id: 'mis_0123456789abcdef', signal_id: idOf(name), what, note });

describe('open reports', () => {
  const review = specification(reviewModel());
  const [first, second] = [detected('first'), detected('second')];
  const open = (name: string, ...events: Parameters<ReturnType<typeof specification>['given']>[0]) =>
    review
      .given(events.slice(0, -1))
      .when(events.at(-1) as (typeof events)[number])
      .records('review_mistakes', idOf(name))
      .map(({ what }) => what);

  it('given a report, then it is open until an operator decides, and a later one opens it again', () => {
    expect(open('first', first, mistake('first', 'brand'))).toEqual(['brand']);
    expect(open('first', first, mistake('first', 'brand'), confirmed('first'))).toEqual([]);
    expect(open('first', first, mistake('first', 'brand'), confirmed('first'), mistake('first', 'place'))).toEqual([
      'place',
    ]);
  });

  it('given a merge by rules, then the signal that remains has the reports of both; by an operator, its own but of duplicates', () => {
    const given = [
      first,
      second,
      mistake('second', 'duplicate'),
      mistake('first', 'brand'),
      mistake('second', 'figure'),
    ];
    expect(open('second', ...given, merged('first', 'second'))).toEqual(['duplicate', 'brand', 'figure']);
    const byOperator = { ...merged('first', 'second'), data: { ...merged('first', 'second').data, by: 'olga' } };
    expect(open('second', ...given, byOperator)).toEqual(['figure']);
    expect(open('first', ...given, byOperator)).toEqual([]);
  });

  it('given a reader who wants to hear the outcome, then a decision is due to be mailed until it was, also after a merge', () => {
    const ask = storedEvent('MistakeAnswerAsked', {
      mistake_id: 'mis_0123456789abcdef',
      signal_id: idOf('first'),
      what: 'brand',
      email: 'ravi@reader.test',
    });
    const done = storedEvent('MistakeAnswered', {
      mistake_id: 'mis_0123456789abcdef',
      signal_id: idOf('first'),
      decided: idOf('second'),
    });
    const due = (name: string, ...events: Parameters<ReturnType<typeof specification>['given']>[0]) =>
      review
        .given(events.slice(0, -1))
        .when(events.at(-1) as (typeof events)[number])
        .records('review_outcomes', idOf(name))
        .map(({ signal_id, outcome, why }) => [signal_id, outcome, why]);
    expect(due('first', first, mistake('first', 'brand'), ask)).toEqual([]);
    // What an operator notes when nothing is wrong is not public.
    expect(due('first', first, ask, confirmed('first'))).toEqual([[idOf('first'), 'confirmed', null]]);
    const byOperator = { ...merged('first', 'second'), data: { ...merged('first', 'second').data, by: 'olga' } };
    expect(due('first', first, second, ask, byOperator)).toMatchObject([
      [idOf('first'), 'merged', byOperator.data.why],
    ]);
    const byRules = [first, second, ask, merged('first', 'second'), confirmed('second')] as const;
    expect(due('first', ...byRules)).toEqual([]);
    expect(due('second', ...byRules)).toEqual([[idOf('first'), 'confirmed', null]]);
    expect(due('second', ...byRules, done)).toEqual([]);
  });

  it('given more reports than anybody reads, then the newest are kept', () => {
    const many = Array.from({ length: 30 }, (_, n) => mistake('first', n < 10 ? 'kind' : 'other'));
    expect(new Set(open('first', first, ...many))).toEqual(new Set(['other']));
  });
});

describe('GET and POST /signal/{slug}/report', () => {
  let people: SigningIn;
  let box: MailBox;
  let asha: SignedIn;
  let olga: SignedIn;
  const path = '/signal/slug-kiri/report';
  const stored = async (name: string) =>
    (await people.site.engine.store.read(mistakeStream(idOf(name)))).map(({ data }) => data);
  const text = async (who: SignedIn, address: string): Promise<string> =>
    (await who.open(address)).$('main').text().replace(/\s+/g, ' ');

  beforeAll(async () => {
    box = await mailBox();
    people = await signingIn({ models: ['review'], settings: { SMTP_URL: box.url } });
    const sure = { certainty: { relevance: 0.99, move: 0.99, agreed: true } };
    await people.site.append(
      detected('doubt'),
      detected('kiri', { report: report('kiri', sure) }),
      confirmed('kiri'),
      detected('held', { status: 'held', status_reason: 'no date' }),
      detected('gone', { understanding: understanding({ headline: 'Gone' }) }),
      merged('gone', 'kiri'),
    );
    [asha, olga] = [await people.signIn('asha@clarity.test'), await people.signIn(OPERATOR)];
  });
  afterAll(async () => {
    await people.close();
    await box.close();
  });

  it('given a visitor without an account and without scripts, then the report is stored when it is accepted, without a name', async () => {
    const visitor = people.visitor();
    const { $ } = await visitor.open('/signal/slug-kiri');
    expect($(`a[href="${path}"]`).text()).toBe('Report a mistake');
    expect((await visitor.open('/')).$(`a[href="${path}"]`).attr('aria-label')).toContain('Report a mistake: Kiri');
    const answer = await visitor.send(path, path, { what: 'brand', note: `It is Maya ${SCRIPT}` });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await stored('kiri')).toEqual([
      {
        mistake_id: expect.stringMatching(/^mis_/),
        signal_id: idOf('kiri'),
        what: 'brand',
        note: `It is Maya ${SCRIPT}`,
      },
    ]);
  });

  it('given the same words again, then they are one report; other words are another', async () => {
    expect((await asha.send(path, path, { what: 'brand', note: `It is Maya ${SCRIPT}` })).status).toBe(200);
    expect(await stored('kiri')).toHaveLength(1);
    expect((await asha.send(path, path, { what: 'figure' })).status).toBe(200);
    expect((await stored('kiri')).map((data) => (data as { what: string }).what)).toEqual(['brand', 'figure']);
  });

  it('then a reviewed signal is first in the queue again, the desk quotes the words, and a verdict closes them', async () => {
    const { database, clock } = people.site.engine;
    const queue = async () => (await reviewQueue(database, clock(), 5)).map(({ id, mistakes }) => [id, mistakes]);
    await expect.poll(queue).toEqual([
      [idOf('kiri'), 2],
      [idOf('doubt'), 0],
    ]);
    const { $ } = await olga.open('/operate/review');
    expect($('.case').first().attr('id')).toBe(idOf('kiri'));
    expect($('.reported').text()).toContain('It is Maya');
    expect($('.reported script')).toHaveLength(0);
    expect($('.case').first().find('.said').text()).toContain('2 reports of readers');
    expect((await olga.send('/operate/review', '/operate/review/confirm', { signal: idOf('kiri') })).status).toBe(303);
    expect((await olga.open('/operate/review')).$('.reported')).toHaveLength(0);
  });

  it('given a wrong headline and summary, then an operator corrects them by fields, and readers see them with the reason', async () => {
    const desk = `/operate/review?signal=${idOf('doubt')}`;
    const { $ } = await olga.open(desk);
    expect($('textarea[name=headline]').text()).toBe(understanding().headline);
    const sent = await olga.send(desk, '/operate/review/correct', {
      headline: 'Maya Stores opens 40 stores in Pune',
      summary: 'They are its first in Pune.',
      why: 'The report names Maya.',
    });
    expect(sent.status).toBe(303);
    await expect.poll(() => text(asha, '/signal/slug-doubt')).toContain('Maya Stores opens 40 stores in Pune');
    const page = await text(asha, '/signal/slug-doubt');
    expect(page).toContain('They are its first in Pune.');
    expect(page).toContain('Headline, Summary: The report names Maya.');
    expect(await text(asha, '/corrections')).toContain('Maya Stores opens 40 stores in Pune');
  });

  it('given readers who left an address, then each hears the outcome in one mail, which is written once', async () => {
    const { database, store, clock } = people.site.engine;
    const address = '/signal/slug-doubt/report';
    const visitor = people.visitor();
    // Nobody's address is taken without their choice.
    expect((await asha.open(address)).$('input[name=email]').val()).toBe('');
    expect((await visitor.send(address, address, { what: 'place', email: 'no address' })).status).toBe(400);
    for (const [who, email] of [
      [visitor, 'ravi@reader.test'],
      [visitor, 'ravi@reader.test'],
      [asha, 'asha@clarity.test'],
    ] as const)
      expect((await who.send(address, address, { what: 'place', note: 'Nagpur', email })).status).toBe(200);
    const types = async () => (await store.read(mistakeStream(idOf('doubt')))).map(({ type }) => type);
    expect(await types()).toEqual(['MistakeReported', 'MistakeAnswerAsked', 'MistakeAnswerAsked']);
    const desk = `/operate/review?signal=${idOf('doubt')}`;
    const verdict = { cities: 'Nagpur', why: 'The report names Nagpur.' };
    expect((await olga.send(desk, '/operate/review/correct', verdict)).status).toBe(303);

    const server = mailServer(box.url);
    const round = () =>
      sendOutcomeRound({
        database,
        store,
        directory: directoryOf({ brands: [], themes: [] }),
        settings: { from: 'Clarity <mails@clarity.test>', baseUrl: people.baseUrl, demo: false },
        server,
        sender: 'test',
        now: clock,
        signal: new AbortController().signal,
        logger: loggerTo(() => undefined),
      });
    await expect.poll(async () => (await openOutcomes(database, 5)).length).toBe(1);
    box.refuseMail = 451;
    expect((await round()).refused).toBe(1);
    box.refuseMail = null;
    expect((await round()).accepted).toBe(1);
    expect((await round()).left + (await round()).accepted).toBe(0);
    server.close();
    expect(box.mails.map(({ to }) => to)).toEqual(['ravi@reader.test', 'asha@clarity.test']);
    const body = (box.mails[0]?.text ?? '').replace(/\s+/g, ' ');
    expect(body).toContain('Subject: Your report: Maya Stores opens 40 stores in Pune');
    expect(body).toContain('An operator corrected the entry. The reason: The report names Nagpur.');
    expect(body).toContain(`${people.baseUrl}/signal/slug-doubt`);
    expect(await types()).toContain('MistakeAnswered');
    await expect.poll(() => openOutcomes(database, 5)).toEqual([]);
  });

  it('given a wrong field, then 400 with what was typed; given a signal that is not public, 404; a retired slug leads on', async () => {
    const wrong = await asha.send(path, path, { what: 'everything', note: 'Kept words' });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('Kept words')]);
    expect((await asha.send(path, path, { what: 'other', note: 'x'.repeat(501) })).status).toBe(400);
    expect((await asha.open('/signal/slug-held/report')).status).toBe(404);
    const retired = await people.visitor().open('/signal/slug-gone/report');
    expect([retired.status, retired.headers.get('location')]).toEqual([308, `${people.baseUrl}${path}`]);
  });

  it('given a form of another site, or without the token of the session, then nothing is stored', async () => {
    const before = (await stored('kiri')).length;
    const foreign = await fetch(`${people.baseUrl}${path}`, {
      method: 'POST',
      headers: { origin: 'https://evil.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'what=other',
    });
    expect(foreign.status).toBe(400);
    expect((await asha.browser.post(`${people.baseUrl}${path}`, { what: 'other', form_token: 'x' })).status).toBe(400);
    expect(await stored('kiri')).toHaveLength(before);
  });

  it('given more than ten in an hour from one address, then 429 and nothing is stored', async () => {
    const visitor = people.visitor();
    const statuses: number[] = [];
    for (let number = 0; number < 11; number++)
      statuses.push((await visitor.send(path, path, { what: 'other', note: `Number ${number}` })).status);
    expect(statuses.at(-1)).toBe(429);
    const count = (await stored('kiri')).length;
    expect((await visitor.send(path, path, { what: 'other', note: 'One more' })).status).toBe(429);
    expect(await stored('kiri')).toHaveLength(count);
    expect(await text(visitor, path)).toContain('Report a mistake');
  });
});
