/**
 * Dead letters: messages of topics that a group of consumers could not handle. They are skipped, so that the following ones
 * are handled, and stored in PostgreSQL with their cause until an operator retries or drops them. Dead letters of topics
 * in Kafka are stored there too.
 */
import { z } from 'zod';
import { type Queryable, query } from './postgres/database.ts';

const DeadLetter = z.object({
  group_name: z.string(),
  topic: z.string(),
  /** Id of the event, or `partition/offset` of a message that contains none. */
  message_id: z.string(),
  partition: z.int(),
  message_offset: z.bigint(),
  key: z.string(),
  type: z.string(),
  kind: z.enum(['bad input', 'defect']),
  error: z.string(),
  /** Attempts of consumers. */
  attempts: z.int(),
  /** The event as JSON, or the text of a message that contains none. */
  body: z.string(),
  failed_at: z.date(),
  retry_requested_at: z.date().nullable(),
  dropped_by: z.string().nullable(),
  dropped_why: z.string().nullable(),
  dropped_at: z.date().nullable(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

/** What is stored of a message that failed. */
export type FailedMessage = Omit<
  DeadLetter,
  'group_name' | 'topic' | 'failed_at' | 'retry_requested_at' | 'dropped_by' | 'dropped_why' | 'dropped_at'
>;

const Count = z.object({ group_name: z.string(), topic: z.string(), kind: z.string(), messages: z.int() });
export type DeadLetterCount = z.infer<typeof Count>;

/** The time after which another consumer may retry a letter whose consumer died. */
const CLAIM = '1 minute';
const COLUMNS = `group_name, topic, message_id, partition, message_offset, key, type, kind, error, attempts, body,
  failed_at, retry_requested_at, dropped_by, dropped_why, dropped_at`;
/** PostgreSQL does not accept null characters in text. */
const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd');

/** The operations of a consumer on dead letters. */
export interface DeadLetters {
  /** Stores a message; one that is stored already gets the newest error and waits again. */
  add(group: string, topic: string, message: FailedMessage): Promise<void>;
  /** Claims the letters that an operator wants retried; other consumers do not get them meanwhile. */
  takeRetries(group: string, topic: string): Promise<readonly DeadLetter[]>;
  /** Removes a letter: its message is handled. */
  remove(group: string, topic: string, messageId: string): Promise<void>;
}

/**
 * Dead letters in a database that `migrateLog` has prepared.
 * @param database closed by the caller
 */
export const postgresDeadLetters = (database: Queryable): DeadLetters => ({
  async add(group, topic, message) {
    await database.query(
      `INSERT INTO log.dead_letter (group_name, topic, message_id, partition, message_offset, key, type, kind, error,
         attempts, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (group_name, topic, message_id) DO UPDATE SET kind = EXCLUDED.kind, error = EXCLUDED.error,
         attempts = log.dead_letter.attempts + EXCLUDED.attempts, failed_at = now(), retry_requested_at = NULL,
         retry_claimed_at = NULL`,
      [
        group,
        topic,
        message.message_id,
        message.partition,
        message.message_offset,
        storable(message.key),
        storable(message.type),
        message.kind,
        storable(message.error),
        message.attempts,
        storable(message.body),
      ],
    );
  },
  takeRetries: (group, topic) =>
    query(
      database,
      `UPDATE log.dead_letter SET retry_claimed_at = now() WHERE (group_name, topic, message_id) IN (
         SELECT group_name, topic, message_id FROM log.dead_letter
          WHERE group_name = $1 AND topic = $2 AND retry_requested_at IS NOT NULL
            AND (retry_claimed_at IS NULL OR retry_claimed_at < now() - interval '${CLAIM}')
          ORDER BY message_offset LIMIT 100 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [group, topic],
      DeadLetter,
    ),
  async remove(group, topic, messageId) {
    await database.query('DELETE FROM log.dead_letter WHERE group_name = $1 AND topic = $2 AND message_id = $3', [
      group,
      topic,
      messageId,
    ]);
  },
});

/** Dead letters, newest first, of one group or of all. */
export const listDeadLetters = (database: Queryable, group?: string): Promise<DeadLetter[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM log.dead_letter WHERE $1::text IS NULL OR group_name = $1
     ORDER BY failed_at DESC, message_id`,
    [group ?? null],
    DeadLetter,
  );

/** The number of dead letters that wait for an operator, by group, topic and kind. */
export const countDeadLetters = (database: Queryable): Promise<DeadLetterCount[]> =>
  query(
    database,
    `SELECT group_name, topic, kind, count(*)::int AS messages FROM log.dead_letter
     WHERE dropped_at IS NULL GROUP BY group_name, topic, kind ORDER BY group_name, topic, kind`,
    [],
    Count,
  );

/** Requests a running consumer of the group to retry a dead letter. @returns false for an unknown letter */
export async function requestRetry(database: Queryable, letter: DeadLetter): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE log.dead_letter SET retry_requested_at = now(), retry_claimed_at = NULL, dropped_by = NULL,
       dropped_why = NULL, dropped_at = NULL WHERE group_name = $1 AND topic = $2 AND message_id = $3`,
    [letter.group_name, letter.topic, letter.message_id],
  );
  return rowCount === 1;
}

/** Drops a dead letter permanently; it stays stored with the reason. @returns false for an unknown letter */
export async function dropDeadLetter(
  database: Queryable,
  letter: DeadLetter,
  { by, why }: { readonly by: string; readonly why: string },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE log.dead_letter SET dropped_by = $4, dropped_why = $5, dropped_at = now(), retry_requested_at = NULL
     WHERE group_name = $1 AND topic = $2 AND message_id = $3`,
    [letter.group_name, letter.topic, letter.message_id, by, why],
  );
  return rowCount === 1;
}
