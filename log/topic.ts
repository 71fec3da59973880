/**
 * The port of topics: high-volume, replaceable traffic. Messages with one key stay in one partition and in order.
 * Delivery is at least once: offsets are committed after the handler, so handlers must be idempotent.
 */
import type { Event } from '../schemas/events.ts';
import { pause } from './backoff.ts';

export interface Message {
  readonly key: string;
  readonly event: Event;
}

/** Messages of one partition in their order. */
export interface Batch {
  readonly partition: number;
  readonly messages: readonly (Message & { readonly offset: bigint })[];
  /**
   * The offsets that the batch covers, from `from` up to but not including `to`. An offset among them without a message
   * was removed, or contains no valid event. A batch may contain no messages at all.
   */
  readonly from: bigint;
  readonly to: bigint;
}

/** What a partition contains: the offset of its oldest message, and that of the next message to be published. */
export interface PartitionRange {
  readonly partition: number;
  readonly first: bigint;
  readonly end: bigint;
}

/** A batch failed, but its messages before an offset are handled: they are committed, and the others are redelivered. */
export class PartlyHandled extends Error {
  override name = 'PartlyHandled';
  readonly handledTo: bigint;
  constructor(handledTo: bigint, message: string, cause?: unknown) {
    super(message, { cause });
    this.handledTo = handledTo;
  }
}

export interface ConsumeOptions {
  /** Consumers of one group share the partitions; each group sees every message. */
  readonly group: string;
  /**
   * Called with one batch at a time per partition; when it throws, the same batch is redelivered after a pause, after
   * `PartlyHandled` without the messages that are handled.
   */
  readonly handle: (batch: Batch) => Promise<void>;
  /** Aborting ends the consumer after the current batch. */
  readonly signal: AbortSignal;
  /** Maximum messages of a batch; 500 by default. */
  readonly batchSize?: number;
  /** Called with the partitions that this consumer owns, each time they change and before their messages arrive. */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<void> | void;
  /**
   * Called with a message that contains no valid event, before its batch is handled; when it throws, the batch is
   * redelivered. By default such a message is skipped, which is reported as `MessageSkipped`.
   */
  readonly onUnreadable?: (message: UnreadableMessage) => Promise<void>;
}

/** A message that contains no valid event: another program wrote it. */
export interface UnreadableMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string;
  /** The original text. */
  readonly text: string;
  readonly error: unknown;
}

/** A consumer without `onUnreadable` skipped a message: it is not redelivered. */
export class MessageSkipped extends Error {
  override name = 'MessageSkipped';
  readonly offset: bigint;
  constructor({ offset, error }: UnreadableMessage) {
    super('the message contains no valid event', { cause: error });
    this.offset = offset;
  }
}

/** How far a group of consumers is in one partition. */
export interface PartitionProgress {
  readonly partition: number;
  /** Offset of the next message that the group handles. */
  readonly next: bigint;
  /** Offset that the next published message gets. */
  readonly end: bigint;
}

/** Messages that are published and not handled yet, in all partitions. */
export const lagOf = (progress: readonly PartitionProgress[]): bigint =>
  progress.reduce((sum, { next, end }) => sum + end - next, 0n);

export interface Topic {
  readonly name: string;
  /** Resolves when the messages are durable. An event id that the topic contains already may be stored once or twice. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Runs until the signal aborts, through restarts of the server; rejects only with permanent errors. */
  consume(options: ConsumeOptions): Promise<void>;
  /** Messages that a group has not handled yet, in all partitions. */
  lag(group: string): Promise<bigint>;
  /** How far a group is in each partition. */
  progress(group: string): Promise<readonly PartitionProgress[]>;
  /** What each partition contains; none for an unused topic. A partition whose messages are all removed has `first` = `end`. */
  ranges(): Promise<readonly PartitionRange[]>;
  /**
   * Deletes a group with its offsets in all topics: a consumer of the same name would start at the beginning.
   * @returns false while the group has consumers; it is not changed then
   */
  deleteGroup(group: string): Promise<boolean>;
  /**
   * Events by their ids; those that the topic no longer contains are missing. A log without an index of ids reads the
   * whole topic: pass all ids at once.
   * @throws the signal's reason when it aborts
   */
  find(ids: readonly string[], signal: AbortSignal): Promise<readonly Event[]>;
}

export interface Topics {
  topic(name: string): Topic;
  /** Names of the groups with this prefix, in no particular order. */
  groups(prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Maximum size of an event, in bytes of its JSON. */
export const MAXIMUM_EVENT_BYTES = 1_048_576 + 65_536;

/** An event exceeds the maximum size. */
export class EventTooLarge extends Error {
  override name = 'EventTooLarge';
  /** @param limit what refuses it: the limit of all logs, or the setting of a server that allows less */
  constructor(type: string, bytes: number, limit = `the maximum is ${MAXIMUM_EVENT_BYTES}`) {
    super(`an event of type ${type} has ${bytes} bytes; ${limit}`);
  }
}

/**
 * The text that every log stores: the JSON of an event's envelope and data, without any other properties.
 * @throws EventTooLarge when it has more than MAXIMUM_EVENT_BYTES in UTF-8
 */
export function encodeEvent(event: Event): string {
  const { id, type, version, time, causation_id, correlation_id, data } = event;
  const text = JSON.stringify({ id, type, version, time, causation_id, correlation_id, data });
  // A UTF-16 unit has at most three bytes, so most texts need no exact count.
  if (text.length * 3 > MAXIMUM_EVENT_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAXIMUM_EVENT_BYTES) throw new EventTooLarge(type, bytes);
  }
  return text;
}

/** Messages in groups that one request carries; a message that is larger than `bytes` is a group of its own. */
export function* chunksOf<Encoded>(
  messages: readonly Encoded[],
  sizeOf: (message: Encoded) => number,
  maximum: { readonly messages: number; readonly bytes: number },
): Generator<Encoded[]> {
  let [chunk, bytes]: [Encoded[], number] = [[], 0];
  for (const message of messages) {
    const size = sizeOf(message);
    if (chunk.length === maximum.messages || (chunk.length > 0 && bytes + size > maximum.bytes)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

const POLL_MILLISECONDS = 50;

interface Handling {
  readonly group: string;
  readonly handle: (batch: Batch) => Promise<void>;
  /** Called with the number of messages handled so far, and of those to handle. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Consumes a topic as a group, from where that is to the end, and no further. Messages that are published meanwhile may be
 * included.
 * @throws what `handle` throws: its batch is redelivered to the next consumer of the group
 */
export async function consumeToEnd(topic: Topic, { group, handle, onProgress, signal }: Handling): Promise<void> {
  const total = Number(await topic.lag(group));
  if (total === 0) return;
  const enough = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  const failed = (error: unknown): void => {
    failure ??= { error };
    enough.abort();
  };
  let done = 0;
  const consuming = topic.consume({
    group,
    signal: AbortSignal.any([signal, enough.signal]),
    handle: async (batch) => {
      try {
        await handle(batch);
      } catch (error) {
        failed(error);
        throw error;
      }
      done += batch.messages.length;
      onProgress?.(done, Math.max(done, total));
    },
  });
  consuming.catch(failed);
  while (!enough.signal.aborted && !signal.aborted) {
    if ((await topic.lag(group)) === 0n) break;
    await pause(POLL_MILLISECONDS, enough.signal);
  }
  enough.abort();
  // Its failure was stored above.
  await consuming.catch(() => undefined);
  if (failure) throw failure.error;
}

interface Reading extends Pick<Handling, 'onProgress' | 'signal'> {
  /** An unused group: a used one would resume where it stopped. */
  readonly group: string;
  /** Receives events in order per key. An event may arrive twice. */
  readonly take: (events: readonly Event[]) => void | Promise<void>;
}

/**
 * Reads a topic once from its beginning to its end. Messages that are published meanwhile may be included.
 * @throws the signal's reason when it aborts, and what `take` throws
 */
export async function readTopic(topic: Topic, { take, ...reading }: Reading): Promise<void> {
  try {
    const handle = async ({ messages }: Batch): Promise<void> => take(messages.map(({ event }) => event));
    await consumeToEnd(topic, { ...reading, handle });
  } finally {
    // An unused group would hold back retention. If it cannot be deleted now, it expires as an abandoned one.
    await topic.deleteGroup(reading.group).catch(() => undefined);
  }
  reading.signal.throwIfAborted();
}
