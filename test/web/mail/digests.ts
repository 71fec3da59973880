/** Digests of saved searches by mail; part of `mail.test.ts`, whose record and mail server they use. */
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../../access/account.ts';
import { MAILS_AN_HOUR } from '../../../access/mails.ts';
import { searchById } from '../../../projector/models/saved-searches-queries.ts';
import type { Digest } from '../../../schemas/subscriptions.ts';
import { DIGEST_STORIES, dueDigest, GATHER_SECONDS, sendSearchRound, waitOf } from '../../../web/mail/due-mails.ts';
import { mailServer, type RoundOptions } from '../../../web/mail/mail-rounds.ts';
import { detected, idOf, merged, report, understanding } from '../../projector/signal-events.ts';
import type { MailBox } from './mail-box.ts';
import { type ReadMail, readMail } from './read-mail.ts';
import { loggerTo, type Subscribed } from './subscribed.ts';

interface Shared {
  readonly people: Subscribed;
  readonly box: MailBox;
  options(changes?: Partial<RoundOptions>): RoundOptions;
}

/** @param shared the record and the mail server, once they have started */
export function digestTests(shared: () => Shared): void {
  /** A round at a moment. */
  const roundAt = (moment: string, changes: Partial<RoundOptions> = {}) =>
    sendSearchRound(shared().options({ now: () => new Date(moment), ...changes }));
  /** Lets mails that wait be sent now, as after their time. */
  const waited = () =>
    shared().people.site.engine.database.query("UPDATE access.search_mail SET not_before = '-infinity'");
  const append = (...stories: readonly (readonly [name: string, city: string, published_at: string])[]) =>
    shared().people.site.append(
      ...stories.map(([name, city, published_at]) =>
        detected(name, {
          published_at,
          understanding: understanding({ move: 'deals', headline: `Deal ${name} <i>in</i> ${city}`, cities: [city] }),
        }),
      ),
    );
  const mailsTo = (email: string): ReadMail[] =>
    shared()
      .box.mails.filter(({ to }) => to === email)
      .map(({ text }) => readMail(text));
  const dealsIn = ({ text }: ReadMail): string[] =>
    [...text.matchAll(/\d+\. Deal ([\w-]+) <i>in/g)].map(([, name]) => name ?? '');
  const daily = (email: string, city: string, every: Digest = 'daily') =>
    shared().people.saveSearch(email, `Deals in ${city}`, `kind=deals&city=${city}`, every);
  const digestOf = async (email: string, id: string) =>
    searchById(shared().people.site.engine.database, accountOfEmail(email).id, id);

  describe('digests of saved searches', () => {
    beforeAll(() =>
      append(
        ['agra-1', 'Agra', '2026-11-19T10:00:00Z'],
        ['agra-2', 'Agra', '2026-11-20T10:00:00Z'],
        ['agra-3', 'Agra', '2026-11-21T01:45:00Z'],
        ['kochi-1', 'Kochi', '2026-11-20T10:00:00Z'],
      ),
    );

    it('given a daily search, then the mail at 07:00 has what is new, escaped, in text and HTML, and the next day only the rest', async () => {
      const email = 'agra@clarity.test';
      const { token, id } = await daily(email, 'Agra');
      expect(await roundAt('2026-11-21T01:29:00Z')).toMatchObject({ accepted: 0 });
      await roundAt('2026-11-21T01:31:00Z');
      const [mail] = mailsTo(email);
      expect(dealsIn(mail as ReadMail)).toEqual(['agra-2', 'agra-1']);
      expect(mail?.headers).toMatchObject({
        subject: 'Deals in Agra: Deal agra-2 <i>in</i> Agra and 1 more',
        'list-unsubscribe': `<http://clarity.test/unsubscribe/${token}>`,
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
        'auto-submitted': 'auto-generated',
      });
      expect(mail?.text).toContain('Kind of move: Deals, City: Agra');
      expect(mail?.text).toContain(`http://clarity.test/searches/${id}`);
      expect(mail?.html).toContain('Deal agra-2 &lt;i&gt;in&lt;/i&gt; Agra');
      expect(mail?.html).not.toMatch(/<script|<img|url\(/i);
      await roundAt('2026-11-21T01:40:00Z');
      expect(mailsTo(email)).toHaveLength(1);
      await roundAt('2026-11-22T01:31:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['agra-2', 'agra-1'], ['agra-3']]);
      await roundAt('2026-11-23T01:31:00Z');
      expect(mailsTo(email)).toHaveLength(2);
    });

    it('given a mailed story that is merged, then the story that it became is not mailed again', async () => {
      const email = 'kochi@clarity.test';
      await daily(email, 'Kochi');
      await roundAt('2026-11-21T01:31:00Z');
      await append(['kochi-2', 'Kochi', '2026-11-21T10:00:00Z']);
      await shared().people.site.append(merged('kochi-1', 'kochi-2'));
      await roundAt('2026-11-22T01:31:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['kochi-1']]);
    });

    it('given a story whose report is older than its publication, then the mail is by the date of the report', async () => {
      const email = 'rewari@clarity.test';
      const story = (name: string, published_at: string, reported: string) =>
        detected(name, {
          published_at,
          understanding: understanding({
            move: 'deals',
            headline: `Deal ${name} <i>in</i> Rewari`,
            cities: ['Rewari'],
          }),
          report: report(name, { published_at: reported }),
        });
      await shared().people.site.append(
        story('rewari-fresh', '2026-11-20T10:00:00Z', '2026-11-20T09:00:00Z'),
        story('rewari-late', '2026-11-20T11:00:00Z', '2026-11-16T09:00:00Z'),
      );
      await daily(email, 'Rewari');
      await roundAt('2026-11-21T01:31:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['rewari-fresh', 'rewari-late']]);
    });

    it('given more stories than a mail has, then it says how many more there are, and leads to them', async () => {
      const email = 'many@clarity.test';
      const many = DIGEST_STORIES + 14;
      await append(
        ...Array.from({ length: many }, (_, n) => [`bhopal-${n}`, 'Bhopal', '2026-11-20T10:00:00Z'] as const),
      );
      await daily(email, 'Bhopal', 'weekly');
      await roundAt('2026-11-22T01:31:00Z');
      expect(mailsTo(email)).toEqual([]);
      await roundAt('2026-11-23T01:31:00Z');
      const [mail] = mailsTo(email);
      expect(dealsIn(mail as ReadMail)).toHaveLength(DIGEST_STORIES);
      expect(mail?.text).toContain('and 14 more:\nhttp://clarity.test/?kind=deals&city=Bhopal&sort=time');
      expect(mail?.html).toContain('and 14 more</a>');
      await roundAt('2026-11-30T01:31:00Z');
      expect(mailsTo(email)).toHaveLength(1);
    });

    it('given a search that is mailed at once, then stories of some minutes are one mail, and an hour has only some mails', async () => {
      const email = 'indore@clarity.test';
      await daily(email, 'Indore', 'at_once');
      await roundAt('2026-11-21T10:00:00Z');
      await append(['indore-1', 'Indore', '2026-11-21T10:00:10Z']);
      await roundAt('2026-11-21T10:01:00Z');
      await append(['indore-2', 'Indore', '2026-11-21T10:03:00Z']);
      await roundAt('2026-11-21T10:04:00Z');
      expect(mailsTo(email)).toEqual([]);
      await waited();
      await roundAt('2026-11-21T10:06:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['indore-2', 'indore-1']]);

      const moment = new Date('2026-11-21T10:40:00Z');
      const opened = [35, 25, 15, 6].map((minute) => new Date(moment.getTime() - (40 - minute) * 60_000));
      expect(opened).toHaveLength(MAILS_AN_HOUR);
      expect(waitOf({ opened: opened.slice(1) }, moment)).toBe(GATHER_SECONDS);
      expect(waitOf({ opened }, moment)).toBe(26 * 60);
    });

    it('given a mail that the server refuses for now, then it is retried with growing pauses, with the stories that it had', async () => {
      const email = 'jaipur@clarity.test';
      await append(['jaipur-1', 'Jaipur', '2026-11-20T10:00:00Z']);
      const { id } = await daily(email, 'Jaipur');
      shared().box.refuseMail = 554;
      expect(await roundAt('2026-11-21T01:31:00Z')).toMatchObject({ refused: 1 });
      expect(await roundAt('2026-11-21T01:32:00Z')).toMatchObject({ refused: 0 });
      const { rows } = await shared().people.site.engine.database.query<{ seconds: number }>(
        'SELECT extract(epoch FROM not_before - changed_at)::int AS seconds FROM access.search_mail WHERE search = $1',
        [id],
      );
      expect(rows).toEqual([{ seconds: 60 }]);
      await append(['jaipur-2', 'Jaipur', '2026-11-20T11:00:00Z']);
      shared().box.refuseMail = null;
      await waited();
      await roundAt('2026-11-21T01:33:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['jaipur-1']]);
      expect((await digestOf(email, id))?.digest_ended_by).toBeNull();
    });

    it('given an address that the server refuses for good, then its mails are paused, and resumed they have what was missed', async () => {
      const email = 'kanpur@clarity.test';
      await append(['kanpur-1', 'Kanpur', '2026-11-20T10:00:00Z']);
      const { id } = await daily(email, 'Kanpur');
      shared().box.refuseRecipient = 550;
      const failures: unknown[] = [];
      await roundAt('2026-11-21T01:31:00Z', { logger: loggerTo((about) => void failures.push(about)) });
      expect(failures).toEqual([{ account: accountOfEmail(email).id, answer: expect.stringContaining('550') }]);
      await expect.poll(async () => (await digestOf(email, id))?.digest_ended_by).toBe('undeliverable');
      shared().box.refuseRecipient = null;
      await roundAt('2026-11-22T01:31:00Z');
      expect(mailsTo(email)).toEqual([]);
      const again = { do: 'choose_digest', id, every: 'daily', email, token: 'unused-because-there-is-one' } as const;
      await shared().people.changeSearch(email, again);
      await roundAt('2026-11-23T01:31:00Z');
      expect(mailsTo(email).map(dealsIn)).toEqual([['kanpur-1']]);
    });

    it('given a mail server that is down, then nothing is lost; and what its reader ended meanwhile is not sent', async () => {
      const emails = ['surat@clarity.test', 'surat-2@clarity.test'] as const;
      await append(['surat-1', 'Surat', '2026-11-20T10:00:00Z']);
      const [, { id }] = [await daily(emails[0], 'Surat'), await daily(emails[1], 'Surat')];
      expect(await roundAt('2026-11-21T01:31:00Z', { server: mailServer('smtp://127.0.0.1:1') })).toMatchObject({
        unsent: 2,
      });
      await shared().people.changeSearch(emails[1], { do: 'end_digest', id, by: 'one_click' });
      await waited();
      await roundAt('2026-11-21T08:00:00Z');
      expect([mailsTo(emails[0]).map(dealsIn), mailsTo(emails[1])]).toEqual([[['surat-1']], []]);
    });

    it('given a story that is no longer public when it is mailed, then it is left out', async () => {
      const email = 'thane@clarity.test';
      await append(['thane-1', 'Thane', '2026-11-20T10:00:00Z'], ['thane-2', 'Thane', '2026-11-20T11:00:00Z']);
      const { id } = await daily(email, 'Thane');
      await roundAt('2026-11-21T01:31:00Z', { server: mailServer('smtp://127.0.0.1:1') });
      await shared().people.site.engine.database.query(
        `UPDATE access.search_mail SET not_before = '-infinity', stories = stories || $2::text WHERE search = $1`,
        [id, idOf('no such story')],
      );
      await roundAt('2026-11-21T01:40:00Z');
      expect(mailsTo(email)[0]?.text).toContain('Deals in Thane: 2 new entries');
    });
  });

  it.each([
    ['daily', '2026-11-21T01:29:59Z', null],
    ['daily', '2026-11-21T01:30:00Z', '2026-11-21T01:30:00.000Z'],
    ['daily', '2026-11-21T05:29:59Z', '2026-11-21T01:30:00.000Z'],
    ['daily', '2026-11-21T05:30:00Z', null],
    ['weekly', '2026-11-23T01:29:59Z', null],
    ['weekly', '2026-11-23T01:30:00Z', '2026-11-23T01:30:00.000Z'],
    ['weekly', '2026-11-23T18:00:00Z', '2026-11-23T01:30:00.000Z'],
    ['weekly', '2026-11-24T01:30:00Z', null],
  ] as const)('given %s mails at %s, then the digest that is due is of %s', (every, moment, at) => {
    expect(dueDigest(every, new Date(moment))?.toISOString() ?? null).toBe(at);
  });
}
