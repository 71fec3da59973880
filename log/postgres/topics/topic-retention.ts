/**
 * Retention of topics in PostgreSQL: which tables may be dropped, who still needs some of their messages, and the removal. A topic
 * has a table, a segment, for each day on which it was written (migrations/0012_topic_days.sql); messages go with the whole of it only.
 */

import { z } from 'zod';
import { DAY } from '../../../language/days.ts';
import { daysOfTopic, type RetentionDays } from '../../../schemas/configuration.ts';
import { keepRunning, RETRY } from '../../backoff.ts';
import { type ErrorLogger, logError } from '../../errors.ts';
import { type Database, query, queryColumn, queryNumber, untilLocked } from '../database.ts';

export interface RetentionRule {
  /** Only this topic; all of them when unset. */
  readonly topic?: string | undefined;
  /** Days of a topic that had ended by then may go; none by their age when it gives none. */
  readonly before?: ((topic: string) => Date | undefined) | undefined;
  /** Bytes of messages that each topic may keep, without its indexes; any number when unset. */
  readonly bytes?: number | undefined;
  /** A group that has no consumers and has not moved since this is abandoned, and holds nothing back. */
  readonly abandonedBefore: Date;
  /** True also removes messages that a group has not handled yet. */
  readonly unhandled?: boolean | undefined;
}

/** A group that has not handled messages which the rule would remove. */
export interface Holder {
  readonly topic: string;
  readonly group: string;
  /** Messages that the rule would remove and the group has not handled. */
  readonly messages: number;
  readonly moved_at: Date;
  /** False for an abandoned one, which holds nothing back. */
  readonly live: boolean;
}

const SEGMENTS = `SELECT t.name AS topic, s.segment, s.closed_at, coalesce(s.ends, '{}') AS ends,
    coalesce(pg_table_size(to_regclass('log.' || log.topic_segment_name(t.number, s.segment))), 0)::float8 AS bytes
  FROM log.topic_segment s JOIN log.topic t ON t.number = s.topic_number
  WHERE $1::text IS NULL OR t.name = $1 ORDER BY t.name, s.segment`;
const Segment = z.object({
  topic: z.string(),
  segment: z.int(),
  /** On disk, without indexes; 0 for a share of the table of release 1.0. */
  bytes: z.number(),
  /** When the day had ended; null for the one that is written. */
  closed_at: z.date().nullable(),
  /** For each partition, the offset behind its last message; empty for the one that is written. */
  ends: z.array(z.coerce.bigint()),
});
type Segment = Readonly<z.infer<typeof Segment>>;

export interface RetentionPlan {
  /** Segments that will be dropped. */
  readonly segments: readonly Segment[];
  /** By topic, the messages that will be removed, and those that stay only because a group needs them. */
  readonly topics: readonly { readonly topic: string; readonly messages: number; readonly held_back: number }[];
  readonly holders: readonly Holder[];
}

const PARTITIONS = `SELECT topic, partition, first_offset AS first, next_offset AS "end" FROM log.topic_partition
  WHERE $1::text IS NULL OR topic = $1 ORDER BY topic, partition`;
// A group without an offset in one partition of a topic has handled nothing of that partition.
const GROUPS = `SELECT g.group_name AS "group", g.topic, max(g.moved_at) AS moved_at,
    EXISTS (SELECT FROM log.topic_member m
      JOIN pg_stat_activity a ON a.pid = m.session AND a.backend_start = m.session_start
     WHERE m.group_name = g.group_name AND m.topic = g.topic AND m.seen > now() - interval '5 seconds') AS connected,
    json_object_agg(g.partition, g.next_offset::text) AS offsets
  FROM log.topic_group g WHERE $1::text IS NULL OR g.topic = $1 GROUP BY g.group_name, g.topic ORDER BY 2, 1`;

const Partition = z.object({ topic: z.string(), partition: z.int(), first: z.bigint(), end: z.bigint() });
type Partition = z.infer<typeof Partition>;
const Group = z.object({
  group: z.string(),
  topic: z.string(),
  moved_at: z.date(),
  connected: z.boolean(),
  offsets: z.record(z.string(), z.string().transform(BigInt)),
});
type Group = z.infer<typeof Group>;

const isLive = (group: Group, { abandonedBefore }: RetentionRule): boolean =>
  group.connected || group.moved_at >= abandonedBefore;

const greatest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** Messages of some partitions from an offset of each to another. */
const messagesBetween = (
  partitions: readonly Partition[],
  from: (partition: Partition) => bigint,
  to: (partition: Partition) => bigint,
): number => partitions.reduce((sum, one) => sum + Number(greatest(to(one) - greatest(one.first, from(one)), 0n)), 0);

/** Where a segment ends in a partition; without one, where the messages begin. */
const endOf = (segment: Segment | undefined, { partition, first }: Partition): bigint =>
  segment?.ends[partition] ?? first;

/** How many of the closed segments of a topic, from the oldest on, a rule lets go, whatever groups have handled. */
function expiredCount(segments: readonly Segment[], topic: string, { before, bytes }: RetentionRule): number {
  const closed = segments.filter(({ closed_at }) => closed_at !== null);
  const time = before?.(topic);
  const byTime = time
    ? closed.findLastIndex(({ closed_at }) => closed_at !== null && closed_at.getTime() <= time.getTime()) + 1
    : 0;
  if (bytes === undefined) return byTime;
  let kept = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  let bySize = 0;
  for (const segment of closed) {
    if (kept <= bytes) break;
    kept -= segment.bytes;
    bySize += 1;
  }
  return Math.max(byTime, bySize);
}

interface TopicPlan {
  readonly topic: string;
  /** Closed segments that the rule lets go, oldest first. */
  readonly expired: readonly Segment[];
  /** How many of them no group holds back. */
  readonly free: number;
  readonly partitions: readonly Partition[];
  readonly groups: readonly Group[];
}

function planTopic(
  topic: string,
  partitions: readonly Partition[],
  groups: readonly Group[],
  segments: readonly Segment[],
  rule: RetentionRule,
): TopicPlan {
  const expired = segments.slice(0, expiredCount(segments, topic, rule));
  const holding = rule.unhandled ? [] : groups.filter((one) => isLive(one, rule)).map(({ offsets }) => offsets);
  const isFree = (segment: Segment): boolean =>
    holding.every((offsets) =>
      partitions.every((one) => endOf(segment, one) <= greatest(offsets[one.partition] ?? 0n, one.first)),
    );
  const held = expired.findIndex((segment) => !isFree(segment));
  return { topic, expired, free: held < 0 ? expired.length : held, partitions, groups };
}

/** Finds what a rule removes, and removes nothing. Topics that write the table of an earlier day begin that of today. */
export async function planRetention(database: Database, rule: RetentionRule): Promise<RetentionPlan> {
  for (const topic of await queryColumn(database, 'SELECT name FROM log.topic', [], z.string()))
    await database.query('SELECT log.begin_topic_day($1)', [topic]);
  const partitions = await query(database, PARTITIONS, [rule.topic ?? null], Partition);
  const groups = await query(database, GROUPS, [rule.topic ?? null], Group);
  const segments = await query(database, SEGMENTS, [rule.topic ?? null], Segment);
  const plans = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, own]) =>
    planTopic(
      topic,
      own,
      groups.filter((one) => one.topic === topic),
      segments.filter((one) => one.topic === topic),
      rule,
    ),
  );
  return {
    segments: plans.flatMap(({ expired, free }) => expired.slice(0, free)),
    topics: plans.map(({ topic, expired, free, partitions: own }) => {
      const removed = (one: Partition): bigint => endOf(expired[free - 1], one);
      return {
        topic,
        messages: messagesBetween(own, ({ first }) => first, removed),
        held_back: messagesBetween(own, removed, (one) => endOf(expired.at(-1), one)),
      };
    }),
    holders: plans.flatMap(({ topic, expired, partitions: own, groups: readers }) =>
      readers
        .map((group) => ({
          topic,
          group: group.group,
          messages: messagesBetween(
            own,
            ({ partition }) => group.offsets[partition] ?? 0n,
            (one) => endOf(expired.at(-1), one),
          ),
          moved_at: group.moved_at,
          live: isLive(group, rule),
        }))
        .filter(({ messages }) => messages > 0),
    ),
  };
}

interface Trimming {
  readonly signal: AbortSignal;
  /** Called with how many messages were removed, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Drops the segments of a plan, each in a transaction of its own: what is removed stays so when it is aborted.
 * @returns how many messages were removed
 */
export async function trimTopics(
  database: Database,
  { segments, topics }: RetentionPlan,
  { signal, onProgress }: Trimming,
): Promise<number> {
  const total = topics.reduce((sum, { messages }) => sum + messages, 0);
  let done = 0;
  for (const { topic, segment } of segments) {
    if (signal.aborted) break;
    const drop = () => queryNumber(database, 'SELECT log.drop_topic_segment($1, $2)::int', [topic, segment]);
    done += await untilLocked(drop, signal);
    onProgress?.(done, Math.max(done, total));
  }
  return done;
}

const TopicSize = z.object({
  topic: z.string(),
  messages: z.int(),
  /** Of the messages as they are stored, without indexes. */
  bytes: z.number(),
  /** When the oldest message was published; null for an empty topic. */
  oldest: z.date().nullable(),
});
export type TopicSize = z.infer<typeof TopicSize>;

// The size as it is stored: compressed text is not unpacked for it.
const SIZE = 'pg_column_size(body) + octet_length(key) + 64';
const TOPIC_SIZES = `SELECT t.name AS topic, count(m.topic)::int AS messages, coalesce(sum(${SIZE}), 0)::float8 AS bytes,
    min(m.added) AS oldest
  FROM log.topic t LEFT JOIN log.topic_message m ON m.topic = t.name GROUP BY t.name ORDER BY t.name`;

/** What each topic contains. Reads all messages' sizes. */
export const topicSizes = (database: Database): Promise<TopicSize[]> => query(database, TOPIC_SIZES, [], TopicSize);

export interface TopicGroup {
  readonly topic: string;
  readonly group: string;
  /** Messages that it has not handled. */
  readonly lag: number;
  readonly moved_at: Date;
  /** Whether it has consumers now. */
  readonly connected: boolean;
}

/** The groups of all topics. */
export async function topicGroups(database: Database): Promise<TopicGroup[]> {
  const partitions = await query(database, PARTITIONS, [null], Partition);
  const groups = await query(database, GROUPS, [null], Group);
  return groups.map(({ topic, group, moved_at, connected, offsets }) => ({
    topic,
    group,
    lag: messagesBetween(
      partitions.filter((one) => one.topic === topic),
      ({ partition }) => offsets[partition] ?? 0n,
      ({ end }) => end,
    ),
    moved_at,
    connected,
  }));
}

/** Days after which a group that has no consumers and did not move counts as abandoned. */
export const ABANDONED_DAYS = 30;
const EVERY = 3_600_000;

export interface RetentionJob {
  readonly database: Database;
  readonly days: RetentionDays;
  /** Bytes that each topic may keep; any number when unset. */
  readonly bytes: number | undefined;
  readonly clock: () => Date;
  readonly logger: ErrorLogger & Readonly<Record<'info', (about: object, message: string) => void>>;
  readonly signal: AbortSignal;
  /** Milliseconds from one trim to the next, an hour when unset. */
  readonly every?: number;
}

/** The rule of a configuration. */
export const retentionRule = ({
  days,
  bytes,
  now,
}: {
  readonly days: RetentionDays;
  readonly bytes: number | undefined;
  readonly now: Date;
}): RetentionRule => ({
  before: (topic) => {
    const kept = daysOfTopic(days, topic);
    return kept > 0 ? new Date(now.getTime() - kept * DAY) : undefined;
  },
  bytes,
  abandonedBefore: new Date(now.getTime() - ABANDONED_DAYS * DAY),
});

/** Trims all topics at the start and every hour, until the signal aborts. Several processes may do so at once. */
export async function runRetention(job: RetentionJob): Promise<void> {
  const { database, days, bytes, clock, logger, signal, every = EVERY } = job;
  const trim = async (): Promise<void> => {
    const now = clock();
    const rule = retentionRule({ days, bytes, now });
    const plan = await planRetention(database, rule);
    await trimTopics(database, plan, { signal });
    for (const { topic, messages } of plan.topics)
      if (messages > 0) logger.info({ topic, messages }, 'messages past their retention were removed');
    for (const { topic, group, messages, live } of plan.holders)
      logger.warn(
        { topic, group, messages },
        live
          ? 'messages past their retention are kept: a consumer group has not handled them'
          : 'messages were removed that an abandoned consumer group had not handled',
      );
  };
  await keepRunning(trim, {
    ...RETRY.job,
    maximum: every,
    every,
    signal,
    failed: (error) => logError(logger, error, {}, 'topics could not be trimmed; trying again'),
  });
}
