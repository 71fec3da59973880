/** What the rounds of the brief and of saved searches share: how a claimed mail is sent, and the process that sends. */
import addressParser from 'nodemailer/lib/addressparser';
import { beginHandOver, giveBackMail, type Mail, settleMail } from '../../access/mails.ts';
import { backoff, pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { asMember, type Group } from '../../log/postgres/topics/consumer-group.ts';
import type { Directory } from '../../schemas/directory.ts';
import type { MailSettings } from './mail-message.ts';
import type { Delivery, MailServer } from './smtp.ts';

/** After this many mails in a row that no server took, the others wait for a later round. */
export const MAXIMUM_UNSENT = 3;

export interface RoundOptions {
  readonly database: Database;
  /** Receives that a digest is paused. */
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly directory: Directory;
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

/** A count of nothing. */
export const noMails = (): RoundCount => ({ accepted: 0, refused: 0, unsent: 0, unknown: 0, empty: 0, left: 0 });

const bareAddress = (from: string): string => addressParser(from, { flatten: true })[0]?.address ?? from;

/** How often a mail is tried, and when it is given up. */
export interface Retries {
  readonly maximum: number;
  /** Seconds until the next attempt. */
  seconds(attempt: number): number;
  /** Whether a permanent refusal ends it at once. */
  isForGood(refusal: Extract<Delivery, { outcome: 'refused' }>): boolean;
  /** Awaited before a mail is given up: a kill after it gives the mail up again. */
  onGivenUp?(): Promise<void>;
}

/**
 * Sends a claimed mail and records how it went. One that may have arrived is sent again (RFC 5321, 4.5.4.1): its
 * Message-ID is the same.
 * @param attempt which one this is, as it was claimed
 */
export async function sendClaimed(
  { database, server, settings, sender }: RoundOptions,
  mail: Mail,
  attempt: number,
  { to, text }: { readonly to: string; readonly text: Buffer },
  { maximum, seconds, isForGood, onGivenUp }: Retries,
): Promise<Delivery> {
  // Its last attempt was abandoned by a process that died: a mail must not kill one after the other.
  const delivery: Delivery =
    attempt > maximum
      ? { outcome: 'unknown', answer: 'given up: its senders died' }
      : await server.deliver({ from: bareAddress(settings.from), to }, text, () =>
          beginHandOver(database, mail, sender),
        );
  const { outcome, answer } = delivery;
  const counts = outcome !== 'unsent';
  const isGivenUp = outcome === 'refused' && isForGood(delivery);
  if (outcome === 'accepted') await settleMail(database, mail, sender, { state: 'sent', answer });
  else if (isGivenUp || (counts && attempt >= maximum)) {
    await onGivenUp?.();
    await settleMail(database, mail, sender, { state: 'refused', answer });
  } else await giveBackMail(database, mail, sender, { answer, seconds: seconds(attempt), counts });
  return delivery;
}

/** Mails that one process at a time sends. */
export interface MailRounds {
  /** The name of the claim. */
  readonly name: string;
  /** The round that is due at a moment; null for none. */
  due(now: Date): ((options: RoundOptions) => Promise<RoundCount>) | null;
}

/** Milliseconds between two checks for due mails. */
const CHECK_INTERVAL = 15_000;

interface RunOptions extends Omit<RoundOptions, 'sender'> {
  readonly rounds: readonly MailRounds[];
  /** The group of processes that send: one of them is active, and another takes over when it dies. */
  readonly group: Group;
  readonly every?: number;
}

/** Sends what is due until the signal aborts; restarts of PostgreSQL and the mail server are survived. */
export async function runMails({ every = CHECK_INTERVAL, ...options }: RunOptions): Promise<void> {
  const { signal, report } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await sendAsMember(options, every);
      failures = 0;
    } catch (error) {
      report({ account: 'none', answer: String(error) }, 'sending mails failed; it is retried');
    }
    await pause(backoff(failures++, { base: 500, maximum: every }, Math.random), signal);
  }
}

/** Checks and sends while this process is a member of the group. */
const sendAsMember = ({ group, rounds, ...options }: Omit<RunOptions, 'every'>, every: number): Promise<void> =>
  asMember(group, options.signal, async (member, signal) => {
    while (!signal.aborted) {
      for (const { name, due } of rounds) {
        const round = due(options.now());
        const giveBack = round && (await member.claim(name));
        if (round && giveBack) await round({ ...options, signal, sender: member.id }).finally(giveBack);
      }
      options.server.close();
      await pause(every, signal);
    }
  });
