/** Topics in PostgreSQL. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readEnvelope } from '../../../schemas/events.ts';
import { type ConsumeOptions, chunksOf, encodeEvent, lagOf, type Topic, type Topics } from '../../topic.ts';
import { type Database, query, queryColumn, queryNumber, queryValue } from '../database.ts';
import { type Listener, listen } from '../listener.ts';
import { consumeTopic } from './topic-consumer.ts';

export interface TopicOptions {
  /** Partitions of a topic that is new; 8 when unset. One that is there keeps its number. */
  readonly partitions?: number;
  /** Receives errors of handlers and of the database; the consumer continues. */
  readonly report?: (error: unknown, where: { topic: string; group: string; partition?: number | undefined }) => void;
}

/** What one statement carries well; bytes are counted as characters. */
const CHUNK = { messages: 1_000, bytes: 8 * 1_048_576 };

const OPEN = 'SELECT log.open_topic($1, $2)';
const PUBLISH = 'SELECT log.publish($1, $2::int[], $3::text[], $4::uuid[], $5::text[])';
// The number leaves out the tables of other topics.
const FIND = `SELECT body FROM log.topic_message
  WHERE topic_number IN (0, (SELECT t.number FROM log.topic t WHERE t.name = $1)) AND topic = $1 AND id = ANY ($2::uuid[])`;
const PROGRESS = `SELECT p.partition, greatest(p.first_offset, coalesce(g.next_offset, 0)) AS next, p.next_offset AS end
  FROM log.topic_partition p
  LEFT JOIN log.topic_group g ON g.topic = p.topic AND g.partition = p.partition AND g.group_name = $2
  WHERE p.topic = $1 ORDER BY p.partition`;
const Progress = z.object({ partition: z.int(), next: z.bigint(), end: z.bigint() });

// Read from the messages and not from first_offset: rows may have been deleted by hand.
const RANGES = `SELECT p.partition, p.next_offset AS "end", coalesce(m.message_offset, m."end") AS first
  FROM log.topic_partition p, log.messages_from(p.topic, p.partition, p.first_offset, 1) m
  WHERE p.topic = $1 ORDER BY p.partition`;
const Range = z.object({ partition: z.int(), first: z.bigint(), end: z.bigint() });
const GROUPS = `SELECT group_name FROM log.topic_group WHERE starts_with(group_name, $1)
  UNION SELECT group_name FROM log.topic_member WHERE starts_with(group_name, $1)`;
const DELETE_GROUP = 'SELECT log.delete_group($1) AS deleted';

/** The partition of a key: the first 32 bits of its SHA-256, modulo. The same in every process and release. */
export const partitionOf = (key: string, partitions: number): number =>
  createHash('sha256').update(key).digest().readUInt32BE(0) % partitions;

interface Encoded {
  readonly key: string;
  readonly id: string;
  readonly body: string;
}

/** The columns of messages for `PUBLISH`: partitions, keys, ids and bodies. */
const columnsOf = (messages: readonly Encoded[], partitions: number) => [
  messages.map(({ key }) => partitionOf(key, partitions)),
  messages.map(({ key }) => key),
  messages.map(({ id }) => id),
  messages.map(({ body }) => body),
];

function topicOf(database: Database, name: string, listener: Listener, options: TopicOptions): Topic {
  let opening: Promise<number> | undefined;
  /** How many partitions it has; queried once, and again after a failure. */
  const countPartitions = (): Promise<number> => {
    opening ??= queryNumber(database, OPEN, [name, options.partitions ?? 8]);
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  return {
    name,
    async publish(messages) {
      const encoded = messages.map(({ key, event }) => ({ key, id: event.id, body: encodeEvent(event) }));
      const partitions = await countPartitions();
      for (const chunk of chunksOf(encoded, ({ body }) => body.length, CHUNK)) {
        const values = [name, ...columnsOf(chunk, partitions)];
        await database.query({ name: 'log_publish', text: PUBLISH, values });
        listener.wake(name);
      }
    },
    consume: (consume: ConsumeOptions) =>
      consumeTopic({
        ...consume,
        database,
        topic: name,
        countPartitions,
        listener,
        report: (error, partition) => options.report?.(error, { topic: name, group: consume.group, partition }),
      }),
    lag: async (group) => lagOf(await query(database, PROGRESS, [name, group], Progress)),
    progress: (group) => query(database, PROGRESS, [name, group], Progress),
    ranges: () => query(database, RANGES, [name], Range),
    deleteGroup: async (group) => (await queryValue(database, DELETE_GROUP, [group], z.boolean())) ?? false,
    async find(ids, signal) {
      signal.throwIfAborted();
      if (ids.length === 0) return [];
      return (await queryColumn(database, FIND, [name, ids], z.unknown())).map((body) => readEnvelope(body));
    },
  };
}

/**
 * Topics in a database that `migrateLog` has prepared.
 * @param database closed by the caller
 */
export function postgresTopics(database: Database, options: TopicOptions = {}): Topics {
  const listener = listen(database, 'log_topic');
  const topics = new Map<string, Topic>();
  return {
    topic(name) {
      const topic = topics.get(name) ?? topicOf(database, name, listener, options);
      topics.set(name, topic);
      return topic;
    },
    async groups(prefix) {
      const rows = await query(database, GROUPS, [prefix], z.object({ group_name: z.string() }));
      return rows.map(({ group_name }) => group_name);
    },
    close: () => listener.close(),
  };
}
