import type { Event } from '../schemas/events.ts';
import { pause } from './backoff.ts';

// A topic: high-volume, replaceable traffic. Messages with one key stay in one partition and in order.
// Delivery is at least once: offsets are committed after the handler, so a handler must bear a message twice.

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
   * was removed, or holds something that is no event. There may be no messages at all.
   */
  readonly from: bigint;
  readonly to: bigint;
}

/** What a partition contains: the offset of its oldest message, and that of the next one to come. */
export interface PartitionRange {
  readonly partition: number;
  readonly first: bigint;
  readonly end: bigint;
}

export interface ConsumeOptions {
  /** Consumers of one group share the partitions; each group sees every message. */
  readonly group: string;
  /** Called with one batch at a time per partition; when it throws, the same batch comes again after backing off. */
  readonly handle: (batch: Batch) => Promise<void>;
  /** Aborting ends the consumer after the batch in hand. */
  readonly signal: AbortSignal;
  /** Most messages of a batch, 500 when unset. */
  readonly batchSize?: number;
  /** Told which partitions this consumer owns each time that changes, before their messages come. */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<void> | void;
  /**
   * Given a message that holds no event, before its batch is handled; when it throws, the batch comes again. Unset, such
   * a message is reported and skipped.
   */
  readonly onUnreadable?: (message: UnreadableMessage) => Promise<void>;
}

/** What somebody else wrote into a topic: no event of ours. */
export interface UnreadableMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string;
  /** As it came. */
  readonly text: string;
  readonly error: unknown;
}

/** How far a group of consumers is in one partition. */
export interface PartitionProgress {
  readonly partition: number;
  /** Offset of the next message that the group handles. */
  readonly next: bigint;
  /** Offset that the next published message gets. */
  readonly end: bigint;
}

/** Messages that are published and not handled yet, over all partitions. */
export const lagOf = (progress: readonly PartitionProgress[]): bigint =>
  progress.reduce((sum, { next, end }) => sum + end - next, 0n);

export interface Topic {
  readonly name: string;
  /** Resolves when the messages are durable. An event id that the topic holds already may be kept once or twice. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Runs until the signal aborts, surviving restarts of the server; rejects only for what no retry can mend. */
  consume(options: ConsumeOptions): Promise<void>;
  /** Messages of a group not yet handled, over all partitions. */
  lag(group: string): Promise<bigint>;
  /** How far a group is in each partition, for whoever watches it. */
  progress(group: string): Promise<readonly PartitionProgress[]>;
  /** What each partition contains; none for a topic that nobody has used. A partition whose messages are all removed has `first` = `end`. */
  ranges(): Promise<readonly PartitionRange[]>;
  /**
   * Deletes a group for good, with its offsets in all topics: a consumer of the same name would begin anew.
   * @returns false while the group has consumers: then it is left as it is
   */
  deleteGroup(group: string): Promise<boolean>;
  /** Events by their ids, where the topic has an index of them; without it, see `findEvents`. */
  find?(ids: readonly string[]): Promise<readonly Event[]>;
}

export interface Topics {
  topic(name: string): Topic;
  /** Names of the groups that begin with this, in no particular order. */
  groups(prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Largest event that a log takes, in bytes of its JSON. */
export const MAXIMUM_EVENT_BYTES = 1_048_576 + 65_536;

/** An event above the stated limit. */
export class EventTooLarge extends Error {
  override name = 'EventTooLarge';
  /** @param limit what refuses it: the limit of all logs, or the setting of a server that allows less */
  constructor(type: string, bytes: number, limit = `at most ${MAXIMUM_EVENT_BYTES} are taken`) {
    super(`an event of type ${type} has ${bytes} bytes; ${limit}`);
  }
}

// An event as the text that every log stores.

/**
 * The JSON of an event's envelope and data, and of nothing else that the object may carry.
 * @throws EventTooLarge when it has more than MAXIMUM_EVENT_BYTES in UTF-8
 */
export function encodeEvent(event: Event): string {
  const { id, type, version, time, causation_id, correlation_id, data } = event;
  const text = JSON.stringify({ id, type, version, time, causation_id, correlation_id, data });
  // A character has at most three bytes per UTF-16 unit: most texts need no count.
  if (text.length * 3 > MAXIMUM_EVENT_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAXIMUM_EVENT_BYTES) throw new EventTooLarge(type, bytes);
  }
  return text;
}

// Reads what a topic holds, from its beginning to its end, once.

const LOOK_MILLISECONDS = 50;

interface Reading {
  /** A group that nobody used before: one that was used goes on where it stopped. */
  readonly group: string;
  /** Events of one key come in their order; those of different keys in any. An event may come twice. */
  readonly take: (events: readonly Event[]) => void | Promise<void>;
  /** Told how many messages were read, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Resolves when everything that the topic held was taken; what comes meanwhile may be among it.
 * @throws the signal's reason when it aborts, and what `take` throws
 */
export async function readTopic(topic: Topic, { group, take, onProgress, signal }: Reading): Promise<void> {
  const total = Number(await topic.lag(group));
  if (total === 0) return;
  const enough = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  const consuming = topic.consume({
    group,
    signal: AbortSignal.any([signal, enough.signal]),
    handle: async ({ messages }) => {
      if (failure) return;
      try {
        await take(messages.map(({ event }) => event));
      } catch (error) {
        failure = { error };
        enough.abort();
      }
      done += messages.length;
      onProgress?.(done, Math.max(done, total));
    },
  });
  consuming.catch((error: unknown) => {
    failure ??= { error };
    enough.abort();
  });
  while (!enough.signal.aborted && !signal.aborted) {
    if ((await topic.lag(group)) === 0n) break;
    await pause(LOOK_MILLISECONDS, enough.signal);
  }
  enough.abort();
  await consuming.catch(() => undefined);
  // Nobody reads on from here: a group that is left behind would hold back retention.
  await topic.deleteGroup(group).catch(() => undefined);
  if (failure) throw failure.error;
  signal.throwIfAborted();
}

/**
 * Events of a topic by their ids; none for those that it holds no longer.
 * @param group used only where the topic has no index and is read from end to end; see `Reading`
 */
export async function findEvents(
  topic: Topic,
  ids: readonly string[],
  { group, signal }: { readonly group: string; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Event>> {
  const found = new Map<string, Event>();
  const wanted = new Set(ids);
  if (wanted.size === 0) return found;
  const take = (events: readonly Event[]): void => {
    for (const event of events) if (wanted.has(event.id)) found.set(event.id, event);
  };
  if (topic.find) take(await topic.find([...wanted]));
  else await readTopic(topic, { group, take, signal });
  return found;
}
