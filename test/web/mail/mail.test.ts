import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { accountOfEmail } from '../../../access/account.ts';
import { claimMail, openBriefMail, settleMail } from '../../../access/mails.ts';
import { addFollow } from '../../../access/subscriptions.ts';
import { postgresGroup } from '../../../log/postgres/topics/consumer-group.ts';
import { directoryOf } from '../../../schemas/directory.ts';
import type { FollowType } from '../../../schemas/subscriptions.ts';
import { briefMails, briefOfDay, dueBrief, sendRound } from '../../../web/mail/due-mails.ts';
import { type MailServer, mailServer, type RoundOptions, runMails } from '../../../web/mail/mail-rounds.ts';
import { sourceId } from '../../harness/ids.ts';
import { brandRef, detected, report, reported, understanding } from '../../projector/signal-events.ts';
import { digestTests } from './digests.ts';
import { type MailBox, mailBox } from './mail-box.ts';
import { readMail } from './read-mail.ts';
import { loggerTo, type Subscribed, subscribed } from './subscribed.ts';

const NOW = new Date('2026-11-21T02:00:00Z');
const HOSTILE = 'Kiri\u202E <b>opens</b>\r\nBcc: everybody@clarity.test & more';

let box: MailBox;
let people: Subscribed;
const stopping = new AbortController();

const options = (changes: Partial<RoundOptions> = {}): RoundOptions => ({
  database: people.site.engine.database,
  store: people.site.engine.store,
  directory: directoryOf({ brands: [], themes: [] }),
  settings: { from: 'Clarity <brief@clarity.test>', baseUrl: 'http://clarity.test', demo: false },
  server: mailServer(box.url),
  sender: randomUUID(),
  now: () => NOW,
  signal: stopping.signal,
  logger: loggerTo(() => undefined),
  ...changes,
});
const round = (changes: Partial<RoundOptions> = {}) => sendRound(options(changes), briefOfDay(NOW));

const about = (slug: string, headline: string, theme: string) =>
  understanding({
    headline,
    theme: { slug: theme, name: theme },
    brands: [brandRef(slug, slug)],
  });

async function follow(email: string, type: FollowType, slug: string): Promise<void> {
  const { store, database } = people.site.engine;
  const { id: account } = accountOfEmail(email);
  const target = { type, slug, name: slug, signal_id: null };
  await addFollow({ store, database, now: () => NOW }, account, target);
}

beforeAll(async () => {
  people = await subscribed();
  await people.site.append(
    detected('kiri', {
      published_at: '2026-11-20T10:00:00Z',
      understanding: about('kiri-foods', HOSTILE, 'expansion'),
    }),
    reported('kiri', report('kiri-again', { outlet: 'Second & Sons', source_id: sourceId('second') })),
    detected('zudio', {
      published_at: '2026-11-20T11:00:00Z',
      understanding: about('zudio', 'Zudio raises ₹230 Cr', 'funding'),
    }),
    detected('other', {
      published_at: '2026-11-20T12:00:00Z',
      understanding: about('other-brand', 'Other Brand names a chief', 'people'),
    }),
  );
});
afterAll(async () => {
  stopping.abort();
  await people.site.close();
});
beforeEach(async () => {
  box = await mailBox();
  return () => box.close();
});

describe('the mailed brief', () => {
  it('given one subscriber who follows a brand and one who follows nothing, then each gets their own brief, complete in text and HTML', async () => {
    await people.subscribe('asha@clarity.test', 'followed');
    await follow('asha@clarity.test', 'brand', 'kiri-foods');
    await follow('asha@clarity.test', 'theme', 'funding');
    const token = await people.subscribe('bina@clarity.test', 'everything');
    expect(await round()).toMatchObject({ accepted: 2, refused: 0, unsent: 0 });

    const [asha, bina] = ['asha', 'bina'].map((name) => {
      const mine = box.mails.filter(({ to }) => to === `${name}@clarity.test`);
      expect(mine).toHaveLength(1);
      return readMail(mine[0]?.text ?? '');
    });
    expect(asha?.text).toContain('Zudio raises ₹230 Cr');
    expect(asha?.text).toContain('http://clarity.test/signal/slug-kiri');
    expect(asha?.text).not.toContain('Other Brand');
    expect(asha?.text).toContain('brands and themes that you follow');
    expect(bina?.html).toContain('Other Brand names a chief');
    expect(bina?.headers).toMatchObject({
      from: 'Clarity <brief@clarity.test>',
      to: 'bina@clarity.test',
      'list-unsubscribe': `<http://clarity.test/unsubscribe/${token}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'auto-submitted': 'auto-generated',
    });
    expect(bina?.headers.subject).toMatch(/^Morning brief, Saturday 21 November 2026: /);
    expect(bina?.text).toContain(`http://clarity.test/unsubscribe/${token}`);
  });

  it('given a hostile headline, then it adds no header and no markup, and does not reverse text', async () => {
    await people.subscribe('chitra@clarity.test');
    await round();
    const { headers, text, html } = readMail(box.mails.at(-1)?.text ?? '');
    expect(headers.bcc).toBeUndefined();
    expect(headers.subject).not.toMatch(/\u202E/);
    expect(text).toContain('Kiri <b>opens</b> Bcc: everybody@clarity.test & more');
    expect(html).toContain('Kiri &lt;b&gt;opens&lt;/b&gt;');
    expect(`${text}${html}`).not.toContain('\u202E');
    expect(html).not.toMatch(/<script|<img|\son\w+=|url\(/i);
  });

  it('given a second round on the same day, then nobody gets a second mail, and who subscribed after 07:30 gets the first mail tomorrow', async () => {
    await people.subscribe('late@clarity.test', 'everything', new Date('2026-11-21T02:01:00Z'));
    await round();
    expect(await round()).toMatchObject({ accepted: 0, left: 0 });
    expect(box.mails.map(({ to }) => to)).not.toContain('late@clarity.test');
    const tomorrow = new Date('2026-11-22T02:00:00Z');
    // Sends the brief of the next day now, only to see its recipients.
    await sendRound(options({ now: () => NOW }), briefOfDay(tomorrow));
    expect(box.mails.map(({ to }) => to)).toContain('late@clarity.test');
  });

  it('given a day without signals, then no mail is sent', async () => {
    await people.subscribe('idle@clarity.test');
    const empty = new Date('2026-12-24T02:00:00Z');
    const count = await sendRound(options({ now: () => empty }), briefOfDay(empty));
    expect(count.accepted).toBe(0);
    expect(count.empty).toBeGreaterThan(0);
    expect(box.mails).toEqual([]);
  });

  it('given two processes at once, then each subscriber gets one mail', async () => {
    for (let n = 0; n < 8; n++) await people.subscribe(`twin-${n}@clarity.test`);
    await Promise.all([round(), round(), round()]);
    const to = box.mails.map((mail) => mail.to).filter((address) => address.startsWith('twin-'));
    expect(to.toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `twin-${n}@clarity.test`));
  });
});

it('given a service that restarts at nine, then the mail has the state of 07:30, as the page of the day does', async () => {
  await people.subscribe('nine@clarity.test');
  await people.site.append(
    detected('after', {
      published_at: '2026-11-21T02:30:00Z',
      understanding: about('late-brand', 'Late Brand opens', 'x'),
    }),
  );
  await round({ now: () => new Date('2026-11-21T03:30:00Z') });
  const { text } = readMail(box.mails.find(({ to }) => to === 'nine@clarity.test')?.text ?? '');
  expect(text).toContain('Other Brand names a chief');
  expect(text).not.toContain('Late Brand');
});

describe('the process that mails', () => {
  it('given two processes at 07:30, then one sends, each subscriber gets one mail, and both stop when aborted', async () => {
    for (let n = 0; n < 3; n++) await people.subscribe(`steady-${n}@clarity.test`);
    const stop = new AbortController();
    const faults: unknown[] = [];
    const running = [0, 1].map(() => {
      const { sender: _, ...more } = options({
        signal: stop.signal,
        logger: loggerTo((about) => void faults.push(about)),
      });
      const group = postgresGroup(people.site.engine.database, 'brief mail');
      return runMails({ ...more, group, rounds: [briefMails], every: 20 });
    });
    const got = () => box.mails.map(({ to }) => to).filter((to) => to.startsWith('steady-'));
    await expect.poll(() => got().length).toBe(3);
    await people.subscribe('steady-3@clarity.test');
    await expect.poll(() => got().length).toBe(4);
    stop.abort();
    await Promise.all(running);
    expect([new Set(got()).size, got().length, faults]).toEqual([4, 4, []]);
  });
});

describe('a mail server that fails', () => {
  it('given an unreachable mail server, then nothing is lost and a later round sends the mail', async () => {
    await people.subscribe('down@clarity.test');
    const nowhere = mailServer('smtp://127.0.0.1:1');
    expect(await round({ server: nowhere })).toMatchObject({ unsent: 1, accepted: 0 });
    await people.site.engine.database.query("UPDATE access.brief_mail SET not_before = '-infinity'");
    expect(await round()).toMatchObject({ accepted: 1 });
  });

  it('given rounds of all mails during an outage, then there is a line when it begins, one a minute, and one when it ends', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stop = new AbortController();
    onTestFinished(() => {
      stop.abort();
      vi.useRealTimers();
    });
    await people.subscribe('outage@clarity.test');
    let checks = 0;
    let server = mailServer('smtp://127.0.0.1:1');
    const { sender: _, ...more } = options({
      signal: stop.signal,
      logger: loggerTo((about, message) => void lines.push([message, 'more' in about])),
      server: {
        check: () => server.check().finally(() => checks++),
        deliver: (...mail) => server.deliver(...mail),
        close: () => server.close(),
      },
    });
    const lines: [message: string, isRepeated: boolean][] = [];
    const attempts = (further: number): Promise<void> =>
      expect.poll(() => checks, { interval: 5 }).toBeGreaterThan(checks + further);
    const group = postgresGroup(people.site.engine.database, 'brief mail');
    const running = runMails({ ...more, group, rounds: [briefMails], every: 1 });
    await attempts(10);
    expect(lines).toEqual([['the mail server cannot be used; mails wait', false]]);
    vi.advanceTimersByTime(60_000);
    await attempts(10);
    expect(lines.slice(1)).toEqual([['the mail server cannot be used; mails wait', true]]);
    server = mailServer(box.url);
    await expect.poll(() => lines.slice(2)).toEqual([['the mail server can be used again', false]]);
    stop.abort();
    await running;
  });

  it('given a server that refuses all mails for now, then that is a line; for good, then each mail has one', async () => {
    const lines: string[] = [];
    const logger = loggerTo((_, message) => void lines.push(message));
    for (let n = 0; n < 3; n++) await people.subscribe(`busy-${n}@clarity.test`);
    box.refuseMail = 451;
    expect(await round({ logger })).toMatchObject({ refused: 3 });
    expect(lines).toEqual(['a brief was not delivered: refused']);
    box.refuseMail = 554;
    await people.site.engine.database.query("UPDATE access.brief_mail SET not_before = '-infinity'");
    expect(await round({ logger })).toMatchObject({ refused: 3 });
    expect(lines).toHaveLength(4);
  });

  it.each([
    ['the recipient for now', 'refuseRecipient', 451, 'claimed'],
    ['the recipient for good', 'refuseRecipient', 550, 'refused'],
    ['the mail for now', 'refuseMail', 451, 'claimed'],
    ['the mail for good', 'refuseMail', 554, 'refused'],
  ] as const)(
    'given that it refuses %s, then the mail is retried later, or given up',
    async (_what, how, code, state) => {
      const email = `${how}-${code}@clarity.test`.toLowerCase();
      await people.subscribe(email);
      box[how] = code;
      expect(await round()).toMatchObject({ refused: 1, accepted: 0 });
      expect((await people.states())[accountOfEmail(email).id]).toBe(state);
      box[how] = null;
      await people.site.engine.database.query("UPDATE access.brief_mail SET not_before = '-infinity'");
      expect((await round()).accepted).toBe(state === 'claimed' ? 1 : 0);
    },
  );

  it('given a lost response, then the same mail is sent again with the same Message-ID', async () => {
    await people.subscribe('answer@clarity.test');
    const real = mailServer(box.url);
    const deaf: MailServer = {
      ...real,
      async deliver(...mail) {
        await real.deliver(...mail);
        return { outcome: 'unknown', answer: 'the connection was lost' };
      },
    };
    expect(await round({ server: deaf })).toMatchObject({ unknown: 1, accepted: 0 });
    await people.site.engine.database.query("UPDATE access.brief_mail SET not_before = '-infinity'");
    expect(await round()).toMatchObject({ accepted: 1 });
    const ids = box.mails.map(({ text }) => readMail(text).headers['message-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  it('given a mail that another process is sending, then it is left to that process, until that process must be dead', async () => {
    const { database } = people.site.engine;
    await people.subscribe('other@clarity.test');
    const { id: account } = accountOfEmail('other@clarity.test');
    const mail = await openBriefMail(database, '2026-11-21', account);
    expect(await claimMail(database, mail, 'other')).toBe(1);
    expect(await round()).toMatchObject({ accepted: 0, left: 0 });
    await database.query(
      "UPDATE access.brief_mail SET changed_at = now() - interval '301 seconds' WHERE account = $1",
      [account],
    );
    expect(await round()).toMatchObject({ accepted: 1 });
    await settleMail(database, mail, 'other', { state: 'refused', answer: 'too late' });
    expect((await people.states())[account]).toBe('sent');
  });

  it('given a user name and a password in the address, then they are used to authenticate', async () => {
    await people.subscribe('signed@clarity.test');
    const url = box.url.replace('smtp://', 'smtp://asha:secret%20word@');
    expect(await round({ server: mailServer(url) })).toMatchObject({ accepted: 1 });
    await people.subscribe('wrong@clarity.test');
    expect(await round({ server: mailServer(url.replace('secret', 'other')) })).toMatchObject({ accepted: 0 });
  });
});

digestTests(() => ({ people, box, options }));

describe('07:30 in India', () => {
  it.each([
    ['2026-11-21T01:59:59Z', null],
    ['2026-11-21T02:00:00Z', '2026-11-21'],
    ['2026-11-21T05:59:00Z', '2026-11-21'],
    ['2026-11-21T06:00:00Z', null],
    ['2026-11-20T20:00:00Z', null],
  ])('given %s, then the brief that is due is %s', (moment, day) => {
    expect(dueBrief(new Date(moment))?.day ?? null).toBe(day);
  });
});
