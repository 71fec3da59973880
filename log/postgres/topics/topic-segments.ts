/**
 * Segments of topics in PostgreSQL: tables of messages, so that retention drops a table instead of deleting its rows
 * (migrations/0009_topic_segments.sql). A topic writes the last of its segments; the others are closed.
 */

import type pg from 'pg';
import { z } from 'zod';
import { DAY } from '../../../language/days.ts';
import { daysOfTopic, type RetentionDays } from '../../../schemas/configuration.ts';
import { pause } from '../../backoff.ts';
import { type Database, inSession, isLockTimeout, type Queryable, query, untilLocked } from '../database.ts';
import { whileLocked } from '../lock-session.ts';

/** Held by the one process that removes messages. */
const TRIM_LOCK = '7165310204';
/**
 * Closed segments into which the retention of a topic is divided: messages stay for up to a quarter longer. Each adds a twentieth
 * to the processor time of publishing, which looks ids up in all. Two would save 16 µs of the 4 ms that PostgreSQL takes for an
 * item, and topics would take up to half more disk than their retention instead of a quarter (deploy/SCALING.md).
 */
const SEGMENTS = 4;
/** The retention by which a topic that is kept for ever is divided: `topics trim` removes whole segments. */
const DAYS_WITHOUT_LIMIT = 120;

// What the table of release 1.0, which all topics share, has of a topic is its segment 0.
const SEGMENT_LIST = `SELECT t.name AS topic, s.topic_number AS number, s.segment, s.opened_at, s.closed_at,
    coalesce(s.ends, '{}') AS ends,
    CASE WHEN pg_relation_size(r.id) > 0 THEN pg_table_size(r.id) ELSE 0 END::float8 AS bytes
  FROM log.topic_segment s JOIN log.topic t ON t.number = s.topic_number,
    LATERAL (SELECT to_regclass('log.' || log.topic_segment_name(s.topic_number, s.segment)) AS id) r
  WHERE NOT s.dropping AND ($1::text IS NULL OR t.name = $1)
  UNION ALL SELECT p.topic, 0, 0, s.opened_at, s.closed_at, array_agg(coalesce(m."end", 0) ORDER BY p.partition), 0
  FROM log.topic_segment s, log.topic_partition p LEFT JOIN LATERAL (SELECT message_offset + 1 AS "end" FROM log.topic_message
      WHERE topic_number = 0 AND topic = p.topic AND partition = p.partition ORDER BY message_offset DESC LIMIT 1) m ON true
  WHERE s.topic_number = 0 AND NOT s.dropping AND ($1::text IS NULL OR p.topic = $1)
  GROUP BY p.topic, s.opened_at, s.closed_at HAVING count(m."end") > 0 ORDER BY topic, segment`;
const Segment = z.object({
  topic: z.string(),
  number: z.int(),
  segment: z.int(),
  /** On disk, without indexes; 0 before its first message. */
  bytes: z.number(),
  opened_at: z.date(),
  /** Null for the one that is written. */
  closed_at: z.date().nullable(),
  /** For each partition, the offset behind its last message; empty for the one that is written. */
  ends: z.array(z.coerce.bigint()),
});
export type Segment = Readonly<z.infer<typeof Segment>>;

/** The segments of a topic, or of all, oldest first. */
export const topicSegments = (database: Database, topic?: string): Promise<Segment[]> =>
  query(database, SEGMENT_LIST, [topic ?? null], Segment);

const CREATE = 'SELECT log.create_topic_segment($1, $2)';
const CLOSE = 'SELECT log.close_topic_segment($1, $2)';

/**
 * Closes a segment that is written: the next one is created, and from then on written. Publishers wait for the second of two
 * short transactions only.
 */
export const closeSegment = (database: Database, { topic, number, segment }: Segment): Promise<void> =>
  inSession(database, async (client) => {
    await client.query("SET lock_timeout = '2s'");
    await untilLocked(() => client.query(CREATE, [number, segment + 1]));
    await untilLocked(() => client.query(CLOSE, [topic, segment]));
  });

/** Closes the segments with messages of a topic, or of all. */
export async function closeWritten(database: Database, topic: string | undefined): Promise<void> {
  for (const segment of await topicSegments(database, topic))
    if (segment.closed_at === null && segment.bytes > 0) await closeSegment(database, segment);
}

/** Closes the segments that contain a quarter of what the retention of their topic keeps. */
export async function closeSegments(
  database: Database,
  { days, bytes, now }: { readonly days: RetentionDays; readonly bytes: number | undefined; readonly now: Date },
): Promise<void> {
  for (const segment of await topicSegments(database)) {
    const kept = daysOfTopic(days, segment.topic) || DAYS_WITHOUT_LIMIT;
    const isOld = now.getTime() - segment.opened_at.getTime() >= (kept * DAY) / SEGMENTS;
    const isLarge = bytes !== undefined && segment.bytes >= bytes / SEGMENTS;
    if (segment.closed_at !== null || segment.bytes === 0 || !(isOld || isLarge)) continue;
    await closeSegment(database, segment);
  }
}

// From then on the messages count as removed, whatever becomes of this process.
const MARK = `WITH marked AS (
    UPDATE log.topic_segment SET dropping = true
     WHERE topic_number = $1 AND segment = $2 AND closed_at IS NOT NULL AND NOT dropping RETURNING topic_number, ends
  ), before AS (
    SELECT p.topic, p.partition, p.first_offset, m.ends[p.partition + 1] AS "end"
      FROM marked m JOIN log.topic t ON t.number = m.topic_number JOIN log.topic_partition p ON p.topic = t.name
  ), moved AS (
    UPDATE log.topic_partition p SET first_offset = b."end" FROM before b
     WHERE p.topic = b.topic AND p.partition = b.partition AND b."end" > b.first_offset
    RETURNING b."end" - b.first_offset AS messages
  ) SELECT coalesce(sum(messages), 0)::int AS messages FROM moved`;
const MARKED = `SELECT s.topic_number AS number, s.segment, log.topic_segment_name(s.topic_number, s.segment) AS name,
    to_regclass('log.' || log.topic_segment_name(s.topic_number, s.segment)) IS NOT NULL AS there,
    (SELECT i.inhdetachpending FROM pg_inherits i
      WHERE i.inhrelid = to_regclass('log.' || log.topic_segment_name(s.topic_number, s.segment))) AS pending
  FROM log.topic_segment s WHERE s.dropping ORDER BY 1, 2`;
const Marked = z.object({
  number: z.int(),
  segment: z.int(),
  name: z.string(),
  there: z.boolean(),
  /** Whether it is being detached; null when it is detached. */
  pending: z.boolean().nullable(),
});
const FORGET = 'DELETE FROM log.topic_segment WHERE topic_number = $1 AND segment = $2';

// The table of release 1.0 contains messages of other topics too.
const DELETE_SHARED = `WITH gone AS (
    DELETE FROM log.topic_message WHERE topic_number = 0 AND topic = $1 RETURNING partition, message_offset
  ), moved AS (
    UPDATE log.topic_partition p SET first_offset = greatest(p.first_offset, g."end")
      FROM (SELECT partition, max(message_offset) + 1 AS "end" FROM gone GROUP BY partition) g
     WHERE p.topic = $1 AND p.partition = g.partition
  ) SELECT count(*)::int AS messages FROM gone`;
const DROP_SHARED = `UPDATE log.topic_segment SET dropping = true
  WHERE topic_number = 0 AND NOT EXISTS (SELECT FROM log.topic_message WHERE topic_number = 0)`;

/**
 * Marks a closed segment as one to be dropped: its messages count as removed.
 * @returns how many there were
 */
export async function markSegment(
  database: Queryable,
  { topic, number, segment }: Pick<Segment, 'topic' | 'number' | 'segment'>,
): Promise<number> {
  const isShared = number === 0;
  const values = isShared ? [topic] : [number, segment];
  const [row] = await query(database, isShared ? DELETE_SHARED : MARK, values, z.object({ messages: z.int() }));
  if (isShared) await database.query(DROP_SHARED);
  return row?.messages ?? 0;
}

/** How long to wait for transactions that began before a table was detached, such as pg_dump; nobody waits behind it. */
const DETACH_TIMEOUT = '10s';

async function dropMarked(client: pg.Client): Promise<void> {
  await client.query(`SET lock_timeout = '${DETACH_TIMEOUT}'`);
  for (const { number, segment, name, there, pending } of await query(
    client as unknown as Queryable,
    MARKED,
    [],
    Marked,
  )) {
    // Neither form takes a lock that publishers or consumers wait for.
    if (there && pending !== null)
      await client.query(
        `ALTER TABLE log.topic_message DETACH PARTITION log.${name} ${pending ? 'FINALIZE' : 'CONCURRENTLY'}`,
      );
    await client.query('BEGIN');
    await client.query(`DROP TABLE IF EXISTS log.${name}`);
    await client.query(FORGET, [number, segment]);
    await client.query('COMMIT');
  }
}

/**
 * Drops the tables of marked segments, also of those that a killed process has marked. Where a long transaction still uses
 * one, it is dropped by a later call.
 */
export async function dropMarkedSegments(database: Database): Promise<void> {
  try {
    await inSession(database, dropMarked);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
}

/**
 * Runs `work` while no other process removes messages.
 * @throws what the work throws, or the reason of `signal`
 */
export const whileTrimming = <Result>(
  database: Database,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const busy = async () => {
    await pause(1_000, signal);
    signal.throwIfAborted();
  };
  return whileLocked(database, { key: { number: TRIM_LOCK }, signal, busy }, work);
};
