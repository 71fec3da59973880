/**
 * The morning brief by mail: who subscribed, and who mails which brief, by a row a person and a day in PostgreSQL,
 * so that a kill at any moment loses none.
 */
import { z } from 'zod';
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { type Queryable, query } from '../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../schemas/access.ts';
import { type BriefScope, briefMailStream } from '../schemas/brief.ts';
import { type DataOf, type KnownEvent, readEvent } from '../schemas/events.ts';

type Subscribed = DataOf<'BriefSubscribed'>;
type BriefEvent =
  | Pick<KnownEvent<'BriefSubscribed'>, 'type' | 'data'>
  | Pick<KnownEvent<'BriefUnsubscribed'>, 'type' | 'data'>;

export type SubscriptionCommand =
  | {
      readonly do: 'subscribe';
      readonly email: string;
      readonly scope: BriefScope /** Of a new subscription. */;
      readonly token: string;
    }
  | { readonly do: 'unsubscribe'; readonly by: DataOf<'BriefUnsubscribed'>['by'] };

/** The newest subscription in an account's stream, which may have ended. */
export interface Subscription {
  readonly wanted: Subscribed;
  readonly active: boolean;
  /** How it ended; null while it is active. */
  readonly endedBy: DataOf<'BriefUnsubscribed'>['by'] | null;
}

/** The subscription after an event; null before the first. */
export function evolveSubscription(
  before: Subscription | null,
  event: Pick<KnownEvent, 'type' | 'data'>,
): Subscription | null {
  if (event.type === 'BriefSubscribed') return { wanted: event.data as Subscribed, active: true, endedBy: null };
  if (event.type !== 'BriefUnsubscribed') return before;
  return before && { ...before, active: false, endedBy: (event.data as DataOf<'BriefUnsubscribed'>).by };
}

/** What a command leads to; null when all is so already. Pure. */
export function decideSubscription(
  account_id: AccountId,
  now: Subscription | null,
  command: SubscriptionCommand,
): BriefEvent | null {
  if (command.do === 'unsubscribe')
    // An erasure is written even after an unsubscription: it also removes the address from the read model.
    return now?.active || (now && command.by === 'erasure' && now.endedBy !== 'erasure')
      ? { type: 'BriefUnsubscribed', data: { account_id, by: command.by } }
      : null;
  const { email, scope, token } = command;
  if (now?.active && now.wanted.email === email && now.wanted.scope === scope) return null;
  // Mails that are out keep leading to the subscription, also to one that begins again.
  return { type: 'BriefSubscribed', data: { account_id, email, scope, token: now?.wanted.token ?? token } };
}

/**
 * Carries out a command on the subscription of an account.
 * @returns the position of the event; null when nothing happened
 * @throws StreamContention when others keep being faster
 */
export async function changeSubscription(
  store: Pick<EventStore, 'append' | 'read'>,
  account: AccountId,
  command: SubscriptionCommand,
  now: Date,
): Promise<Position | null> {
  const { position } = await handleCommand(store, {
    stream: briefMailStream(account),
    fold: (stored) =>
      stored.map((event): KnownEvent => readEvent(event)).reduce<Subscription | null>(evolveSubscription, null),
    decide: (subscription) => {
      const fact = decideSubscription(account, subscription, command);
      return { facts: fact ? [fact] : [] };
    },
    now,
  });
  return position;
}

/** After so many attempts a mail is given up for the day. */
const MAX_ATTEMPTS = 6;
/**
 * Seconds after which a mail that was being handed over is another's to send: the mail server would have answered its
 * sender, or the sender timed out, in half the time (see the time limits of `web/brief-mail/smtp.ts`).
 */
export const ABANDONED_SECONDS = 120;

/** One brief: the day in India, and for whom. */
export interface Mail {
  readonly day: string;
  readonly account: AccountId;
}

/**
 * True in SQL for a mail `m` that is still to be sent, and may be claimed; its parameters are the seconds and the
 * attempts.
 */
const open = (seconds: string, attempts: string): string =>
  `((m.state = 'claimed' AND m.not_before <= now()) OR (m.state = 'handing_over' AND m.attempts < ${attempts}
     AND m.changed_at <= now() - make_interval(secs => ${seconds})))`;

/** Accounts that need nothing more on a day, or not yet. */
export async function settledAccounts(
  database: Queryable,
  day: string,
  abandonedAfter = ABANDONED_SECONDS,
): Promise<ReadonlySet<AccountId>> {
  const text = `SELECT account FROM access.brief_mail m WHERE day = $1::date AND NOT ${open('$2', '$3')}`;
  const rows = await query(database, text, [day, abandonedAfter, MAX_ATTEMPTS], z.object({ account: StoredAccountId }));
  return new Set(rows.map(({ account }) => account));
}

/**
 * Takes it on, also from a process that died over it. One that died while it handed the mail over may have delivered it:
 * it goes out again all the same, under the Message-ID that it had, by which mailboxes know it for the same.
 * @returns false when it is done, or not yet to be tried again
 */
export async function claimMail(
  database: Queryable,
  { day, account }: Mail,
  by: string,
  abandonedAfter = ABANDONED_SECONDS,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `INSERT INTO access.brief_mail AS m (day, account, state, claimed_by) VALUES ($1::date, $2, 'claimed', $3)
     ON CONFLICT (day, account) DO UPDATE
       SET state = 'claimed', claimed_by = $3, attempts = m.attempts + 1, changed_at = now()
     WHERE ${open('$4', '$5')}`,
    [day, account, by, abandonedAfter, MAX_ATTEMPTS],
  );
  return rowCount === 1;
}

/**
 * To be called before the last line of the mail goes out, and awaited: from here on the mail server may have it.
 * @returns false when another process has claimed it since, which must then be left to it
 */
export async function beginHandOver(database: Queryable, { day, account }: Mail, by: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE access.brief_mail SET state = 'handing_over', changed_at = now()
     WHERE day = $1::date AND account = $2 AND claimed_by = $3 AND state = 'claimed'`,
    [day, account, by],
  );
  return rowCount === 1;
}

export type Settlement = { readonly state: 'sent' | 'refused' | 'empty'; readonly answer: string | null };

/** Notes how it ended. */
export async function settleMail(
  database: Queryable,
  { day, account }: Mail,
  by: string,
  { state, answer }: Settlement,
): Promise<void> {
  await database.query(
    `UPDATE access.brief_mail SET state = $4, answer = $5, changed_at = now()
     WHERE day = $1::date AND account = $2 AND claimed_by = $3`,
    [day, account, by, state, answer],
  );
}

/**
 * Gives it back, for the mail server has it not, or did not say: to be tried again a little later, each time a little
 * longer after.
 * @param counts false for an attempt that never came so far as to be refused, as while the server is down
 */
export async function giveBackMail(
  database: Queryable,
  { day, account }: Mail,
  by: string,
  { answer, seconds, counts }: { readonly answer: string; readonly seconds: number; readonly counts: boolean },
): Promise<void> {
  await database.query(
    `UPDATE access.brief_mail SET answer = $4, changed_at = now(),
       state = CASE WHEN $7 AND attempts >= $6 THEN 'refused' ELSE 'claimed' END,
       attempts = CASE WHEN $7 THEN attempts ELSE attempts - 1 END,
       not_before = now() + make_interval(secs => $5 * greatest(1, attempts))
     WHERE day = $1::date AND account = $2 AND claimed_by = $3 AND state IN ('claimed', 'handing_over')`,
    [day, account, by, answer, seconds, MAX_ATTEMPTS, counts],
  );
}

/** Deletes what is older than a month. @param limit maximum number of rows @returns how many were deleted */
export async function sweepMails(database: Queryable, limit: number): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.brief_mail WHERE (day, account) IN (
       SELECT day, account FROM access.brief_mail WHERE day < current_date - 31 LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}

/** How many mails are in which state on the day in India that a moment is in. */
export const mailsOf = (
  database: Queryable,
  now: Date,
): Promise<readonly { readonly state: string; readonly mails: number }[]> =>
  query(
    database,
    `SELECT state, count(*)::int AS mails FROM access.brief_mail
     WHERE day = ($1::timestamptz AT TIME ZONE 'Asia/Kolkata')::date GROUP BY state ORDER BY state`,
    [now],
    z.object({ state: z.string(), mails: z.int() }),
  );
