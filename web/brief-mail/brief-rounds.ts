/** Mails the morning brief of a day to every subscriber who has not had it, day after day. */
import addressParser from 'nodemailer/lib/addressparser';
import { beginHandOver, claimMail, giveBackMail, settledAccounts, settleMail } from '../../access/brief-mail.ts';
import { backoff, pause } from '../../log/backoff.ts';
import type { Database, Queryable } from '../../log/postgres/database.ts';
import type { Group } from '../../log/postgres/topics/consumer-group.ts';
import { composeDailyBrief, MORNING_HOURS, morningOf } from '../../presentation/daily-brief.ts';
import { loadAccountFollows } from '../../presentation/follows.ts';
import { istDay } from '../../presentation/text.ts';
import { briefSubscribers, type Subscriber } from '../../projector/models/brief-queries.ts';
import type { Brief } from '../../schemas/brief.ts';
import type { Directory } from '../../schemas/directory.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import { composeBrief, type MailSettings } from './brief-message.ts';
import type { Delivery, MailServer } from './smtp.ts';

/** When the morning brief goes out. Pure. */

/** Milliseconds after 07:30 IST until which a service that was down still sends. */
const SENDING_ENDS_AFTER = 4 * 3_600_000;

interface DueBrief {
  /** The IST day, `2026-11-21`. */
  readonly day: string;
  /** When it is due. */
  readonly at: Date;
}

/** The brief of the IST day of a moment. */
export function briefOfDay(now: Date): DueBrief {
  const day = istDay(now);
  return { day, at: morningOf(day) };
}

/** The brief to send at a moment; null before 07:30 IST and after the morning. */
export function dueBrief(now: Date): DueBrief | null {
  const brief = briefOfDay(now);
  const late = now.getTime() - brief.at.getTime();
  return late >= 0 && late < SENDING_ENDS_AFTER ? brief : null;
}

/** The moment at which the briefs of a day end: 07:30 IST, as on the page of that day; the present before that. */
export const briefEnd = (now: Date): Date => new Date(Math.min(now.getTime(), briefOfDay(now).at.getTime()));

interface BriefRecord {
  readonly database: Queryable;
  readonly directory: Directory;
}

/**
 * Makes a loader of the brief of each subscriber. The brief of the whole record is composed once for all of them.
 * @param now the end of the 24 hours of the briefs
 */
export function briefsAt(
  record: BriefRecord,
  now: Date,
): (subscriber: Pick<Subscriber, 'account' | 'scope'>) => Promise<Brief> {
  let whole: Promise<Brief> | undefined;
  const about = (brands: readonly BrandSlug[], themes: readonly string[]): Promise<Brief> =>
    composeDailyBrief(record, { brands, themes, match: 'either', hours: MORNING_HOURS, now, past: true });
  return async ({ account, scope }) => {
    const follows =
      scope === 'followed' ? (await loadAccountFollows(record.database, record.directory, account)).active : [];
    const slugs = (type: 'brand' | 'theme'): string[] =>
      follows.filter((one) => one.type === type).map(({ slug }) => slug);
    const [brands, themes] = [slugs('brand').map((slug) => StoredBrandSlug.parse(slug)), slugs('theme')];
    if (brands.length + themes.length > 0) return about(brands, themes);
    // A subscriber who follows no brand and no theme gets everything rather than nothing.
    whole ??= about([], []);
    return whole;
  };
}

/** Seconds until a mail that was not sent is retried; each attempt adds as many. */
const RETRY_SECONDS = 60;
/** After this many mails in a row that no server took, the others wait for a later round. */
const MAXIMUM_UNSENT = 3;

export interface RoundOptions extends BriefRecord {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly server: MailServer;
  /** The id of this process among those that send. */
  readonly sender: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Seconds after which an unfinished delivery counts as abandoned by its process; by default as in `access`. */
  readonly abandonedAfter?: number;
  /** Called for each failed delivery; never with an e-mail address. */
  readonly report: (about: { readonly account: string; readonly answer: string }, message: string) => void;
}

/** The number of mails by outcome. */
export type RoundCount = { [Outcome in Delivery['outcome'] | 'empty' | 'left']: number };

const bareAddress = (from: string): string => addressParser(from, { flatten: true })[0]?.address ?? from;

/** Sends the brief of a day to every subscriber who has not had it. Failed mails stay for a later round. Ends early when the signal aborts. */
export async function sendRound(options: RoundOptions, { day, at }: DueBrief): Promise<RoundCount> {
  const { database, now, signal } = options;
  const count: RoundCount = { accepted: 0, refused: 0, unsent: 0, unknown: 0, empty: 0, left: 0 };
  const settled = await settledAccounts(database, day, options.abandonedAfter);
  const waiting = (await briefSubscribers(database, at)).filter(({ account }) => !settled.has(account));
  const briefOf = briefsAt(options, briefEnd(now()));
  let unsent = 0;
  for (const subscriber of waiting) {
    if (signal.aborted || unsent === MAXIMUM_UNSENT) break;
    const outcome = await sendOne(options, day, subscriber, briefOf);
    count[outcome]++;
    unsent = outcome === 'unsent' ? unsent + 1 : 0;
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
  // A mail that may have arrived is sent again (RFC 5321, 4.5.4.1): its Message-ID is the same.
  else await giveBackMail(database, mail, sender, { answer, seconds: RETRY_SECONDS, counts: outcome !== 'unsent' });
  if (outcome !== 'accepted') report({ account, answer }, `a brief was not delivered: ${outcome}`);
  return outcome;
}

/** Milliseconds between two checks for due briefs. */
const CHECK_INTERVAL = 15_000;

interface RunOptions extends Omit<RoundOptions, 'sender'> {
  /** The group of processes that send: one of them is active, and another takes over when it dies. */
  readonly group: Group;
  readonly every?: number;
}

/** Mails the brief every morning until the signal aborts; restarts of PostgreSQL and the mail server are survived. */
export async function runBriefMail({ group, every = CHECK_INTERVAL, ...options }: RunOptions): Promise<void> {
  const { signal, report } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await asMember({ ...options, group }, every);
      failures = 0;
    } catch (error) {
      report({ account: 'none', answer: String(error) }, 'mailing the brief failed; it is retried');
    }
    await pause(backoff(failures++, { base: 500, maximum: every }, Math.random), signal);
  }
}

/** Checks and sends while this process is a member of the group. */
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
    // A member that stays listed expires by itself.
    await member.leave().catch(() => undefined);
  }
}
