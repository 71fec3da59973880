/** Which offsets of a topic a build has read, so that a rebuild can prove that it read all there is. */
import type { Batch, PartitionRange } from '../../log/topic.ts';

/** By partition, the offset up to which, but not including, a topic is to be read. */
export type Targets = ReadonlyMap<number, bigint>;

/** What a build has read of one topic. */
export interface TopicReading {
  readonly topic: string;
  /** Messages that were read. */
  readonly messages: number;
  /** Messages before the end of the reading that the topic does not contain any more, as a rule because of retention. */
  readonly missing: number;
  /** When the oldest event that was read happened; null when none was read. */
  readonly oldest: string | null;
}

/** A topic contains messages that a rebuild was not given: its rows would lack what they say. */
export class TopicNotRead extends Error {
  override name = 'TopicNotRead';
}

interface Covered {
  /** Every offset from `from` up to, but not including, `to` was handed over. */
  from: bigint;
  to: bigint;
  messages: number;
}

/** Takes down what comes of one topic. */
export class Coverage {
  readonly #topic: string;
  readonly #targets: Targets;
  readonly #partitions = new Map<number, Covered>();
  #oldest: string | null = null;

  constructor(topic: string, targets: Targets) {
    this.#topic = topic;
    this.#targets = targets;
  }

  /** Notes a batch that was handled. What comes again counts once. */
  add({ partition, from, to, messages }: Batch): void {
    const target = this.#targets.get(partition) ?? 0n;
    const covered = this.#partitions.get(partition) ?? { from, to: from, messages: 0 };
    this.#partitions.set(partition, covered);
    const fresh = messages.filter(({ offset }) => offset >= covered.to && offset < target);
    covered.messages += fresh.length;
    for (const { event } of fresh) if (this.#oldest === null || event.time < this.#oldest) this.#oldest = event.time;
    // After a hole, what was read before it proves nothing.
    if (from > covered.to) covered.from = from;
    if (to > covered.to) covered.to = to;
  }

  /**
   * Whether everything up to the targets was read, or is no longer there to be read.
   * @param ranges what the topic contains now
   */
  isAtTargets(ranges: readonly PartitionRange[]): boolean {
    return [...this.#targets].every(
      ([partition, target]) =>
        firstOf(ranges, partition, target) >= target || (this.#partitions.get(partition)?.to ?? 0n) >= target,
    );
  }

  /**
   * Proves that everything up to the targets was read that the topic contains.
   * @param ranges asked for after the reading: what retention removed meanwhile could not be read
   * @throws TopicNotRead
   */
  prove(ranges: readonly PartitionRange[]): TopicReading {
    let [messages, missing] = [0, 0n];
    for (const [partition, target] of this.#targets) {
      const first = firstOf(ranges, partition, target);
      const covered = this.#partitions.get(partition);
      if (first < target && !(covered && covered.from <= first && covered.to >= target))
        throw new TopicNotRead(
          `partition ${partition} of the topic ${this.#topic} contains the offsets ${first} to ${target - 1n}, of which ` +
            `${covered ? `${covered.from} to ${covered.to - 1n} were` : 'none was'} read`,
        );
      messages += covered?.messages ?? 0;
      missing += target - BigInt(covered?.messages ?? 0);
    }
    return { topic: this.#topic, messages, missing: Number(missing), oldest: this.#oldest };
  }
}

const firstOf = (ranges: readonly PartitionRange[], partition: number, none: bigint): bigint =>
  ranges.find((range) => range.partition === partition)?.first ?? none;
