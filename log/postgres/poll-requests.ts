/**
 * Requests to poll a source now: made by an operator's command, taken by the poller that owns the source. They are rows
 * and not events, because a request means nothing once it is answered, and a topic would deliver it to any poller, not to
 * the owner.
 */
import { z } from 'zod';
import { Poll } from '../../schemas/poll.ts';
import { type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { type Queryable, query, queryOne } from './database.ts';

/** What a requester learns of the poll that answered. */
export const AnsweredPoll = Poll.omit({ listed: true, etag: true, last_modified: true, validators_url: true });
export type AnsweredPoll = z.infer<typeof AnsweredPoll>;

const PollRequest = z.object({
  source_id: StoredSourceId,
  requested_at: z.date(),
});
type PollRequest = z.infer<typeof PollRequest>;

/**
 * Requests a poll. A request that waits already is renewed.
 * @param now the time that all processes agree on
 */
export async function requestPoll(database: Queryable, sourceId: SourceId, now: Date): Promise<void> {
  await database.query(
    `INSERT INTO log.poll_request (source_id, requested_at) VALUES ($1, $2)
     ON CONFLICT (source_id) DO UPDATE SET requested_at = excluded.requested_at, answered_at = NULL, poll = NULL`,
    [sourceId, now],
  );
}

/** Requests that wait, in the order of their sources. */
export const waitingPollRequests = (database: Queryable): Promise<PollRequest[]> =>
  query(
    database,
    'SELECT source_id, requested_at FROM log.poll_request WHERE answered_at IS NULL ORDER BY source_id LIMIT 1000',
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
