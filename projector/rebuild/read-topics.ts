/** Reads the topics of a model into a new build: every message that they contain. */

import { pause } from '../../log/backoff.ts';
import type { Batch, PartitionRange, Topic } from '../../log/topic.ts';
import { followTopic } from '../follow-log.ts';
import { type Build, comparisonGroupOf, groupOf, partitionInput } from '../model-builds.ts';
import type { Model, Services } from '../read-model.ts';

// Which offsets of a topic a build has read, so that a rebuild can prove that it read all there is.

/** By partition, the offset up to which, but not including, a topic is to be read. */
type Targets = ReadonlyMap<number, bigint>;

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

/** A rebuild did not receive messages that the topic contains: its rows would be incomplete. */
export class TopicNotRead extends Error {
  override name = 'TopicNotRead';
}

interface Covered {
  /** Every offset from `from` up to, but not including, `to` was delivered. */
  from: bigint;
  to: bigint;
  messages: number;
}

/** Records what was read of one topic. */
class Coverage {
  readonly #topic: string;
  readonly #targets: Targets;
  readonly #partitions = new Map<number, Covered>();
  #oldest: string | null = null;

  constructor(topic: string, targets: Targets) {
    this.#topic = topic;
    this.#targets = targets;
  }

  /** Records a handled batch. Redelivered messages count once. */
  add({ partition, from, to, messages }: Batch): void {
    const target = this.#targets.get(partition) ?? 0n;
    const covered = this.#partitions.get(partition) ?? { from, to: from, messages: 0 };
    this.#partitions.set(partition, covered);
    const fresh = messages.filter(({ offset }) => offset >= covered.to && offset < target);
    covered.messages += fresh.length;
    for (const { event } of fresh) if (this.#oldest === null || event.time < this.#oldest) this.#oldest = event.time;
    // After a gap, earlier batches prove nothing.
    if (from > covered.to) covered.from = from;
    if (to > covered.to) covered.to = to;
  }

  /**
   * Whether everything up to the targets was read or removed by retention.
   * @param ranges what the topic contains now
   */
  isAtTargets(ranges: readonly PartitionRange[]): boolean {
    return [...this.#targets].every(
      ([partition, target]) =>
        firstOf(ranges, partition, target) >= target || (this.#partitions.get(partition)?.to ?? 0n) >= target,
    );
  }

  /**
   * Verifies that every message up to the targets that the topic contains was read.
   * @param ranges queried after reading: what retention removed meanwhile could not be read
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

const POLL_MILLISECONDS = 50;

/**
 * Reads the topics to their ends, with the group that follows them when the build is live.
 * @throws TopicNotRead, and what the topic or the database threw
 */
export async function readTopicsToEnd(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
): Promise<TopicReading[]> {
  const readings: TopicReading[] = [];
  for (const name of model.topics) {
    const topic = services.topics.topic(name);
    const targets = new Map((await topic.ranges()).map(({ partition, end }) => [partition, end]));
    readings.push(await read(services, model, build, { topic, targets, group: groupOf(build), signal }));
  }
  for (const { topic, messages, missing, oldest } of readings)
    if (missing > 0)
      services.logger.warn(
        { model: model.name, topic, messages, missing, oldest },
        'a read model was rebuilt from a topic that no longer contains its oldest messages: their data is missing in it',
      );
  return readings;
}

/**
 * Reads the topics up to given checkpoints and no further, with a separate group, which is deleted afterwards: later
 * messages are delivered again when the build follows the topic.
 * @param checkpoints those of the build to compare with, by input
 * @throws TopicNotRead, and what the topic or the database threw
 */
export async function readTopicsUntil(
  services: Services,
  model: Model,
  build: Build,
  checkpoints: ReadonlyMap<string, bigint>,
  signal: AbortSignal,
): Promise<TopicReading[]> {
  const group = comparisonGroupOf(build);
  const readings: TopicReading[] = [];
  for (const name of model.topics) {
    const topic = services.topics.topic(name);
    const ranges = await topic.ranges();
    const targets = new Map(
      ranges.map(({ partition, end }) => {
        const checkpoint = checkpoints.get(partitionInput(name, partition)) ?? 0n;
        // A checkpoint beyond the end: the topic was restored to an earlier point.
        return [partition, checkpoint < end ? checkpoint : end];
      }),
    );
    readings.push(await read(services, model, build, { topic, targets, group, signal, onlyUntilTargets: true }));
    await topic.deleteGroup(group);
  }
  return readings;
}

interface Reading {
  readonly topic: Topic;
  readonly targets: Targets;
  readonly group: string;
  readonly signal: AbortSignal;
  readonly onlyUntilTargets?: boolean;
}

async function read(
  services: Services,
  model: Model,
  build: Build,
  { topic, targets, group, signal, onlyUntilTargets = false }: Reading,
): Promise<TopicReading> {
  const coverage = new Coverage(topic.name, targets);
  const enough = new AbortController();
  const consuming = followTopic(services, model, build, topic.name, {
    group,
    signal: AbortSignal.any([signal, enough.signal]),
    stop: enough,
    ...(onlyUntilTargets ? { until: targets } : {}),
    handled: (batch) => coverage.add(batch),
  });
  consuming.catch(() => enough.abort());
  while (!enough.signal.aborted && !signal.aborted) {
    // A batch is recorded before its offset is committed: when the lag is 0, all batches are recorded.
    const left = await topic.lag(group);
    if (left === 0n || coverage.isAtTargets(await topic.ranges())) break;
    await pause(POLL_MILLISECONDS, enough.signal);
  }
  enough.abort();
  await consuming;
  signal.throwIfAborted();
  return coverage.prove(await topic.ranges());
}
