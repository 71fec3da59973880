/**
 * Requests to poll a source now: made by an operator's command or by the callback of a WebSub hub, taken by the poller
 * that owns the source. They are rows and not events, because a request means nothing once it is answered, and a topic
 * would deliver it to any poller, not to the owner. So are the subscriptions to hubs, which pollers make and which the API,
 * that the hubs call back, turns into requests.
 */
import { z } from 'zod';
import { Poll } from '../../schemas/poll.ts';
import { type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { type Queryable, query, queryColumn, queryOne } from './database.ts';

/** What a requester learns of the poll that answered. */
export const AnsweredPoll = Poll.omit({ listed: true, etag: true, last_modified: true, validators_url: true });
export type AnsweredPoll = z.infer<typeof AnsweredPoll>;

const PollRequest = z.object({
  source_id: StoredSourceId,
  requested_at: z.date(),
  trigger: z.enum(['operator', 'hub']),
});
export type PollRequest = z.infer<typeof PollRequest>;

/**
 * Requests a poll. A request that waits already is renewed; an operator's stays one when a hub asks too.
 * @param now the time that all processes agree on
 */
export async function requestPoll(
  database: Queryable,
  sourceId: SourceId,
  trigger: PollRequest['trigger'],
  now: Date,
): Promise<void> {
  await database.query(
    `INSERT INTO log.poll_request AS known (source_id, requested_at, trigger) VALUES ($1, $2, $3)
     ON CONFLICT (source_id) DO UPDATE SET
       requested_at = excluded.requested_at,
       trigger = CASE WHEN known.answered_at IS NULL AND known.trigger = 'operator' THEN known.trigger
                      ELSE excluded.trigger END,
       answered_at = NULL,
       poll = NULL`,
    [sourceId, now, trigger],
  );
}

/** Requests that wait, in the order of their sources. */
export const waitingPollRequests = (database: Queryable): Promise<PollRequest[]> =>
  query(
    database,
    'SELECT source_id, requested_at, trigger FROM log.poll_request WHERE answered_at IS NULL ORDER BY source_id LIMIT 1000',
    [],
    PollRequest,
  );

/** Answers what was requested before the poll began; a later request goes on waiting for the next poll. */
export async function answerPollRequest(database: Queryable, poll: Poll, now: Date): Promise<void> {
  await database.query(
    `UPDATE log.poll_request SET answered_at = $2, poll = $3
     WHERE source_id = $1 AND answered_at IS NULL AND requested_at <= $4`,
    [poll.source_id, now, JSON.stringify(AnsweredPoll.parse(poll)), poll.started_at],
  );
}

/** The poll that answered the latest request for a source; null while it waits. */
export const answeredPoll = async (database: Queryable, sourceId: SourceId): Promise<AnsweredPoll | null> =>
  (await latestPollRequest(database, sourceId))?.poll ?? null;

const State = z.object({
  requested_at: z.date(),
  answered_at: z.date().nullable(),
  poll: z
    .string()
    .transform((json) => AnsweredPoll.parse(JSON.parse(json)))
    .nullable(),
});

/** The latest request for a source, with the poll that answered it; null where none was made. */
export function latestPollRequest(database: Queryable, sourceId: SourceId): Promise<z.infer<typeof State> | null> {
  const text = 'SELECT requested_at, answered_at, poll FROM log.poll_request WHERE source_id = $1';
  return queryOne(database, text, [sourceId], State);
}

/** What a poller does with requests. */
export interface PollRequests {
  waiting(): Promise<readonly PollRequest[]>;
  answer(poll: Poll): Promise<void>;
}

/** @param now the time that all processes agree on */
export const postgresPollRequests = (database: Queryable, now: () => Date): PollRequests => ({
  waiting: () => waitingPollRequests(database),
  answer: (poll) => answerPollRequest(database, poll, now()),
});

const SubscriptionRow = z.object({
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
export type Subscription = z.infer<typeof SubscriptionRow>;

const COLUMNS = Object.keys(SubscriptionRow.shape).join(', ');

const one = (database: Queryable, condition: string, value: string): Promise<Subscription | null> =>
  queryOne(database, `SELECT ${COLUMNS} FROM log.websub_subscription WHERE ${condition}`, [value], SubscriptionRow);

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
    SubscriptionRow,
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

/** The sources that have a subscription. */
export const subscribedSources = (database: Queryable): Promise<SourceId[]> =>
  queryColumn(database, 'SELECT source_id FROM log.websub_subscription ORDER BY source_id', [], StoredSourceId);
