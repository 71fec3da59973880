/** Subscriptions to WebSub hubs: written by pollers, which subscribe, and by the API, which the hubs call back. */
import { z } from 'zod';
import { type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { type Queryable, query } from './database.ts';

const Row = z.object({
  source_id: StoredSourceId,
  token: z.string(),
  hub: z.string(),
  topic: z.string(),
  secret: z.string(),
  state: z.enum(['requested', 'active', 'denied']),
  requested_at: z.date().nullable(),
  failures: z.int(),
  next_attempt_at: z.date(),
  lease_expires_at: z.date().nullable(),
  last_delivery_at: z.date().nullable(),
  missed: z.int(),
  reason: z.string().nullable(),
});
/** See `0006_websub.sql`. Never to be logged whole: it holds the secret. */
export type Subscription = z.infer<typeof Row>;

const COLUMNS = Object.keys(Row.shape).join(', ');

const one = async (database: Queryable, condition: string, value: string): Promise<Subscription | null> => {
  const text = `SELECT ${COLUMNS} FROM log.websub_subscription WHERE ${condition}`;
  return (await query(database, text, [value], Row))[0] ?? null;
};

export const subscriptionOf = (database: Queryable, sourceId: SourceId): Promise<Subscription | null> =>
  one(database, 'source_id = $1', sourceId);

export const subscriptionByToken = (database: Queryable, token: string): Promise<Subscription | null> =>
  one(database, 'token = $1', token);

/** Puts a subscription to a hub and topic in the place of what the source had; the hub is to be asked at `now`. */
export async function putSubscription(
  database: Queryable,
  { source_id, token, hub, topic, secret }: Pick<Subscription, 'source_id' | 'token' | 'hub' | 'topic' | 'secret'>,
  now: Date,
): Promise<void> {
  await database.query(
    `INSERT INTO log.websub_subscription (source_id, token, hub, topic, secret, state, next_attempt_at)
     VALUES ($1, $2, $3, $4, $5, 'requested', $6)
     ON CONFLICT (source_id) DO UPDATE SET
       token = excluded.token, hub = excluded.hub, topic = excluded.topic, secret = excluded.secret,
       state = 'requested', requested_at = NULL, failures = 0, next_attempt_at = excluded.next_attempt_at,
       lease_expires_at = NULL, last_delivery_at = NULL, missed = 0, reason = NULL`,
    [source_id, token, hub, topic, secret, now],
  );
}

export async function removeSubscription(database: Queryable, sourceId: SourceId): Promise<void> {
  await database.query('DELETE FROM log.websub_subscription WHERE source_id = $1', [sourceId]);
}

/** Those whose hub is to be asked now, the longest due first. */
export const dueSubscriptions = (database: Queryable, now: Date): Promise<Subscription[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM log.websub_subscription WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT 500`,
    [now],
    Row,
  );

/** Notes that the hub is asked; until `retryAt` its verification is waited for. A hub may verify before it answers. */
export async function noteRequest(database: Queryable, token: string, now: Date, retryAt: Date): Promise<void> {
  await database.query(
    `UPDATE log.websub_subscription SET requested_at = $2, failures = failures + 1, next_attempt_at = $3, reason = NULL
     WHERE token = $1`,
    [token, now, retryAt],
  );
}

/** Notes why the hub did not take the request. */
export async function noteFailure(database: Queryable, token: string, reason: string): Promise<void> {
  await database.query('UPDATE log.websub_subscription SET reason = $2 WHERE token = $1', [
    token,
    reason.slice(0, 500),
  ]);
}

/**
 * Confirms the open request for a topic.
 * @returns false when no such request is open: then the response to the hub must deny the request
 */
export async function confirmSubscription(
  database: Queryable,
  { token, topic, requestedAfter }: { readonly token: string; readonly topic: string; readonly requestedAfter: Date },
  { leaseExpiresAt, renewAt }: { readonly leaseExpiresAt: Date; readonly renewAt: Date },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE log.websub_subscription SET state = 'active', requested_at = NULL, failures = 0, reason = NULL,
       lease_expires_at = $4, next_attempt_at = $5
     WHERE token = $1 AND topic = $2 AND requested_at >= $3`,
    [token, topic, requestedAfter, leaseExpiresAt, renewAt],
  );
  return rowCount === 1;
}

/** Notes that the hub will not serve the topic; it is asked again at `retryAt`. */
export async function denySubscription(
  database: Queryable,
  { token, topic, reason }: { readonly token: string; readonly topic: string; readonly reason: string },
  retryAt: Date,
): Promise<void> {
  await database.query(
    `UPDATE log.websub_subscription SET state = 'denied', requested_at = NULL, lease_expires_at = NULL,
       next_attempt_at = $3, reason = $4 WHERE token = $1 AND topic = $2`,
    [token, topic, retryAt, reason.slice(0, 500)],
  );
}

/** Notes a delivery whose signature is right. */
export async function noteDelivery(database: Queryable, token: string, now: Date): Promise<void> {
  await database.query('UPDATE log.websub_subscription SET last_delivery_at = $2 WHERE token = $1', [token, now]);
}

/** Sets how many polls in a row found items that the hub had not announced. */
export async function setMissed(database: Queryable, sourceId: SourceId, missed: number): Promise<void> {
  await database.query('UPDATE log.websub_subscription SET missed = $2 WHERE source_id = $1', [sourceId, missed]);
}

const Id = z.object({ source_id: StoredSourceId });

/** The sources that have a subscription. */
export const subscribedSources = async (database: Queryable): Promise<SourceId[]> =>
  (await query(database, 'SELECT source_id FROM log.websub_subscription ORDER BY source_id', [], Id)).map(
    ({ source_id }) => source_id,
  );
