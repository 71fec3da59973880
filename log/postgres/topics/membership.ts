/** Who consumes a topic in a group, and which partitions are each one's fair share. */
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { type Database, query } from '../database.ts';

/** A member of a group, holding locks on one connection of its own: when that ends, the locks are free at once. */
export interface Member {
  /** Says that this member is alive. @returns the ids of all living members, in order */
  beat(): Promise<string[]>;
  readonly id: string;
  /** Takes a partition. @returns false while another session has it */
  take(partition: number): Promise<boolean>;
  give(partition: number): Promise<void>;
  /** Resolves when the connection has ended, and all locks with it. */
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

/** Joins a group on a new connection. @throws the driver's error */
export async function join(database: Database, group: string, topic: string): Promise<Member> {
  const client = new pg.Client(database.options);
  const id = randomUUID();
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  let last: Promise<unknown> = Promise.resolve();
  /** One statement after the other: the connection takes no second one meanwhile. */
  const inTurn = <Result>(statement: () => Promise<Result>): Promise<Result> => {
    const result = last.then(statement);
    last = result.catch(() => undefined);
    return result;
  };
  const ask = async (text: string, partition: number): Promise<boolean> => {
    const key = lockKey(group, topic, partition);
    const rows = await inTurn(() => query(client, text, [key], z.object({ done: z.boolean() })));
    return rows[0]?.done ?? false;
  };
  try {
    await client.connect();
    await client.query(FORGET, [group, topic, id]);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return {
    id,
    ended,
    async beat() {
      const members = await inTurn(() => query(client, BEAT, [group, topic, id], z.object({ member: z.string() })));
      return members.map(({ member }) => member);
    },
    take: (partition) => ask('SELECT pg_try_advisory_lock($1) AS done', partition),
    async give(partition) {
      await ask('SELECT pg_advisory_unlock($1) AS done', partition);
    },
    async leave() {
      await inTurn(() => client.query(FORGET, [group, topic, id])).catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}
