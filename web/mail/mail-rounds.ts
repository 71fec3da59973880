/**
 * What the rounds of the brief and of saved searches share: how a claimed mail is sent, its delivery to a mail server,
 * which reports exactly how far it came, and the process that sends.
 */
import { Readable } from 'node:stream';
import addressParser from 'nodemailer/lib/addressparser';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { beginHandOver, giveBackMail, type Mail, settleMail } from '../../access/mails.ts';
import { backoff, pause } from '../../log/backoff.ts';
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { asMember, type Group } from '../../log/postgres/topics/consumer-group.ts';
import type { Directory } from '../../schemas/directory.ts';
import type { MailSettings } from './mail-message.ts';

const TIMEOUT = 30_000;

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/**
 * `accepted`: the server has the mail. `refused`: the server rejected it, permanently or temporarily, its recipient or
 * something else of it. `unsent`: the server cannot have it, because its last line was not sent. `unknown`: the last
 * line was sent, without an answer.
 */
type Delivery =
  | { readonly outcome: 'accepted'; readonly answer: string }
  | {
      readonly outcome: 'refused';
      readonly forGood: boolean;
      readonly ofRecipient: boolean;
      readonly answer: string;
    }
  | { readonly outcome: 'unsent' | 'unknown'; readonly answer: string };

export interface MailServer {
  /**
   * Delivers one mail; the connection stays open for the next.
   * @param lastLine awaited before the last line is sent, without which no server takes a mail. False withholds it.
   */
  deliver(envelope: Envelope, mail: Buffer, lastLine: () => Promise<boolean>): Promise<Delivery>;
  close(): void;
}

/** The mail, and its end once the last line may be sent. */
async function* guarded(mail: Buffer, lastLine: () => Promise<boolean>): AsyncGenerator<Buffer> {
  yield mail;
  if (!(await lastLine())) throw new Error('withheld');
}

const answerOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** @param url as in SMTP_URL: `smtps://user:password@mail.example:465` */
export function mailServer(url: string): MailServer {
  const { host, port, secure, auth, ...more } = parseConnectionUrl(url);
  const options = {
    ...more,
    host,
    port,
    secure,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: 2 * TIMEOUT,
  };
  let open: SMTPConnection | null = null;

  async function connected(): Promise<SMTPConnection> {
    if (open) return open;
    const connection = new SMTPConnection(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = (): void => {
      if (open === connection) open = null;
    };
    // A connection that breaks between two mails is not an error: the next mail opens another.
    connection.on('error', (error: Error) => {
      gone();
      reject(error);
    });
    connection.once('end', gone);
    connection.connect((error) => (error ? reject(error) : resolve()));
    try {
      await promise;
      if (auth?.user !== undefined) await login(connection, { user: auth.user, pass: auth.pass ?? '' });
    } catch (error) {
      connection.close();
      throw error;
    }
    open = connection;
    return connection;
  }

  return {
    async deliver(envelope, mail, lastLine) {
      let lastLineSent = false;
      const noted = async (): Promise<boolean> => {
        const may = await lastLine();
        lastLineSent = may;
        return may;
      };
      let connection: SMTPConnection;
      try {
        connection = await connected();
      } catch (error) {
        return { outcome: 'unsent', answer: answerOf(error) };
      }
      try {
        return { outcome: 'accepted', answer: await send(connection, envelope, Readable.from(guarded(mail, noted))) };
      } catch (error) {
        connection.close();
        open = null;
        const { responseCode: code, command } = error as { responseCode?: unknown; command?: unknown };
        // An error answer to any line: the server does not have the mail.
        if (typeof code === 'number' && code >= 400)
          return {
            outcome: 'refused',
            forGood: code >= 500,
            answer: answerOf(error),
            ofRecipient: command === 'RCPT TO',
          };
        return { outcome: lastLineSent ? 'unknown' : 'unsent', answer: answerOf(error) };
      }
    },
    close() {
      open?.quit();
      open = null;
    },
  };
}

const login = (connection: SMTPConnection, credentials: { user: string; pass: string }): Promise<void> =>
  new Promise((resolve, reject) =>
    connection.login({ credentials }, (error: Error | null | undefined) => (error ? reject(error) : resolve())),
  );

const send = (connection: SMTPConnection, { from, to }: Envelope, mail: Readable): Promise<string> =>
  new Promise((resolve, reject) =>
    connection.send({ from, to: [to] }, mail, (error, info) =>
      error ? reject(error) : resolve(String(info?.response ?? '')),
    ),
  );

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
