/**
 * Requests to poll a source now: made by an operator's command or by the callback of a WebSub hub, taken by the poller
 * that owns the source. They are rows and not events, because a request means nothing once it is answered, and a topic
 * would deliver it to any poller, not to the owner.
 */
import { z } from 'zod';
import { Poll } from '../../schemas/poll.ts';
import { type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { type Queryable, query } from './database.ts';

export interface PollRequest {
  readonly source_id: SourceId;
  readonly requested_at: Date;
  readonly trigger: 'operator' | 'hub';
}

/** What a requester learns of the poll that answered. */
export const AnsweredPoll = Poll.omit({ listed: true, etag: true, last_modified: true, validators_url: true });
export type AnsweredPoll = z.infer<typeof AnsweredPoll>;

const Row = z.object({ source_id: StoredSourceId, requested_at: z.date(), trigger: z.enum(['operator', 'hub']) });
const Answer = z.object({ poll: z.string().nullable() });

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
    Row,
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
export async function answeredPoll(database: Queryable, sourceId: SourceId): Promise<AnsweredPoll | null> {
  const [row] = await query(database, 'SELECT poll FROM log.poll_request WHERE source_id = $1', [sourceId], Answer);
  return row?.poll ? AnsweredPoll.parse(JSON.parse(row.poll)) : null;
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
