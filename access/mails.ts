/** Mails to accounts: who has the morning brief, and a row for each mail, so that a kill loses none. */
import { z } from 'zod';
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { type Queryable, query, queryColumn, queryValue } from '../log/postgres/database.ts';
import { waitForOwnWrite } from '../projector/model-progress.ts';
import {
  BRIEF_SUBSCRIBERS,
  evolveSubscriber,
  type SubscriberRow,
} from '../projector/models/mail-subscriptions-read-models.ts';
import { type AccountId, StoredAccountId } from '../schemas/access.ts';
import { type DataOf, type KnownEvent, readEvent } from '../schemas/events.ts';
import { ERASED_EMAIL } from '../schemas/personal.ts';
import { type BriefScope, briefMailStream } from '../schemas/subscriptions.ts';
import type { CommandServices } from './account.ts';

export type SubscriptionCommand =
  | {
      readonly do: 'subscribe';
      readonly email: string;
      readonly scope: BriefScope;
      /** Of a new subscription. */
      readonly token: string;
    }
  | { readonly do: 'unsubscribe'; readonly by: DataOf<'BriefUnsubscribed'>['by'] };

/** What a command leads to; null when all is so already. Pure. */
export function decideSubscription(
  account_id: AccountId,
  subscription: SubscriberRow | null,
  command: SubscriptionCommand,
): Fact<'BriefSubscribed' | 'BriefUnsubscribed'> | null {
  const isActive = subscription !== null && subscription.ended_at === null;
  if (command.do === 'unsubscribe')
    // An erasure is written even after an unsubscription: it also removes the address from the read model.
    return isActive || (subscription && command.by === 'erasure' && subscription.email !== ERASED_EMAIL)
      ? { type: 'BriefUnsubscribed', data: { account_id, by: command.by } }
      : null;
  const { email, scope, token } = command;
  if (isActive && subscription.email === email && subscription.scope === scope) return null;
  // Mails that are out keep leading to the subscription, also to one that begins again.
  return { type: 'BriefSubscribed', data: { account_id, email, scope, token: subscription?.token ?? token } };
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
      stored.map((event): KnownEvent => readEvent(event)).reduce<SubscriberRow | null>(evolveSubscriber, null),
    decide: (subscription) => {
      const fact = decideSubscription(account, subscription, command);
      return { facts: fact ? [fact] : [] };
    },
    now,
  });
  return position;
}

/** The same, and waits until readers see it. */
export async function commandSubscription(
  { store, database, now }: CommandServices,
  account: AccountId,
  command: SubscriptionCommand,
): Promise<void> {
  const position = await changeSubscription(store, account, command, now());
  await waitForOwnWrite(database, [BRIEF_SUBSCRIBERS], position);
}

/** Seconds after which a claimed mail is another process's to send: a process that runs gives a delivery up in half the time. */
export const ABANDONED_SECONDS = 300;

/** One mail: the brief of a day in India for an account, or one of the digests of a saved search. */
export type Mail =
  | { readonly of: 'brief'; readonly day: string; readonly account: AccountId }
  | { readonly of: 'search'; readonly number: number; readonly search: string };

/** The table of a mail, and its row there by the parameters $1 and $2. */
const ROWS = {
  brief: { table: 'access.brief_mail', row: 'day = $1::date AND account = $2' },
  search: { table: 'access.search_mail', row: 'number = $1::integer AND search = $2' },
} as const;

const placeOf = (mail: Mail) => ({
  ...ROWS[mail.of],
  values: mail.of === 'brief' ? [mail.day, mail.account] : [mail.number, mail.search],
});

/**
 * True in SQL for a mail `m` that may be claimed: one that waits, or whose process must be dead. In the tables the state of the
 * first is `claimed`, that of the second `handing_over`.
 * @param seconds the parameter with the seconds after which a mail counts as abandoned
 */
const claimable = (seconds: string): string =>
  `((m.state = 'claimed' AND m.not_before <= now())
     OR (m.state = 'handing_over' AND m.changed_at <= now() - make_interval(secs => ${seconds})))`;

/**
 * Claims an opened mail, also from a process that died over it. That process may have delivered it: it goes out again all the
 * same, under the Message-ID that it had, by which mailboxes know it for the same.
 * @param by the process that claims it
 * @returns which attempt this is; null when the mail is done, not opened, or not to be tried yet
 */
export function claimMail(
  database: Queryable,
  mail: Mail,
  by: string,
  abandonedAfter = ABANDONED_SECONDS,
): Promise<number | null> {
  const { table, row, values } = placeOf(mail);
  return queryValue(
    database,
    `UPDATE ${table} AS m SET state = 'handing_over', claimed_by = $3, attempts = m.attempts + 1, changed_at = now()
     WHERE ${row} AND ${claimable('$4')} RETURNING attempts`,
    [...values, by, abandonedAfter],
    z.int(),
  );
}

type Settlement = { readonly state: 'sent' | 'refused' | 'empty'; readonly answer: string | null };

/** Notes how it ended. */
export async function settleMail(
  database: Queryable,
  mail: Mail,
  by: string,
  { state, answer }: Settlement,
): Promise<void> {
  const { table, row, values } = placeOf(mail);
  await database.query(
    `UPDATE ${table} SET state = $4, answer = $5, changed_at = now() WHERE ${row} AND claimed_by = $3`,
    [...values, by, state, answer],
  );
}

/** Gives it back, for the mail server has it not, or did not say: to be tried again after some seconds. */
export async function giveBackMail(
  database: Queryable,
  mail: Mail,
  by: string,
  { answer, seconds }: { readonly answer: string; readonly seconds: number },
): Promise<void> {
  const { table, row, values } = placeOf(mail);
  await database.query(
    `UPDATE ${table} SET answer = $4, changed_at = now(), state = 'claimed', not_before = now() + make_interval(secs => $5)
     WHERE ${row} AND claimed_by = $3 AND state = 'handing_over'`,
    [...values, by, answer, seconds],
  );
}

// Mails of the brief: one for an account and a day.

/** Opens the brief of a day for an account; one that was opened before stays as it is. */
export async function openBriefMail(database: Queryable, day: string, account: AccountId): Promise<Mail> {
  await database.query(
    `INSERT INTO access.brief_mail (day, account, state, claimed_by, attempts) VALUES ($1::date, $2, 'claimed', '', 0)
     ON CONFLICT (day, account) DO NOTHING`,
    [day, account],
  );
  return { of: 'brief', day, account };
}

/** Accounts whose brief of a day is settled, or is not to be tried yet. */
export async function settledAccounts(
  database: Queryable,
  day: string,
  abandonedAfter = ABANDONED_SECONDS,
): Promise<ReadonlySet<AccountId>> {
  const text = `SELECT account FROM access.brief_mail m WHERE day = $1::date AND NOT ${claimable('$2')}`;
  return new Set(await queryColumn(database, text, [day, abandonedAfter], StoredAccountId));
}

// Mails of saved searches: numbered, each with the stories that it has.

/** The mails of an hour by which digests at once are limited. */
export const MAILS_AN_HOUR = 4;

const Latest = z.object({
  search: z.string(),
  /** 0 before the first. */
  number: z.int(),
  /** True while the latest mail is not settled: no other is opened before. */
  is_open: z.boolean(),
  /** When the latest ones were opened, the newest first. */
  opened: z.array(z.date()),
});
export type LatestMails = z.infer<typeof Latest>;

/** The latest mails of searches, as many as an hour may have. */
export const latestSearchMails = (database: Queryable, searches: readonly string[]): Promise<LatestMails[]> =>
  query(
    database,
    `SELECT wanted.search, coalesce(max(m.number), 0) AS number,
       coalesce(bool_or(m.state IN ('claimed', 'handing_over')), false) AS is_open,
       coalesce(array_agg(m.opened_at ORDER BY m.number DESC) FILTER (WHERE m.number IS NOT NULL), '{}') AS opened
     FROM unnest($1::text[]) AS wanted(search) LEFT JOIN LATERAL (
       SELECT number, state, opened_at FROM access.search_mail WHERE search = wanted.search
       ORDER BY number DESC LIMIT $2
     ) m ON true GROUP BY wanted.search`,
    [searches, MAILS_AN_HOUR],
    Latest,
  );

interface NewSearchMail {
  readonly search: string;
  /** One above the latest. */
  readonly number: number;
  readonly account: AccountId;
  /** Null to choose them at the first attempt. */
  readonly stories: readonly string[] | null;
  readonly opened_at: Date;
  /** Seconds before the first attempt. */
  readonly wait: number;
}

/** Opens a mail. @returns false when another process has opened one of this number */
export async function openSearchMail(database: Queryable, mail: NewSearchMail): Promise<boolean> {
  const { search, number, account, stories, opened_at, wait } = mail;
  const { rowCount } = await database.query(
    `INSERT INTO access.search_mail (search, number, account, stories, state, opened_at, not_before)
     VALUES ($1, $2, $3, $4, 'claimed', $5, now() + make_interval(secs => $6)) ON CONFLICT (search, number) DO NOTHING`,
    [search, number, account, stories, opened_at, wait],
  );
  return rowCount === 1;
}

/** Fixes the stories of a claimed mail. @returns those that it has now; null when another process has claimed it since */
export function fixStories(
  database: Queryable,
  { search, number }: Extract<Mail, { of: 'search' }>,
  by: string,
  stories: readonly string[],
): Promise<readonly string[] | null> {
  return queryValue(
    database,
    `UPDATE access.search_mail SET stories = coalesce(stories, $4)
     WHERE number = $1 AND search = $2 AND claimed_by = $3 AND state = 'handing_over' RETURNING stories`,
    [number, search, by, stories],
    z.array(z.string()),
  );
}

const Due = z.object({ search: z.string(), number: z.int(), stories: z.array(z.string()).nullable() });
export type DueSearchMail = z.infer<typeof Due>;

/** The opened mails of searches that may be claimed, in the order in which they were due. */
export const dueSearchMails = (database: Queryable, abandonedAfter = ABANDONED_SECONDS): Promise<DueSearchMail[]> =>
  query(
    database,
    `SELECT search, number, stories FROM access.search_mail m
     WHERE m.state IN ('claimed', 'handing_over') AND ${claimable('$1')} ORDER BY not_before, search`,
    [abandonedAfter],
    Due,
  );

/** The stories that a search was mailed, or is about to be, in mails opened since a moment. */
export function mailedStories(database: Queryable, search: string, since: Date): Promise<string[]> {
  const text = `SELECT DISTINCT story FROM access.search_mail, unnest(stories) AS story
    WHERE search = $1 AND state <> 'refused' AND opened_at >= $2`;
  return queryColumn(database, text, [search, since], z.string());
}

// All mails.

const Counted = z.object({ of: z.enum(['brief', 'search']), state: z.string(), mails: z.int() });

/** How many mails of the brief and of searches are in which state on the day in India that a moment is in. */
export const mailsOf = (database: Queryable, now: Date): Promise<readonly z.infer<typeof Counted>[]> =>
  query(
    database,
    `SELECT of, state, count(*)::int AS mails FROM (
       SELECT 'brief' AS of, state, day FROM access.brief_mail
       UNION ALL SELECT 'search', state, (opened_at AT TIME ZONE 'Asia/Kolkata')::date FROM access.search_mail
     ) AS mail WHERE day = ($1::timestamptz AT TIME ZONE 'Asia/Kolkata')::date GROUP BY of, state ORDER BY of, state`,
    [now],
    Counted,
  );
