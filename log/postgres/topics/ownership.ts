/** The partitions that a member owns, each with its worker. */
import { fairShare, type Member } from './membership.ts';

interface Worker {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

interface Options {
  readonly member: Member;
  /** Works on a partition until the signal aborts and the batch in hand is done. */
  readonly work: (partition: number, signal: AbortSignal) => Promise<void>;
  readonly onAssigned: (partitions: readonly number[]) => Promise<void> | void;
  readonly report: (error: unknown) => void;
}

export class Ownership {
  readonly #options: Options;
  readonly #workers = new Map<number, Worker>();
  readonly #leaving = new Map<number, Promise<void>>();
  #told: readonly number[] = [];
  #telling: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Tells which partitions are owned, one call after the other, when that has changed. */
  #tell(owned: () => number[]): Promise<void> {
    const next = this.#telling.then(async () => {
      const now = owned().sort((a, b) => a - b);
      if (now.join() === this.#told.join()) return;
      await this.#options.onAssigned(now);
      this.#told = now;
    });
    this.#telling = next.catch(() => undefined);
    return next;
  }

  #start(partition: number): void {
    const stop = new AbortController();
    this.#workers.set(partition, { stop, done: this.#options.work(partition, stop.signal) });
  }

  /** Ends the worker; only when its batch is done and that is told may another member have the partition. */
  async #giveUp(partition: number, worker: Worker): Promise<void> {
    worker.stop.abort();
    await worker.done;
    await this.#tell(() => [...this.#workers.keys(), ...this.#leaving.keys()].filter((other) => other !== partition));
    await this.#options.member.give(partition);
  }

  #giveUpAllBut(share: readonly number[]): void {
    for (const [partition, worker] of [...this.#workers]) {
      if (share.includes(partition)) continue;
      this.#workers.delete(partition);
      const gone = this.#giveUp(partition, worker)
        .catch(this.#options.report)
        .finally(() => this.#leaving.delete(partition));
      this.#leaving.set(partition, gone);
    }
  }

  /** Moves towards the fair share among the living members. @returns whether a partition is still to come */
  async balance(members: readonly string[], partitions: number): Promise<boolean> {
    const { member } = this.#options;
    const share = fairShare(members, member.id, partitions);
    this.#giveUpAllBut(share);
    const taken: number[] = [];
    for (const partition of share)
      if (!this.#workers.has(partition) && !this.#leaving.has(partition) && (await member.take(partition)))
        taken.push(partition);
    await this.#tell(() => [...this.#workers.keys(), ...this.#leaving.keys(), ...taken]);
    for (const partition of taken) this.#start(partition);
    return this.#workers.size < share.length;
  }

  /** Stops all workers at once, without waiting. */
  stop(): void {
    for (const { stop } of this.#workers.values()) stop.abort();
  }

  /** Resolves when every batch in hand is done and nothing is owned any more. */
  async end(): Promise<void> {
    this.stop();
    await Promise.all([...[...this.#workers.values()].map(({ done }) => done), ...this.#leaving.values()]);
    this.#workers.clear();
    await this.#tell(() => []).catch(this.#options.report);
  }
}
