/**
 * A topic: high-volume, replaceable traffic. Messages with one key stay in one partition and in order.
 * Delivery is at least once: offsets are committed after the handler, so a handler must bear a message twice.
 */
import type { Event } from '../schemas/events.ts';

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
