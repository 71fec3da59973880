/** One consumer of a topic in PostgreSQL: joins its group, handles the messages of its partitions, and stores their offsets. */
import { z } from 'zod';
import { readEnvelope } from '../../../schemas/events.ts';
import { keepRunning, RETRY } from '../../backoff.ts';
import { type Batch, type ConsumeOptions, MessageSkipped, PartlyHandled, type UnreadableMessage } from '../../topic.ts';
import { type Database, query, queryValue } from '../database.ts';
import type { Listener } from '../listener.ts';
import { isTransientPostgresError } from '../postgres-errors.ts';
import { join, type Member, Ownership } from './consumer-group.ts';

// Where the partitions of a topic end. One query serves all workers of a consumer.

const ENDS = 'SELECT partition, next_offset FROM log.topic_partition WHERE topic = $1';
const End = z.object({ partition: z.int(), next_offset: z.bigint() });

class Ends {
  readonly #ends = new Map<number, bigint>();
  readonly #waiting = new Set<() => void>();

  /** Asks the database, and wakes the workers that wait. */
  async look(database: Database, topic: string): Promise<void> {
    for (const { partition, next_offset } of await query(database, ENDS, [topic], End))
      this.#ends.set(partition, next_offset);
    for (const resume of [...this.#waiting]) resume();
  }

  /** Resolves when the partition has a message at or behind `from`, or when the signal aborts. */
  async behind(partition: number, from: bigint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#ends.get(partition) ?? 0n) <= from)
      await new Promise<void>((resolve) => {
        const resume = (): void => {
          this.#waiting.delete(resume);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        this.#waiting.add(resume);
        signal.addEventListener('abort', resume, { once: true });
      });
  }
}

// Hands the messages of one partition to the handler, batch by batch, and keeps how far it came.

interface Work {
  readonly database: Database;
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly batchSize: number;
  readonly handle: (batch: Batch) => Promise<void>;
  readonly onUnreadable?: ConsumeOptions['onUnreadable'];
  /** Receives each error, after which the worker retries after a pause, and each skipped message. */
  readonly failed: (error: unknown) => void;
  /** Aborting ends the worker after the current batch. */
  readonly signal: AbortSignal;
  /** Waits until there may be messages from this offset on. */
  readonly more: (from: bigint, signal: AbortSignal) => Promise<void>;
}

const START = `INSERT INTO log.topic_group (group_name, topic, partition, next_offset) VALUES ($1, $2, $3, 0)
  ON CONFLICT (group_name, topic, partition) DO UPDATE SET moved_at = now()
  RETURNING next_offset`;
const FETCH = 'SELECT "end", message_offset, key, body FROM log.messages_from($1, $2, $3, $4)';
// Compare and set: a worker that lost its partition without knowing cannot move the offset back.
const COMMIT = `UPDATE log.topic_group SET next_offset = $5, moved_at = now()
  WHERE group_name = $1 AND topic = $2 AND partition = $3 AND next_offset = $4`;

const WorkerEnd = z.object({ end: z.bigint() });
const Stored = z.object({ message_offset: z.bigint(), key: z.string(), body: z.unknown() });
const Row = z.union([WorkerEnd.extend(Stored.shape), WorkerEnd.extend({ message_offset: z.null() })]);

/** Another worker has moved the offset of the partition. */
class OvertakenError extends Error {
  override name = 'OvertakenError';
}

interface Fetched {
  readonly batch: Batch;
  readonly unreadable: readonly UnreadableMessage[];
}

/**
 * The next messages from an offset on, across offsets whose messages were removed.
 * @returns a batch that covers nothing at the end of the partition, and one without messages where all to the end of a day are gone
 */
async function fetch({ database, topic, partition, batchSize }: Work, from: bigint): Promise<Fetched> {
  const rows = await query(database, FETCH, [topic, partition, from, batchSize], Row);
  const messages: Batch['messages'][number][] = [];
  const unreadable: UnreadableMessage[] = [];
  const end = rows[0]?.end ?? from;
  let to = end > from ? end : from;
  for (const row of rows) {
    if (row.message_offset === null) break;
    const { message_offset: offset, key, body } = row;
    to = offset + 1n;
    try {
      messages.push({ key, offset, event: readEnvelope(body) });
    } catch (error) {
      unreadable.push({ partition, offset, key, text: JSON.stringify(body), error });
    }
  }
  return { batch: { partition, messages, from, to }, unreadable };
}

/** Handles one batch and commits, also what was handled of a batch that failed. */
async function step(work: Work, { batch, unreadable }: Fetched): Promise<void> {
  const { database, group, topic, partition } = work;
  const commit = async (to: bigint): Promise<void> => {
    const committed = await database.query(COMMIT, [group, topic, partition, batch.from, to]);
    if (committed.rowCount === 0) throw new OvertakenError(`partition ${partition} of ${topic} has another worker`);
  };
  for (const message of unreadable)
    if (work.onUnreadable) await work.onUnreadable(message);
    else work.failed(new MessageSkipped(message));
  try {
    await work.handle(batch);
  } catch (error) {
    if (error instanceof PartlyHandled && error.handledTo > batch.from) await commit(error.handledTo);
    throw error;
  }
  await commit(batch.to);
}

/** Runs until the signal aborts. A failing batch comes again after 100 ms, doubling to 10 s. */
async function work(work: Work): Promise<void> {
  const { database, group, topic, partition, signal } = work;
  let offset: bigint | null = null;
  const handleNext = async (): Promise<void> => {
    offset ??= (await queryValue(database, START, [group, topic, partition], z.bigint())) ?? 0n;
    const next = await fetch(work, offset);
    if (next.batch.to === offset) return work.more(offset, signal);
    if (signal.aborted) return;
    await step(work, next);
    offset = next.batch.to;
  };
  await keepRunning(handleNext, {
    ...RETRY.message,
    every: 0,
    signal,
    failed(error) {
      work.failed(error);
      // The offset is read again: this commit may have succeeded, or that of another worker.
      offset = null;
    },
  });
}

// One consumer of a topic: joins its group, owns its share of the partitions, and gives up what becomes another's.

interface Consumer extends ConsumeOptions {
  readonly database: Database;
  readonly topic: string;
  readonly countPartitions: () => Promise<number>;
  readonly listener: Listener;
  readonly report: (error: unknown, partition?: number) => void;
}

/** Milliseconds between heartbeats, at which a member also checks for other members and for messages. */
const BEAT = 500;
/** The same while another member has yet to give up a partition. */
const EAGER_BEAT = 50;

/** Consumes as one member on one connection, until the signal aborts or the connection is lost. */
async function consumeAs(member: Member, consumer: Consumer): Promise<void> {
  const { database, group, topic, handle, signal, listener } = consumer;
  // A handler that gives up because the consumer stops has not failed: its batch is redelivered at the next start.
  const report: Consumer['report'] = (error, partition) => {
    if (!signal.aborted) consumer.report(error, partition);
  };
  const partitions = await consumer.countPartitions();
  const ends = new Ends();
  const ownership = new Ownership({
    member,
    report,
    onAssigned: (owned) => consumer.onAssigned?.(owned),
    work: (partition, stop) =>
      work({
        database,
        group,
        topic,
        partition,
        handle,
        signal: stop,
        batchSize: consumer.batchSize ?? 500,
        onUnreadable: consumer.onUnreadable,
        failed: (error) => report(error, partition),
        more: (from, until) => ends.behind(partition, from, until),
      }),
  });
  let lost = false;
  void member.ended.then(() => {
    lost = true;
    ownership.stop();
    listener.wake(topic);
  });
  try {
    for (let due = 0, missing = true; !signal.aborted && !lost; ) {
      const seen = listener.seen(topic);
      if (performance.now() >= due) {
        missing = await ownership.balance(await member.beat(), partitions);
        due = performance.now() + (missing ? EAGER_BEAT : BEAT);
      }
      await ends.look(database, topic);
      await listener.wait(topic, seen, Math.max(1, due - performance.now()), signal);
    }
  } finally {
    await ownership.end();
  }
}

/** See `Topic.consume`. */
export async function consumeTopic(consumer: Consumer): Promise<void> {
  const { database, group, topic, signal } = consumer;
  const consume = async (): Promise<void> => {
    const member = await join(database, group, topic);
    try {
      await consumeAs(member, consumer);
    } finally {
      await member.leave();
    }
  };
  await keepRunning(consume, {
    ...RETRY.call,
    signal,
    failed(error) {
      if (!isTransientPostgresError(error)) throw error;
      consumer.report(error);
    },
  });
}
