/**
 * How far consumers are behind, in messages and in time. It is measured by every process of the pipeline for all
 * groups, so that the lag of a consumer that is down is still reported.
 */
import type { PartitionProgress, Topics } from '../../log/topic.ts';

export interface PartitionLag {
  readonly partition: number;
  /** Messages not handled yet. */
  readonly lag: number;
}

export interface GroupLag {
  readonly topic: string;
  readonly group: string;
  /** Messages not handled yet, over all partitions. */
  readonly lag: number;
  readonly partitions: readonly PartitionLag[];
  /**
   * For how many seconds, at least, the oldest of them has waited: since the earliest look at which it was published
   * already. 0 when none waits.
   */
  readonly seconds: number;
}

interface Look {
  readonly at: number;
  readonly end: bigint;
}

/** Looks at one partition are kept for a day at most, and so many of them. */
const MAXIMUM_LOOKS = 2_000;

/** Remembers where partitions ended at earlier looks. One per process. */
export class LagClock {
  readonly #looks = new Map<string, Look[]>();

  /** @param now in milliseconds, of a clock that only moves forwards */
  measure(topic: string, group: string, progress: readonly PartitionProgress[], now: number): GroupLag {
    const waits = progress.map((partition) => this.#wait(`${topic} ${group} ${partition.partition}`, partition, now));
    const partitions = progress.map(({ partition, next, end }) => ({ partition, lag: Number(end - next) }));
    return {
      topic,
      group,
      lag: partitions.reduce((sum, { lag }) => sum + lag, 0),
      partitions,
      seconds: Math.max(0, ...waits) / 1000,
    };
  }

  #wait(key: string, { next, end }: PartitionProgress, now: number): number {
    // Only looks at which something was there that still waits say how long it has waited.
    const looks = (this.#looks.get(key) ?? []).filter((look) => look.end > next);
    if (end > next && looks.at(-1)?.end !== end) looks.push({ at: now, end });
    // The oldest look is the one that counts; of the others every second one will do.
    if (looks.length > MAXIMUM_LOOKS)
      this.#looks.set(
        key,
        looks.filter((_, index) => index % 2 === 0),
      );
    else this.#looks.set(key, looks);
    return end > next && looks[0] ? now - looks[0].at : 0;
  }
}

/** Asks the topic, and measures. */
export async function groupLag(
  topics: Topics,
  clock: LagClock,
  { topic, group }: { readonly topic: string; readonly group: string },
  now: number,
): Promise<GroupLag> {
  return clock.measure(topic, group, await topics.topic(topic).progress(group), now);
}
