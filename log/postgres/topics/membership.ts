/** Who consumes a topic in a group, and which partitions are each one's fair share. */
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Database, query } from '../database.ts';
import { holdLocks } from '../lock-session.ts';

/** A member of a group, holding locks on the session of its process: when that ends, the locks are free at once. */
export interface Member {
  /** Says that this member is alive. @returns the ids of all living members, in order */
  beat(): Promise<string[]>;
  readonly id: string;
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
      await forget().catch(() => undefined);
      await holder.release();
    },
  };
}
