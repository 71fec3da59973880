/** Groups of processes that share work: who is alive, and which partitions or claims each of them owns. */
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Database, query } from '../database.ts';
import { holdLocks } from '../lock-session.ts';

/** A group of processes that share work: who is alive, and claims that only one of them holds at a time. */
export interface Group {
  /** Joins. @throws when the server cannot be reached */
  join(): Promise<Membership>;
}

export interface Membership extends Omit<Member, 'take' | 'give'> {
  /** Takes a claim. @returns the function that releases it, or null while another member has it */
  claim(name: string): Promise<(() => Promise<void>) | null>;
}

/**
 * Joins a group and works as its member.
 * @param work receives a signal that aborts with `signal`, or when the membership has ended
 * @throws what joining or the work throws
 */
export async function asMember(
  group: Group,
  signal: AbortSignal,
  work: (member: Membership, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const member = await group.join();
  const ended = new AbortController();
  member.ended.then(() => ended.abort());
  try {
    await work(member, AbortSignal.any([signal, ended.signal]));
  } finally {
    // A member that stays listed expires by itself.
    await member.leave().catch(() => undefined);
  }
}

// Who consumes a topic in a group, and which partitions are each one's fair share.

/** A member of a group, holding locks on the session of its process: when that ends, the locks are free at once. */
export interface Member {
  readonly id: string;
  /** Sends a heartbeat; to be called about every second. @returns the ids of all living members, in order */
  beat(): Promise<string[]>;
  /** Takes a partition. @returns false while another session has it */
  take(partition: number): Promise<boolean>;
  give(partition: number): Promise<void>;
  /** Resolves when the session has ended, and all locks with it. */
  readonly ended: Promise<void>;
  leave(): Promise<void>;
}

// A member counts while its session is there; one that hangs, or whose machine is gone, counts 5 seconds more.
const BEAT = `WITH beat AS (
    INSERT INTO log.topic_member (group_name, topic, member, session, session_start, seen)
      SELECT $1, $2, $3, pg_backend_pid(), a.backend_start, now() FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()
      ON CONFLICT (group_name, topic, member) DO UPDATE SET seen = now()
      RETURNING member
  ), others AS (
    SELECT m.member FROM log.topic_member m
      JOIN pg_stat_activity a ON a.pid = m.session AND a.backend_start = m.session_start
     WHERE m.group_name = $1 AND m.topic = $2 AND m.member <> $3 AND m.seen > now() - interval '5 seconds'
  ) SELECT member FROM beat UNION SELECT member FROM others ORDER BY member`;
const FORGET = `DELETE FROM log.topic_member WHERE group_name = $1 AND topic = $2
  AND (member = $3 OR seen < now() - interval '1 minute')`;

const Living = z.object({ member: z.string() });

/** A lock's key: 63 bits of SHA-256, far from the small numbers that the appends lock. */
const lockKey = (group: string, topic: string, partition: number): string =>
  createHash('sha256')
    .update(JSON.stringify([group, topic, partition]))
    .digest()
    .readBigInt64BE(0)
    .toString();

/**
 * The partitions that one member should own: as many as the others, give or take one.
 * @param members all members in one order that they agree on
 */
export function fairShare(members: readonly string[], member: string, partitions: number): number[] {
  const rank = members.indexOf(member);
  if (rank < 0) return [];
  return Array.from({ length: partitions }, (_, partition) => partition).filter(
    (partition) => partition % members.length === rank,
  );
}

/** Joins a group. @throws the driver's error */
export async function join(database: Database, group: string, topic: string): Promise<Member> {
  const holder = await holdLocks(database);
  const id = randomUUID();
  const keyOf = (partition: number) => ({ number: lockKey(group, topic, partition) });
  const forget = (): Promise<unknown> => holder.run((session) => session.query(FORGET, [group, topic, id]));
  try {
    await forget();
  } catch (error) {
    await holder.release();
    throw error;
  }
  return {
    id,
    ended: new Promise<void>((resolve) => {
      if (holder.lost.aborted) resolve();
      holder.lost.addEventListener('abort', () => resolve(), { once: true });
    }),
    async beat() {
      const members = await holder.run((session) => query(session, BEAT, [group, topic, id], Living));
      return members.map(({ member }) => member);
    },
    take: (partition) => holder.tryLock(keyOf(partition)),
    give: (partition) => holder.unlock(keyOf(partition)),
    async leave() {
      // A member that stays listed expires 5 s after its last beat.
      await forget().catch(() => undefined);
      await holder.release();
    },
  };
}

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
  #notified: readonly number[] = [];
  #notifying: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Calls `onAssigned` when the owned partitions have changed; one call after the other. */
  #notify(owned: () => number[]): Promise<void> {
    const next = this.#notifying.then(async () => {
      const now = owned().sort((a, b) => a - b);
      if (now.join() === this.#notified.join()) return;
      await this.#options.onAssigned(now);
      this.#notified = now;
    });
    // The caller gets the failure; the next notification runs regardless.
    this.#notifying = next.catch(() => undefined);
    return next;
  }

  #start(partition: number): void {
    const stop = new AbortController();
    this.#workers.set(partition, { stop, done: this.#options.work(partition, stop.signal) });
  }

  /** Ends the worker; another member may have the partition only when its batch is done and `onAssigned` was called. */
  async #giveUp(partition: number, worker: Worker): Promise<void> {
    worker.stop.abort();
    await worker.done;
    await this.#notify(() => [...this.#workers.keys(), ...this.#leaving.keys()].filter((other) => other !== partition));
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
    await this.#notify(() => [...this.#workers.keys(), ...this.#leaving.keys(), ...taken]);
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
    await this.#notify(() => []).catch(this.#options.report);
  }
}

// Groups in PostgreSQL: a member's claims are advisory locks on the session of its process, gone when that ends.

/** 48 bits of a name: as good as no two names of one group share them. */
const numberOf = (name: string): number => createHash('sha256').update(name).digest().readUIntBE(0, 6);

/** @param name of the group, such as `pollers` */
export const postgresGroup = (database: Database, name: string): Group => ({
  async join() {
    const { take, give, ...member } = await join(database, 'group', name);
    return {
      ...member,
      async claim(what) {
        const number = numberOf(what);
        return (await take(number)) ? () => give(number) : null;
      },
    };
  },
});
