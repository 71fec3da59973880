/**
 * What the rounds of the brief and of saved searches share: their mail server, how a claimed mail is sent, and the process that
 * sends.
 */
import { createTransport } from 'nodemailer';
import { ABANDONED_SECONDS, giveBackMail, type Mail, settleMail } from '../../access/mails.ts';
import { keepRunning, pause, RETRY } from '../../log/backoff.ts';
import { logError, logRecovery, messageOf, type OutageLogger, warnOfOutage } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { asMember, type Group } from '../../log/postgres/topics/consumer-group.ts';
import type { Directory } from '../../schemas/directory.ts';
import type { MailSettings } from './mail-message.ts';

const TIMEOUT = 30_000;
/** Milliseconds after which a mail is given up by its sender: well before another process may send it. */
const LONGEST_DELIVERY = (ABANDONED_SECONDS * 1_000) / 2;
/** Milliseconds after which an unused connection is closed. */
const IDLE = 10_000;

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/**
 * `accepted`: the server has the mail. `refused`: the server rejected it, permanently or temporarily, its recipient or
 * something else of it. `unknown`: the server did not answer, and may have the mail.
 */
type Delivery =
  | { readonly outcome: 'accepted'; readonly answer: string }
  | {
      readonly outcome: 'refused';
      readonly forGood: boolean;
      readonly ofRecipient: boolean;
      readonly answer: string;
    }
  | { readonly outcome: 'unknown'; readonly answer: string };

export interface MailServer {
  /** Connects and signs in. @returns why mails cannot be sent; null when they can */
  check(): Promise<string | null>;
  /** Delivers one mail; the connection stays open for the next. */
  deliver(envelope: Envelope, mail: Buffer): Promise<Delivery>;
  close(): void;
}

/** @param url as in SMTP_URL: `smtps://user:password@mail.example:465` */
export function mailServer(url: string): MailServer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    // A mail whose connection broke may have arrived: it is sent again by a later round, which counts its attempts.
    maxRequeues: 0,
    idleTimeout: IDLE,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: 2 * TIMEOUT,
  });
  return {
    check: () => transport.verify().then(() => null, messageOf),
    async deliver(envelope, mail) {
      try {
        const signal = AbortSignal.timeout(LONGEST_DELIVERY);
        const info = await transport.sendMail({ envelope: { ...envelope }, raw: mail, signal });
        return { outcome: 'accepted', answer: info.response };
      } catch (error) {
        const { responseCode: code, command } = error as { responseCode?: unknown; command?: unknown };
        // An error answer to any line: the server does not have the mail.
        if (typeof code !== 'number' || code < 400) return { outcome: 'unknown', answer: messageOf(error) };
        return {
          outcome: 'refused',
          forGood: code >= 500,
          answer: messageOf(error),
          ofRecipient: command === 'RCPT TO',
        };
      }
    },
    close: () => transport.close(),
  };
}

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
  /** Receives failures, never with an e-mail address; an outage of the mail server is a line a minute, and one at its end. */
  readonly logger: OutageLogger;
}

export type Outcome = Delivery['outcome'] | 'empty' | 'left';

/** The number of mails by outcome; unsent are those that were not tried, because the server is unreachable. */
export type RoundCount = { [Result in Outcome | 'unsent']: number };

const UNREACHABLE = 'the mail server cannot be used; mails wait';

/**
 * Logs a mail that was not delivered. What may succeed later is logged once a minute by answer: the server may say it of
 * every mail.
 */
export function logUndelivered(
  { logger }: Pick<RoundOptions, 'logger'>,
  failed: Delivery,
  account: string,
  what: string,
) {
  if (failed.outcome === 'accepted') return;
  const { outcome, answer } = failed;
  const message = `${what} was not delivered: ${outcome}`;
  if (outcome === 'refused' && failed.forGood) logger.warn({ account, answer }, message);
  else warnOfOutage(logger, answer, { account }, message);
}

/** Sends mails one after the other. Those after one that the server did not answer wait for a later round. */
export async function sendEach<Item>(
  { server, signal, logger }: RoundOptions,
  items: readonly Item[],
  send: (item: Item) => Promise<Outcome>,
): Promise<RoundCount> {
  const count: RoundCount = { accepted: 0, refused: 0, unsent: 0, unknown: 0, empty: 0, left: 0 };
  const unreachable = items.length > 0 ? await server.check() : null;
  if (unreachable !== null) {
    warnOfOutage(logger, unreachable, {}, UNREACHABLE);
    return { ...count, unsent: items.length };
  }
  if (items.length > 0) logRecovery(logger, UNREACHABLE, 'the mail server can be used again');
  for (const item of items) {
    if (signal.aborted) break;
    const outcome = await send(item);
    count[outcome]++;
    if (outcome === 'unknown') break;
  }
  return count;
}

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
      ? { outcome: 'refused', forGood: true, ofRecipient: false, answer: 'given up: its senders died' }
      : await server.deliver({ from: settings.from, to }, text);
  const { outcome, answer } = delivery;
  const isGivenUp = outcome === 'refused' && isForGood(delivery);
  if (outcome === 'accepted') await settleMail(database, mail, sender, { state: 'sent', answer });
  else if (isGivenUp || attempt >= maximum) {
    await onGivenUp?.();
    await settleMail(database, mail, sender, { state: 'refused', answer });
  } else await giveBackMail(database, mail, sender, { answer, seconds: seconds(attempt) });
  return delivery;
}

type Round = (options: RoundOptions) => Promise<RoundCount>;

/** Mails that one process at a time sends. */
export interface MailRounds {
  /** The name of the claim. */
  readonly name: string;
  /** The round that is due at a moment; null for none. */
  due(now: Date): Round | null;
}

/** Milliseconds between two rounds. */
const ROUND_INTERVAL = 60_000;

/** Mails that are due every minute. @param interval milliseconds between two rounds */
export function roundsEvery(name: string, send: Round, interval = ROUND_INTERVAL): MailRounds {
  let next = Number.NEGATIVE_INFINITY;
  const sendThenWait: Round = async (options) => {
    next = performance.now() + interval;
    return send(options);
  };
  return { name, due: () => (performance.now() < next ? null : sendThenWait) };
}

/** Milliseconds between two checks for due mails. */
const CHECK_INTERVAL = 15_000;

interface RunOptions extends Omit<RoundOptions, 'sender'> {
  readonly rounds: readonly MailRounds[];
  /** The group of processes that send: one of them is active, and another takes over when it dies. */
  readonly group: Group;
  readonly every?: number;
}

const SENDING_FAILED = 'sending mails failed; it is retried';

/** Sends what is due until the signal aborts; restarts of PostgreSQL and the mail server are survived. */
export async function runMails({ every = CHECK_INTERVAL, ...options }: RunOptions): Promise<void> {
  const { signal, logger } = options;
  await keepRunning(() => sendAsMember(options, every), {
    ...RETRY.part,
    maximum: every,
    signal,
    failed: (error) => logError(logger, error, {}, SENDING_FAILED),
  });
  options.server.close();
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
      logRecovery(options.logger, SENDING_FAILED, 'mails are sent again');
      await pause(every, signal);
    }
  });
