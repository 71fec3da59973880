/** Retention of topics in PostgreSQL: which messages may be removed, who still needs some of them, and the removal. */
import { z } from 'zod';
import { daysOfTopic, type RetentionDays } from '../../../schemas/configuration.ts';
import { backoff, pause } from '../../backoff.ts';
import { type ErrorLogger, logError } from '../../errors.ts';
import { type Database, query } from '../database.ts';

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
  /** The oldest offset that stays. */
  readonly keepFrom: bigint;
}

export interface RetentionPlan {
  readonly partitions: readonly PartitionPlan[];
  /** By topic, the messages that will be removed, and those that stay only because a group needs them. */
  readonly topics: readonly { readonly topic: string; readonly messages: number; readonly held_back: number }[];
  readonly holders: readonly Holder[];
}

const PARTITIONS = `SELECT topic, partition, next_offset AS "end" FROM log.topic_partition
  WHERE $1::text IS NULL OR topic = $1 ORDER BY topic, partition`;
// Messages of a partition lie in the order of their publication: the first young one ends the search.
const FIRST_YOUNG = `SELECT message_offset FROM log.topic_message
  WHERE topic = $1 AND partition = $2 AND added >= $3 ORDER BY message_offset LIMIT 1`;
// The size as it is stored: compressed text is not unpacked for it.
const SIZE = 'pg_column_size(body) + octet_length(key) + 64';
const SIZES = `SELECT topic, partition, sum(${SIZE})::bigint AS bytes FROM log.topic_message
  WHERE $1::text IS NULL OR topic = $1 GROUP BY topic, partition`;
const FIRST_KEPT = `SELECT message_offset FROM (
    SELECT message_offset, sum(${SIZE}) OVER (ORDER BY message_offset ROWS UNBOUNDED PRECEDING) - (${SIZE}) AS before
      FROM log.topic_message WHERE topic = $1 AND partition = $2) m
  WHERE before >= $3 ORDER BY message_offset LIMIT 1`;
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

const smallest = (offsets: readonly bigint[], maximum: bigint): bigint =>
  offsets.reduce((one, other) => (other < one ? other : one), maximum);
const greatest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** By partition, the offset from which on the rule keeps messages, whatever groups have handled. */
async function ruleOffsets(
  database: Database,
  { topic, before, bytes }: RetentionRule,
): Promise<(PartitionPlan & { readonly end: bigint })[]> {
  const partitions = await query(database, PARTITIONS, [topic ?? null], Partition);
  const sizes = bytes === undefined ? [] : await query(database, SIZES, [topic ?? null], Size);
  const total = new Map<string, bigint>();
  for (const size of sizes) total.set(size.topic, (total.get(size.topic) ?? 0n) + size.bytes);
  const plans: (PartitionPlan & { readonly end: bigint })[] = [];
  for (const { topic: name, partition, end } of partitions) {
    let keepFrom = 0n;
    const time = before?.(name);
    if (time) {
      const [young] = await query(database, FIRST_YOUNG, [name, partition, time], Offset);
      keepFrom = young?.message_offset ?? end;
    }
    const own = sizes.find((size) => size.topic === name && size.partition === partition)?.bytes ?? 0n;
    const excess = (total.get(name) ?? 0n) - BigInt(bytes ?? 0);
    if (bytes !== undefined && excess > 0n) {
      // Each partition gives of its own what it has of the topic, so that all of them go back about as far in time.
      const part = (excess * own) / (total.get(name) ?? 1n) + 1n;
      const [kept] = await query(database, FIRST_KEPT, [name, partition, part], Offset);
      keepFrom = greatest(keepFrom, kept?.message_offset ?? end);
    }
    plans.push({ topic: name, partition, keepFrom, end });
  }
  return plans;
}

/** Finds what a rule removes. Nothing is changed. */
export async function planRetention(database: Database, rule: RetentionRule): Promise<RetentionPlan> {
  const groups = await query(database, GROUPS, [rule.topic ?? null], Group);
  const holders = new Map<Group, number>();
  const partitions: PartitionPlan[] = [];
  const counts = new Map<string, { messages: number; held_back: number }>();
  const count = async (topic: string, partition: number, from: bigint, to: bigint): Promise<number> =>
    from >= to ? 0 : ((await query(database, COUNT, [topic, partition, from, to], Count))[0]?.messages ?? 0);
  for (const { topic, partition, keepFrom: wanted } of await ruleOffsets(database, rule)) {
    const own = groups.filter((group) => group.topic === topic);
    const offsetIn = (group: Group): bigint => group.offsets[partition] ?? 0n;
    const required = (rule.required ?? []).filter((one) => one.topic === topic).map(({ group }) => group);
    const holding = [
      ...own.filter((one) => isLive(one, rule) || required.includes(one.group)).map(offsetIn),
      ...required.filter((group) => !own.some((one) => one.group === group)).map(() => 0n),
    ];
    const keepFrom = rule.unhandled ? wanted : smallest(holding, wanted);
    partitions.push({ topic, partition, keepFrom });
    const sum = counts.get(topic) ?? { messages: 0, held_back: 0 };
    sum.messages += await count(topic, partition, 0n, keepFrom);
    sum.held_back += await count(topic, partition, keepFrom, wanted);
    counts.set(topic, sum);
    for (const group of own)
      holders.set(group, (holders.get(group) ?? 0) + (await count(topic, partition, offsetIn(group), wanted)));
  }
  return {
    partitions,
    topics: [...counts].map(([topic, sum]) => ({ topic, ...sum })),
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

/**
 * Removes what a plan names, in short transactions, oldest messages first. What is removed stays so when it is aborted.
 * @returns how many messages were removed
 */
export async function trimTopics(
  database: Database,
  { partitions, topics }: RetentionPlan,
  { signal, onProgress }: Trimming,
): Promise<number> {
  const total = topics.reduce((sum, { messages }) => sum + messages, 0);
  let done = 0;
  for (const { topic, partition, keepFrom } of partitions)
    for (let removed = -1n; removed !== 0n && !signal.aborted; ) {
      const values = [topic, partition, keepFrom, BATCH];
      const [row] = await query(database, TRIM, values, z.object({ removed: z.bigint() }));
      removed = row?.removed ?? 0n;
      done += Number(removed);
      if (removed > 0n) onProgress?.(done, Math.max(done, total));
    }
  // Makes the room usable for new messages at once, where autovacuum would take its time.
  if (done > 0) await database.query('VACUUM (ANALYZE) log.topic_message');
  return done;
}

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

/** Trims all topics at the start and every hour, until the signal aborts. Several processes may do so at once. */
export async function runRetention(job: RetentionJob): Promise<void> {
  const { database, days, bytes, required, clock, logger, signal, every = EVERY } = job;
  const limited = [days.otherwise, ...Object.values(days.topics)].some((one) => one !== 0) || bytes !== undefined;
  while (!limited && !signal.aborted) await pause(every, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const plan = await planRetention(database, retentionRule({ days, bytes, required, now: clock() }));
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
      failures = 0;
      await pause(every, signal);
    } catch (error) {
      if (signal.aborted) return;
      logError(logger, error, {}, 'topics could not be trimmed; trying again');
      await pause(backoff(failures++, { base: 1_000, maximum: every }, Math.random), signal);
    }
  }
}
