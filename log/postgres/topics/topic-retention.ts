/** Retention of topics in PostgreSQL: which messages may be removed, who still needs some of them, and the removal. */
import { z } from 'zod';
import { daysOfTopic, type RetentionDays } from '../../../schemas/configuration.ts';
import { keepRunning, pause, RETRY } from '../../backoff.ts';
import { type ErrorLogger, logError } from '../../errors.ts';
import { type Database, query } from '../database.ts';
import {
  closeSegments,
  dropMarkedSegments,
  markSegment,
  type Segment,
  topicSegments,
  whileTrimming,
} from './topic-segments.ts';

export interface RetentionRule {
  /** Only this topic; all of them when unset. */
  readonly topic?: string | undefined;
  /** Messages of a topic that were published before this may go; none by their age when it gives none. */
  readonly before?: ((topic: string) => Date | undefined) | undefined;
  /** Bytes of messages that each topic may keep, without its indexes; any number when unset. */
  readonly bytes?: number | undefined;
  /** A group that has no consumers and has not moved since this is abandoned, and holds nothing back. */
  readonly abandonedBefore: Date;
  /** Groups that hold back what they have not handled even before they exist and when they are abandoned: the archiver. */
  readonly required?: readonly { readonly topic: string; readonly group: string }[] | undefined;
  /** True also removes messages that a group has not handled yet. */
  readonly unhandled?: boolean | undefined;
  /**
   * True removes whole segments only: messages stay until all of their segment may go. Of the table that topics of earlier
   * releases share, messages are removed as without it.
   */
  readonly whole?: boolean | undefined;
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

interface PartitionPlan {
  readonly topic: string;
  readonly partition: number;
  /** Rows below this offset are deleted. */
  readonly keepFrom: bigint;
}

export interface RetentionPlan {
  /** Segments of which nothing stays. */
  readonly segments: readonly Pick<Segment, 'number' | 'segment'>[];
  readonly partitions: readonly PartitionPlan[];
  /** By topic, the messages that will be removed, and those that stay only because a group needs them. */
  readonly topics: readonly { readonly topic: string; readonly messages: number; readonly held_back: number }[];
  readonly holders: readonly Holder[];
}

const PARTITIONS = `SELECT topic, partition, next_offset AS "end" FROM log.topic_partition
  WHERE $1::text IS NULL OR topic = $1 ORDER BY topic, partition`;
// Messages of a partition lie in the order of their publication: the first young one ends the search.
const firstYoung = (condition: string): string => `SELECT message_offset FROM log.topic_message
  WHERE topic = $1 AND partition = $2 AND added >= $3 AND ${condition} ORDER BY message_offset LIMIT 1`;
const FIRST_YOUNG = firstYoung('message_offset >= $4');
// The size as it is stored: compressed text is not unpacked for it.
const SIZE = 'pg_column_size(body) + octet_length(key) + 64';
const sizes = (
  condition: string,
): string => `SELECT topic, partition, sum(${SIZE})::bigint AS bytes FROM log.topic_message
  WHERE ($1::text IS NULL OR topic = $1) AND ${condition} GROUP BY topic, partition`;
const firstKept = (condition: string): string => `SELECT message_offset FROM (
    SELECT message_offset, sum(${SIZE}) OVER (ORDER BY message_offset ROWS UNBOUNDED PRECEDING) - (${SIZE}) AS before
      FROM log.topic_message WHERE topic = $1 AND partition = $2 AND ${condition}) m
  WHERE before >= $3 ORDER BY message_offset LIMIT 1`;
/** Of the table of earlier releases, which all topics share. */
const SHARED = 'topic_number = 0';
const SHARED_ENDS = `SELECT topic, partition, max(message_offset) + 1 AS "end" FROM log.topic_message
  WHERE ($1::text IS NULL OR topic = $1) AND ${SHARED} GROUP BY topic, partition`;
const COUNT = `SELECT count(*)::int AS messages FROM log.topic_message
  WHERE topic = $1 AND partition = $2 AND message_offset >= $3 AND message_offset < $4`;
// A group without an offset in one partition of a topic has handled nothing of that partition.
const GROUPS = `SELECT g.group_name AS "group", g.topic, max(g.moved_at) AS moved_at,
    EXISTS (SELECT FROM log.topic_member m
      JOIN pg_stat_activity a ON a.pid = m.session AND a.backend_start = m.session_start
     WHERE m.group_name = g.group_name AND m.topic = g.topic AND m.seen > now() - interval '5 seconds') AS connected,
    json_object_agg(g.partition, g.next_offset::text) AS offsets
  FROM log.topic_group g WHERE $1::text IS NULL OR g.topic = $1 GROUP BY g.group_name, g.topic ORDER BY 2, 1`;
const TRIM = 'SELECT log.trim_partition($1, $2, $3, $4) AS removed';

const Partition = z.object({ topic: z.string(), partition: z.int(), end: z.bigint() });
const Offset = z.object({ message_offset: z.bigint() });
const Size = z.object({ topic: z.string(), partition: z.int(), bytes: z.bigint() });
const Count = z.object({ messages: z.int() });
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

const offsetIn = (group: Group, partition: number): bigint => group.offsets[partition] ?? 0n;
const smallest = (offsets: readonly bigint[], maximum: bigint): bigint =>
  offsets.reduce((one, other) => (other < one ? other : one), maximum);
const greatest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** A partition of a topic: where it ends, and where its messages in the table of earlier releases end; 0 without any. */
type Ends = z.infer<typeof Partition> & { readonly sharedEnd: bigint };

/** What a rule is applied to. */
interface Contents {
  readonly topic: string;
  readonly partitions: readonly Ends[];
  /** Closed ones, oldest first. */
  readonly closed: readonly Segment[];
  /** Bytes of the segments, of the one that is written too. */
  readonly bytes: number;
}

async function contentsOf(database: Database, topic: string | undefined): Promise<Contents[]> {
  const partitions = await query(database, PARTITIONS, [topic ?? null], Partition);
  const shared = await query(database, SHARED_ENDS, [topic ?? null], Partition);
  const segments = await topicSegments(database, topic);
  return [...Map.groupBy(partitions, (one) => one.topic)].map(([name, own]) => ({
    topic: name,
    partitions: own.map((one) => ({
      ...one,
      sharedEnd: shared.find((other) => other.topic === name && other.partition === one.partition)?.end ?? 0n,
    })),
    closed: segments.filter((one) => one.topic === name && one.closed_at !== null),
    bytes: segments.reduce((sum, one) => sum + (one.topic === name ? one.bytes : 0), 0),
  }));
}

/** Where a segment ends in a partition. */
const endOf = (segment: Segment | undefined, partition: number): bigint => segment?.ends[partition] ?? 0n;

/** By partition, the offset from which on messages are young enough. */
async function offsetsByTime(
  database: Database,
  { topic, partitions, closed }: Contents,
  { time, whole }: { readonly time: Date; readonly whole: boolean },
): Promise<bigint[]> {
  const expired = closed.findLast(({ closed_at }) => closed_at !== null && closed_at < time);
  const offsets: bigint[] = [];
  for (const { partition, end, sharedEnd } of partitions) {
    const from = endOf(expired, partition);
    const [young] = whole
      ? await query(database, firstYoung(SHARED), [topic, partition, time], Offset)
      : await query(database, FIRST_YOUNG, [topic, partition, time, from], Offset);
    offsets.push(young?.message_offset ?? (whole ? greatest(from, sharedEnd) : end));
  }
  return offsets;
}

/** By partition, the offset from which on messages are within the size. */
async function offsetsBySize(
  database: Database,
  { topic, partitions, closed, bytes: inSegments }: Contents,
  { bytes, whole }: { readonly bytes: number; readonly whole: boolean },
): Promise<bigint[]> {
  const rows = await query(database, sizes(whole ? SHARED : 'true'), [topic], Size);
  const inRows = rows.reduce((sum, row) => sum + row.bytes, 0n);
  const excess = inRows + BigInt(whole ? inSegments : 0) - BigInt(bytes);
  if (excess <= 0n) return partitions.map(() => 0n);
  if (whole && excess >= inRows) {
    let left = excess - inRows;
    let last: Segment | undefined;
    for (const segment of closed) {
      if (left <= 0n) break;
      left -= BigInt(segment.bytes);
      last = segment;
    }
    return partitions.map(({ partition, sharedEnd }) => greatest(endOf(last, partition), sharedEnd));
  }
  const offsets: bigint[] = [];
  for (const { partition, end, sharedEnd } of partitions) {
    const own = rows.find((row) => row.partition === partition)?.bytes ?? 0n;
    // Each partition gives of its own what it has of the topic, so that all of them go back about as far in time.
    const part = (excess * own) / inRows + 1n;
    const [kept] = await query(database, firstKept(whole ? SHARED : 'true'), [topic, partition, part], Offset);
    offsets.push(kept?.message_offset ?? (whole ? sharedEnd : end));
  }
  return offsets;
}

/** By partition, the offset from which on the rule keeps messages, whatever groups have handled. */
async function ruleOffsets(
  database: Database,
  contents: Contents,
  { before, bytes, whole = false }: RetentionRule,
): Promise<bigint[]> {
  const time = before?.(contents.topic);
  const none = contents.partitions.map(() => 0n);
  const byTime = time ? await offsetsByTime(database, contents, { time, whole }) : none;
  const bySize = bytes === undefined ? none : await offsetsBySize(database, contents, { bytes, whole });
  return byTime.map((offset, index) => greatest(offset, bySize[index] ?? 0n));
}

/** Finds what a rule removes. Nothing is changed. */
export async function planRetention(database: Database, rule: RetentionRule): Promise<RetentionPlan> {
  const groups = await query(database, GROUPS, [rule.topic ?? null], Group);
  const holders = new Map<Group, number>();
  const segments: Segment[] = [];
  const partitions: PartitionPlan[] = [];
  const topics: RetentionPlan['topics'][number][] = [];
  const count = async (topic: string, partition: number, from: bigint, to: bigint): Promise<number> =>
    from >= to ? 0 : ((await query(database, COUNT, [topic, partition, from, to], Count))[0]?.messages ?? 0);
  for (const contents of await contentsOf(database, rule.topic)) {
    const { topic } = contents;
    const own = groups.filter((group) => group.topic === topic);
    const required = (rule.required ?? []).filter((one) => one.topic === topic).map(({ group }) => group);
    const wanted = await ruleOffsets(database, contents, rule);
    const free = contents.partitions.map(({ partition }, index) => {
      const holding = [
        ...own
          .filter((one) => isLive(one, rule) || required.includes(one.group))
          .map((one) => offsetIn(one, partition)),
        ...required.filter((group) => !own.some((one) => one.group === group)).map(() => 0n),
      ];
      return rule.unhandled ? (wanted[index] ?? 0n) : smallest(holding, wanted[index] ?? 0n);
    });
    const gone = contents.closed.filter(({ ends }) =>
      free.every((offset, partition) => offset >= (ends[partition] ?? 0n)),
    );
    segments.push(...gone);
    const sum = { topic, messages: 0, held_back: 0 };
    for (const [index, { partition, sharedEnd }] of contents.partitions.entries()) {
      const [to, until] = [free[index] ?? 0n, wanted[index] ?? 0n];
      // Of a segment that stays, every message stays.
      const keepFrom = rule.whole && to > sharedEnd ? sharedEnd : to;
      const removedTo = greatest(keepFrom, endOf(gone.at(-1), partition));
      partitions.push({ topic, partition, keepFrom });
      sum.messages += await count(topic, partition, 0n, removedTo);
      sum.held_back += await count(topic, partition, removedTo, until);
      for (const group of own) {
        const missing = await count(topic, partition, offsetIn(group, partition), until);
        holders.set(group, (holders.get(group) ?? 0) + missing);
      }
    }
    topics.push(sum);
  }
  return {
    segments,
    partitions,
    topics,
    holders: [...holders]
      .filter(([, messages]) => messages > 0)
      .map(([group, messages]) => ({
        topic: group.topic,
        group: group.group,
        messages,
        moved_at: group.moved_at,
        live: isLive(group, rule),
      })),
  };
}

/** Messages of one transaction: short enough that a publisher never waits for long. */
const BATCH = 5_000;

export interface Trimming {
  readonly signal: AbortSignal;
  /** Called with how many messages were removed, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

// Where the room of removed rows is: the tables that contain the oldest messages of a topic.
const OLDEST_TABLES = `SELECT DISTINCT m.tableoid::regclass::text AS name
  FROM log.topic_partition p, LATERAL (SELECT tableoid FROM log.topic_message m
    WHERE m.topic = p.topic AND m.partition = p.partition ORDER BY m.message_offset LIMIT 1) m
  WHERE p.topic = ANY ($1::text[])`;
const SHARED_IS_EMPTY = `SELECT NOT EXISTS (SELECT FROM log.topic_message WHERE ${SHARED}) AS empty
  FROM log.topic_segment WHERE topic_number = 0 AND NOT dropping`;

/** Deletes rows in short transactions, oldest first. @returns how many */
async function deleteRows(
  database: Database,
  { topic, partition, keepFrom }: PartitionPlan,
  { signal, onRemoved }: { readonly signal: AbortSignal; readonly onRemoved: (messages: number) => void },
): Promise<number> {
  let done = 0;
  for (let removed = -1; removed !== 0 && !signal.aborted; done += removed) {
    const values = [topic, partition, keepFrom, BATCH];
    const [row] = await query(database, TRIM, values, z.object({ removed: z.bigint() }));
    removed = Number(row?.removed ?? 0n);
    if (removed > 0) onRemoved(removed);
  }
  return done;
}

/**
 * Removes what a plan names: segments by dropping their tables, other messages by deleting their rows in short
 * transactions, oldest first. What is removed stays so when it is aborted.
 * @returns how many messages were removed
 */
export const trimTopics = (
  database: Database,
  { segments, partitions, topics }: RetentionPlan,
  { signal: stop, onProgress }: Trimming,
): Promise<number> =>
  whileTrimming(database, stop, async (signal) => {
    const total = topics.reduce((sum, { messages }) => sum + messages, 0);
    let done = 0;
    const onRemoved = (messages: number): void => {
      done += messages;
      if (messages > 0) onProgress?.(done, Math.max(done, total));
    };
    for (const segment of segments) if (!signal.aborted) onRemoved(await markSegment(database, segment));
    await dropMarkedSegments(database);
    const changed = new Set<string>();
    for (const partition of partitions)
      if ((await deleteRows(database, partition, { signal, onRemoved })) > 0) changed.add(partition.topic);
    const [shared] = await query(database, SHARED_IS_EMPTY, [], z.object({ empty: z.boolean() }));
    if (shared?.empty) {
      await markSegment(database, { number: 0, segment: 0 });
      await dropMarkedSegments(database);
    }
    // Makes the room usable for new messages at once, where autovacuum would take its time.
    for (const { name } of await query(database, OLDEST_TABLES, [[...changed]], z.object({ name: z.string() })))
      await database.query(`VACUUM (ANALYZE) ${name}`);
    return done;
  });

export interface TopicSize {
  readonly topic: string;
  readonly messages: number;
  /** Of the messages as they are stored, without indexes. */
  readonly bytes: number;
  /** When the oldest message was published; null for an empty topic. */
  readonly oldest: Date | null;
}

const TOPIC_SIZES = `SELECT t.name AS topic, count(m.topic)::int AS messages, coalesce(sum(${SIZE}), 0)::float8 AS bytes,
    min(m.added) AS oldest
  FROM log.topic t LEFT JOIN log.topic_message m ON m.topic = t.name GROUP BY t.name ORDER BY t.name`;

/** What each topic contains. Reads all messages' sizes. */
export const topicSizes = (database: Database): Promise<TopicSize[]> =>
  query(
    database,
    TOPIC_SIZES,
    [],
    z.object({ topic: z.string(), messages: z.int(), bytes: z.number(), oldest: z.date().nullable() }),
  );

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
  const ends = await query(database, PARTITIONS, [null], Partition);
  const groups = await query(database, GROUPS, [null], Group);
  const found: TopicGroup[] = [];
  for (const { topic, group, moved_at, connected, offsets } of groups) {
    let lag = 0;
    for (const { partition, end } of ends.filter((one) => one.topic === topic)) {
      const values = [topic, partition, offsets[partition] ?? 0n, end];
      lag += (await query(database, COUNT, values, Count))[0]?.messages ?? 0;
    }
    found.push({ topic, group, lag, moved_at, connected });
  }
  return found;
}

/** Days after which a group that has no consumers and did not move counts as abandoned. */
export const ABANDONED_DAYS = 30;
const DAY = 86_400_000;
const EVERY = 3_600_000;

export interface RetentionJob extends Pick<RetentionRule, 'required'> {
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
  required,
}: {
  readonly days: RetentionDays;
  readonly bytes: number | undefined;
  readonly now: Date;
  readonly required?: RetentionRule['required'];
}): RetentionRule => ({
  required,
  before: (topic) => {
    const kept = daysOfTopic(days, topic);
    return kept > 0 ? new Date(now.getTime() - kept * DAY) : undefined;
  },
  bytes,
  abandonedBefore: new Date(now.getTime() - ABANDONED_DAYS * DAY),
});

/** Trims all topics by whole segments at the start and every hour, until the signal aborts. Several processes may do so at once. */
export async function runRetention(job: RetentionJob): Promise<void> {
  const { database, days, bytes, required, clock, logger, signal, every = EVERY } = job;
  const limited = [days.otherwise, ...Object.values(days.topics)].some((one) => one !== 0) || bytes !== undefined;
  while (!limited && !signal.aborted) await pause(every, signal);
  const trim = async (): Promise<void> => {
    const now = clock();
    await closeSegments(database, { days, bytes, now });
    const rule = retentionRule({ days, bytes, required, now });
    const plan = await planRetention(database, { ...rule, whole: true });
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
