/** Where the partitions of a topic end. One query serves all workers of a consumer. */
import { z } from 'zod';
import { type Database, query } from '../database.ts';

const ENDS = 'SELECT partition, next_offset FROM log.topic_partition WHERE topic = $1';
const End = z.object({ partition: z.int(), next_offset: z.bigint() });

export class Ends {
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
