/** Mails the morning brief of a day to every subscriber who has not had it, day after day. */
import { claimMail, openBriefMail, settledAccounts, settleMail } from '../../access/mails.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { composeDailyBrief, MORNING_HOURS, morningOf } from '../../presentation/daily-brief.ts';
import { loadAccountFollows } from '../../presentation/follows.ts';
import { istDay } from '../../presentation/text.ts';
import { briefSubscribers, type Subscriber } from '../../projector/models/brief-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import type { Brief } from '../../schemas/subscriptions.ts';
import { composeBrief } from './mail-message.ts';
import {
  MAXIMUM_UNSENT,
  type MailRounds,
  noMails,
  type Retries,
  type RoundCount,
  type RoundOptions,
  sendClaimed,
} from './mail-rounds.ts';

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

/** After so many attempts a mail is given up for the day. */
const RETRIES: Retries = {
  maximum: 6,
  seconds: (attempt) => RETRY_SECONDS * attempt,
  isForGood: ({ forGood }) => forGood,
};

/** Sends the brief of a day to every subscriber who has not had it. Failed mails stay for a later round. Ends early when the signal aborts. */
export async function sendRound(options: RoundOptions, { day, at }: DueBrief): Promise<RoundCount> {
  const { database, now, signal } = options;
  const count = noMails();
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
  options: RoundOptions,
  day: string,
  subscriber: Subscriber,
  briefOf: ReturnType<typeof briefsAt>,
): Promise<keyof RoundCount> {
  const { database, settings, sender, now, report, abandonedAfter } = options;
  const { account, email } = subscriber;
  const mail = await openBriefMail(database, day, account);
  const attempt = await claimMail(database, mail, sender, abandonedAfter);
  if (attempt === null) return 'left';
  const brief = { ...(await briefOf(subscriber)), date: day };
  if (brief.items.length === 0) {
    await settleMail(database, mail, sender, { state: 'empty', answer: null });
    return 'empty';
  }
  const text = await composeBrief(brief, subscriber, settings, now());
  const { outcome, answer } = await sendClaimed(options, mail, attempt, { to: email, text }, RETRIES);
  if (outcome !== 'accepted') report({ account, answer }, `a brief was not delivered: ${outcome}`);
  return outcome;
}

/** The morning brief, every morning. */
export const briefMails: MailRounds = {
  name: 'morning brief',
  due(now) {
    const due = dueBrief(now);
    return due && ((options) => sendRound(options, due));
  },
};
