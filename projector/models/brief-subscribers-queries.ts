/** Queries of subscriptions to the morning brief. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import { BriefScope } from '../../schemas/brief.ts';

const Subscriber = z.object({
  account: StoredAccountId,
  email: z.string(),
  scope: BriefScope,
  token: z.string(),
  since: z.date(),
  ended_at: z.date().nullable(),
});
export type Subscriber = z.infer<typeof Subscriber>;

const SELECT = 'SELECT key AS account, email, scope, token, since, ended_at FROM read.brief_subscribers';

/** Who is to have a brief that is due at a moment: those whose subscription began before it. In the order of accounts. */
export const briefSubscribers = (database: Queryable, due: Date): Promise<Subscriber[]> =>
  query(database, `${SELECT} WHERE ended_at IS NULL AND since < $1 ORDER BY key`, [due], Subscriber);

/** The subscription of an account, in force; null for none. */
export const subscriptionOf = async (database: Queryable, account: AccountId): Promise<Subscriber | null> =>
  (await query(database, `${SELECT} WHERE key = $1 AND ended_at IS NULL`, [account], Subscriber))[0] ?? null;

/** The subscription that the link of a mail leads to, ended ones too; null for none. */
export const subscriptionOfToken = async (database: Queryable, token: string): Promise<Subscriber | null> =>
  (await query(database, `${SELECT} WHERE token = $1`, [token], Subscriber))[0] ?? null;
