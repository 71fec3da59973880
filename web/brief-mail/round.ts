/** Sends the morning brief of a day to everybody who has not had it. */
import addressParser from 'nodemailer/lib/addressparser';
import { beginHandOver, claimMail, giveBackMail, settledAccounts, settleMail } from '../../access/brief-mail-claims.ts';
import type { Database } from '../../log/postgres/database.ts';
import { briefSubscribers, type Subscriber } from '../../projector/models/brief-subscribers-queries.ts';
import { type BriefRecord, briefsAt } from './content.ts';
import { type DueBrief, toldAt } from './due.ts';
import { composeBrief, type MailSettings } from './message.ts';
import type { Delivery, MailServer } from './smtp.ts';

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
