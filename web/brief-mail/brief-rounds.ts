/** Mails the morning brief of a day to every subscriber who has not had it, day after day. */
import addressParser from 'nodemailer/lib/addressparser';
import { beginHandOver, claimMail, giveBackMail, settledAccounts, settleMail } from '../../access/brief-mail-claims.ts';
import { backoff, pause } from '../../log/backoff.ts';
import type { Database, Queryable } from '../../log/postgres/database.ts';
import type { Group } from '../../log/postgres/topics/consumer-group.ts';
import { dailyBrief, MORNING_HOURS } from '../../presentation/daily-brief.ts';
import { accountFollows } from '../../presentation/follows.ts';
import { briefSubscribers, type Subscriber } from '../../projector/models/brief-subscribers-queries.ts';
import type { Brief } from '../../schemas/brief.ts';
import type { Directory } from '../../schemas/directory.ts';
import { composeBrief, type MailSettings } from './brief-message.ts';
import type { Delivery, MailServer } from './smtp.ts';

/** When the morning brief goes out. Pure. */

/** 07:30 in India, which keeps no summer time. */
const MORNING_TIME = 'T07:30:00+05:30';
/** A service that was down goes on sending until so late, in milliseconds after; then the morning is over. */
const SENDING_ENDS_AFTER = 4 * 3_600_000;

const IST_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' });

interface DueBrief {
  /** The day in India, `2026-11-21`. */
  readonly day: string;
  /** The moment at which it is due. */
  readonly at: Date;
}

/** The brief of the day of a moment. */
export function briefOfDay(now: Date): DueBrief {
  const day = IST_DAY.format(now);
  return { day, at: new Date(`${day}${MORNING_TIME}`) };
}

/** The brief that is to go out at a moment; null before 07:30 and after the morning. */
export function dueBrief(now: Date): DueBrief | null {
  const brief = briefOfDay(now);
  const late = now.getTime() - brief.at.getTime();
  return late >= 0 && late < SENDING_ENDS_AFTER ? brief : null;
}

/** The moment that the mails of a day tell of: 07:30, as the page of that day does; the present, for one that goes out before. */
export const toldAt = (now: Date): Date => new Date(Math.min(now.getTime(), briefOfDay(now).at.getTime()));

// What stands in the brief of one subscriber.

interface BriefRecord {
  readonly database: Queryable;
  readonly directory: Directory;
}

/**
 * Makes what gives each subscriber's brief: that of the whole record is made once for all of them.
 * @param now the moment whose last 24 hours it tells
 */
export function briefsAt(
  record: BriefRecord,
  now: Date,
): (subscriber: Pick<Subscriber, 'account' | 'scope'>) => Promise<Brief> {
  let whole: Promise<Brief> | undefined;
  const about = (brands: readonly string[], themes: readonly string[]): Promise<Brief> =>
    dailyBrief(record, { brands, themes, match: 'either', hours: MORNING_HOURS, now, past: true });
  return async ({ account, scope }) => {
    const follows =
      scope === 'followed' ? (await accountFollows(record.database, record.directory, account)).active : [];
    const slugs = (type: 'brand' | 'theme'): string[] =>
      follows.filter((one) => one.type === type).map(({ slug }) => slug);
    const [brands, themes] = [slugs('brand'), slugs('theme')];
    if (brands.length + themes.length > 0) return about(brands, themes);
    // Who follows no brand and no theme yet, is told everything rather than nothing.
    whole ??= about([], []);
    return whole;
  };
}

// Sends the morning brief of a day to everybody who has not had it.

/** Seconds after which a mail that could not be sent is tried again; each time as many more. */
const RETRY_SECONDS = 60;
/** After so many mails that found no server in a row, the others wait for a later round. */
const IN_VAIN = 3;

export interface RoundOptions extends BriefRecord {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly server: MailServer;
  /** Names this process among others that send. */
  readonly sender: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Seconds after which a mail that a process was handing over is taken for one that it died over; those of claims when unset. */
  readonly abandonedAfter?: number;
  /** Told of what did not go as it should; never of an address. */
  readonly report: (about: { readonly account: string; readonly answer: string }, message: string) => void;
}

/** How many mails came how far. */
export type RoundCount = { [Outcome in Delivery['outcome'] | 'empty' | 'left']: number };

const bareAddress = (from: string): string => addressParser(from, { flatten: true })[0]?.address ?? from;

/** Each subscriber once, one after the other; what fails stays for a later round. Ends early when the signal aborts. */
export async function sendRound(options: RoundOptions, { day, at }: DueBrief): Promise<RoundCount> {
  const { database, now, signal } = options;
  const count: RoundCount = { accepted: 0, refused: 0, unsent: 0, unknown: 0, empty: 0, left: 0 };
  const settled = await settledAccounts(database, day, options.abandonedAfter);
  const waiting = (await briefSubscribers(database, at)).filter(({ account }) => !settled.has(account));
  const briefOf = briefsAt(options, toldAt(now()));
  let inVain = 0;
  for (const subscriber of waiting) {
    if (signal.aborted || inVain === IN_VAIN) break;
    const outcome = await sendOne(options, day, subscriber, briefOf);
    count[outcome]++;
    inVain = outcome === 'unsent' ? inVain + 1 : 0;
  }
  return count;
}

async function sendOne(
  { database, settings, server, sender, now, report, abandonedAfter }: RoundOptions,
  day: string,
  subscriber: Subscriber,
  briefOf: ReturnType<typeof briefsAt>,
): Promise<keyof RoundCount> {
  const { account, email } = subscriber;
  const mail = { day, account };
  if (!(await claimMail(database, mail, sender, abandonedAfter))) return 'left';
  const brief = { ...(await briefOf(subscriber)), date: day };
  if (brief.items.length === 0) {
    await settleMail(database, mail, sender, { state: 'empty', answer: null });
    return 'empty';
  }
  const delivery = await server.deliver(
    { from: bareAddress(settings.from), to: email },
    await composeBrief(brief, subscriber, settings, now()),
    () => beginHandOver(database, mail, sender),
  );
  const { outcome, answer } = delivery;
  if (outcome === 'accepted') await settleMail(database, mail, sender, { state: 'sent', answer });
  else if (outcome === 'refused' && delivery.forGood)
    await settleMail(database, mail, sender, { state: 'refused', answer });
  // What may have arrived is sent again too, as RFC 5321 has it (4.5.4.1): its Message-ID says that it is the same.
  else await giveBackMail(database, mail, sender, { answer, seconds: RETRY_SECONDS, counts: outcome !== 'unsent' });
  if (outcome !== 'accepted') report({ account, answer }, `a brief was not delivered: ${outcome}`);
  return outcome;
}

// Mails the morning brief at its time, day after day.

/** How often it is looked whether somebody waits for a mail, in milliseconds. */
const CHECK_INTERVAL = 15_000;

interface RunOptions extends Omit<RoundOptions, 'sender'> {
  /** Of all processes that send: one of them does, and another takes its place when it dies. */
  readonly group: Group;
  readonly every?: number;
}

/** Runs until the signal aborts, through restarts of PostgreSQL and of the mail server. */
export async function runBriefMail({ group, every = CHECK_INTERVAL, ...options }: RunOptions): Promise<void> {
  const { signal, report } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await asMember({ ...options, group }, every);
      failures = 0;
    } catch (error) {
      report({ account: 'none', answer: String(error) }, 'mailing the brief failed; trying again');
    }
    await pause(backoff(failures++, { base: 500, maximum: every }, Math.random), signal);
  }
}

/** Looks and sends for as long as this process is alive to the others. */
async function asMember({ group, ...options }: Omit<RunOptions, 'every'>, every: number): Promise<void> {
  const member = await group.join();
  const ended = new AbortController();
  member.ended.then(() => ended.abort());
  const signal = AbortSignal.any([options.signal, ended.signal]);
  try {
    while (!signal.aborted) {
      const due = dueBrief(options.now());
      const giveBack = due && (await member.claim('morning brief'));
      if (due && giveBack) {
        await sendRound({ ...options, signal, sender: member.id }, due).finally(giveBack);
        options.server.close();
      }
      await pause(every, signal);
    }
  } finally {
    await member.leave().catch(() => undefined);
  }
}
