/** How much an account and its keys called on each day, for people to look at; quotas count by themselves. */
import { z } from 'zod';
import { istDay } from '../../language/days.ts';
import { type Queryable, query, queryValue } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import type { Charge } from './limits.ts';

/** Milliseconds between two writes of counts: a call must not wait for a statistic. */
const WRITE_EVERY = 1_000;
const ACCOUNT_DAY = /^(acc_[0-9a-f]+) day$/;

interface Count {
  readonly account: AccountId;
  readonly keyId: string | null;
  /** In IST. */
  readonly day: string;
  calls: number;
  questions: number;
  lastAt: Date;
}

const waiting = new WeakMap<Queryable, Map<string, Count>>();

/** Notes a call that was charged. @param times -1 for one that was given back */
export function noteUsage(database: Queryable, { windows, at, keyId = null }: Charge, times: 1 | -1): void {
  const account = windows
    .map(({ key }) => ACCOUNT_DAY.exec(key)?.[1] as AccountId | undefined)
    .find((id) => id !== undefined);
  if (account === undefined) return;
  const counts = waiting.get(database) ?? startCounting(database);
  const day = istDay(at);
  const key = `${account} ${keyId} ${day}`;
  const count = counts.get(key) ?? { account, keyId, day, calls: 0, questions: 0, lastAt: at };
  count.calls += times;
  if (at > count.lastAt) count.lastAt = at;
  if (windows.some(({ name }) => name === 'questions')) count.questions += times;
  counts.set(key, count);
}

function startCounting(database: Queryable): Map<string, Count> {
  const counts = new Map<string, Count>();
  waiting.set(database, counts);
  // Counts that cannot be written, such as during a restart of the database, are lost: they limit nothing.
  setTimeout(() => writeUsage(database).catch(() => undefined), WRITE_EVERY).unref();
  return counts;
}

/** Writes all that was noted since the last time. */
export async function writeUsage(database: Queryable): Promise<void> {
  const counts = [...(waiting.get(database)?.values() ?? [])];
  waiting.delete(database);
  await write(database, counts);
}

async function write(database: Queryable, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  const ordered = counts.toSorted((one, other) => (one.account < other.account ? -1 : 1));
  await database.query(
    `WITH noted AS (
       SELECT * FROM unnest($1::text[], $2::date[], $3::integer[], $4::integer[], $5::text[], $6::timestamptz[])
         AS t (account, day, calls, questions, key_id, last_at)),
     by_key AS (
       INSERT INTO access.usage_key_day AS k (key_id, day, calls, last_at)
       SELECT key_id, day, calls, last_at FROM noted WHERE key_id IS NOT NULL ORDER BY key_id, day
       ON CONFLICT (key_id, day) DO UPDATE SET
         calls = greatest(0, k.calls + EXCLUDED.calls), last_at = greatest(k.last_at, EXCLUDED.last_at))
     INSERT INTO access.usage_day AS u (account, day, calls, questions)
     SELECT account, day, sum(calls), sum(questions) FROM noted GROUP BY account, day ORDER BY account, day
     ON CONFLICT (account, day) DO UPDATE SET
       calls = greatest(0, u.calls + EXCLUDED.calls), questions = greatest(0, u.questions + EXCLUDED.questions)`,
    [
      ordered.map(({ account }) => account),
      ordered.map(({ day }) => day),
      ordered.map(({ calls }) => calls),
      ordered.map(({ questions }) => questions),
      ordered.map(({ keyId }) => keyId),
      ordered.map(({ lastAt }) => lastAt),
    ],
  );
}

const Day = z.object({ day: z.string(), calls: z.int(), questions: z.int() });
export type UsageDay = z.infer<typeof Day>;

/** The last days of an account up to today, oldest first, those without a call too. @param days at most 400 */
export async function usageByDay(
  database: Queryable,
  account: AccountId,
  days: number,
  now: Date,
): Promise<UsageDay[]> {
  await writeUsage(database);
  return query(
    database,
    `SELECT to_char(d, 'YYYY-MM-DD') AS day, coalesce(u.calls, 0) AS calls, coalesce(u.questions, 0) AS questions
     FROM generate_series($2::date - $3::integer + 1, $2::date, interval '1 day') d
     LEFT JOIN access.usage_day u ON u.account = $1 AND u.day = d::date ORDER BY d`,
    [account, istDay(now), days],
    Day,
  );
}

const KeyUse = z.object({ key_id: z.string(), calls: z.int(), last_at: z.date() });
export type KeyUse = z.infer<typeof KeyUse>;

/** What each of these keys called in the last days up to today, by its id; none for a key that called nothing. */
export async function usageOfKeys(
  database: Queryable,
  keyIds: readonly string[],
  days: number,
  now: Date,
): Promise<ReadonlyMap<string, KeyUse>> {
  await writeUsage(database);
  const text = `SELECT key_id, sum(calls)::integer AS calls, max(last_at) AS last_at FROM access.usage_key_day
    WHERE key_id = ANY ($1) AND day > $2::date - $3::integer GROUP BY key_id`;
  const rows = await query(database, text, [keyIds, istDay(now), days], KeyUse);
  return new Map(rows.map((row) => [row.key_id, row]));
}

const AccountUse = z.object({ account: StoredAccountId, calls: z.int(), questions: z.int(), today: z.int() });
export type AccountUse = z.infer<typeof AccountUse>;

/** What each account called in the last days up to today, by its id; none for an account that called nothing. */
export async function usageOfAccounts(
  database: Queryable,
  days: number,
  now: Date,
): Promise<ReadonlyMap<string, AccountUse>> {
  await writeUsage(database);
  const text = `SELECT account, sum(calls)::integer AS calls, sum(questions)::integer AS questions,
      coalesce(sum(calls) FILTER (WHERE day = $1::date), 0)::integer AS today
    FROM access.usage_day WHERE day > $1::date - $2::integer GROUP BY account`;
  const rows = await query(database, text, [istDay(now), days], AccountUse);
  return new Map(rows.map((row) => [row.account, row]));
}

// One statement each, so that no two processes spend the same dollar.
const RESERVE = `INSERT INTO access.model_spend AS spend (day, usd) SELECT $1::date, $2::numeric WHERE $2::numeric <= $3::numeric
  ON CONFLICT (day) DO UPDATE SET usd = spend.usd + EXCLUDED.usd WHERE spend.usd + EXCLUDED.usd <= $3::numeric
  RETURNING usd`;
const SETTLE = `UPDATE access.model_spend SET usd = greatest(0, usd + $2::numeric) WHERE day = $1::date`;

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** The budget that calls to a model reserve from. @param budget US dollars a day */
export function modelBudget(database: Queryable, budget: number, now: () => Date) {
  return {
    /**
     * Counts what a call may cost, before it is sent.
     * @returns null when the day's budget does not cover it: the call must not be sent
     */
    async reserve(usd: number) {
      // A call is counted on the day on which it was sent, also when it answers on the next.
      const day = dayOf(now());
      const reserved = await queryValue(database, RESERVE, [day, usd.toFixed(8), budget], z.coerce.number());
      if (reserved === null) return null;
      return {
        settle: async (actual: number): Promise<void> =>
          void (await database.query(SETTLE, [day, (actual - usd).toFixed(8)])),
      };
    },
  };
}

/** US dollars that calls of a day may have cost. @param now any moment of the day, by UTC */
export async function modelSpend(database: Queryable, now: Date): Promise<number> {
  const text = 'SELECT usd FROM access.model_spend WHERE day = $1::date';
  return (await queryValue(database, text, [dayOf(now)], z.coerce.number())) ?? 0;
}
