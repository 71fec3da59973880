/** The session that holds all locks of a process: shared, exclusive between holders, and lost on both sides in time. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Database, openDatabase, query } from '../../../log/postgres/database.ts';
import { holdLocks } from '../../../log/postgres/lock-session.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { runAsOwner } from '../../../projector/follow-log.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { startFreezingProxy } from '../../harness/freezing-proxy.ts';
import { counter } from '../../projector/counter.ts';
import { listening } from '../../projector/engine.ts';
import { someMessages } from '../contract/topic.ts';

const KEY = { name: 'a lock' };
const sessionsOf = async (database: Database, name: string): Promise<number> => {
  const text = `SELECT count(*)::int AS many FROM pg_stat_activity WHERE application_name = $1`;
  const [row] = await query(database, text, [`clarity ${name}`], z.object({ many: z.int() }));
  return row?.many ?? 0;
};

describe('the session of the locks', () => {
  let it: TestDatabase;
  beforeAll(async () => {
    it = await logDatabase();
  });
  afterAll(() => it.close());

  test('given many holders of one process, then they share one session, and a lock has one of them', async () => {
    const pool = openDatabase(it.url, { name: 'sharing' });
    const holders = await Promise.all(Array.from({ length: 20 }, () => holdLocks(pool)));
    const taken = await Promise.all(holders.map((holder) => holder.tryLock(KEY)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await sessionsOf(it.database, 'sharing')).toBe(1);
    await holders[taken.indexOf(true)]?.release();
    expect(await holders[taken.indexOf(false)]?.tryLock(KEY)).toBe(true);
    for (const holder of holders) await holder.release();
    await eventually(async () => expect(await sessionsOf(it.database, 'sharing')).toBe(0));
    await pool.end();
  });

  test('given a session that is ended from outside, then all holders lose their locks at once and the next one opens another', async () => {
    const pool = openDatabase(it.url, { name: 'ended' });
    const [one, other] = [await holdLocks(pool), await holdLocks(pool)];
    await one.tryLock(KEY);
    await it.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'clarity ended'`,
    );
    await eventually(() => expect([one.lost.aborted, other.lost.aborted]).toEqual([true, true]));
    await expect(one.tryLock(KEY)).rejects.toThrow();
    const next = await holdLocks(pool);
    expect(await next.tryLock(KEY)).toBe(true);
    for (const holder of [one, other, next]) await holder.release();
    await pool.end();
  });

  test('given a network that drops everything, then models and partitions stop with their owner first and move within 60 s', async () => {
    const topic = 'frozen';
    const proxy = await startFreezingProxy(it.url);
    const [near, far] = [openDatabase(it.url, { name: 'near' }), openDatabase(proxy.through(it.url), { name: 'far' })];
    const stop = new AbortController();
    const happened: string[] = [];
    const own = async (database: Database, name: string): Promise<void> => {
      const services = { database, logger: listening() } as unknown as Parameters<typeof runAsOwner>[0];
      while (!stop.signal.aborted)
        // It throws when its session is lost; the next attempt takes a new one.
        await runAsOwner(services, counter, stop.signal, async (owned) => {
          happened.push(`${name} owns`);
          await new Promise((resolve) => owned.addEventListener('abort', resolve, { once: true }));
          happened.push(`${name} stops`);
        }).catch(() => undefined);
    };
    const consumers = { far: [] as number[], near: [] as number[] };
    const [farTopics, nearTopics] = [postgresTopics(far), postgresTopics(near)];
    const consume = (name: 'far' | 'near') =>
      (name === 'far' ? farTopics : nearTopics).topic(topic).consume({
        group: 'readers',
        signal: stop.signal,
        onAssigned: (partitions) => {
          consumers[name] = [...partitions];
        },
        handle: async () => undefined,
      });
    const running = [own(far, 'far'), consume('far')];
    await eventually(() => expect([happened, consumers.far.length]).toEqual([['far owns'], 8]));
    running.push(own(near, 'near'), consume('near'));
    await eventually(() => expect(consumers.near).toHaveLength(4));

    proxy.freeze();
    await eventually(() => {
      expect(happened.slice(0, 3)).toEqual(['far owns', 'far stops', 'near owns']);
      expect([consumers.far.length, consumers.near.length]).toEqual([0, 8]);
    });
    // The new owner works: what was published since is handled.
    await nearTopics.topic(topic).publish(someMessages('after', 8, 2));
    await eventually(async () => expect(await nearTopics.topic(topic).lag('readers')).toBe(0n));
    stop.abort();
    await proxy.stop();
    await Promise.all(running);
    for (const topics of [farTopics, nearTopics]) await topics.close();
    for (const pool of [near, far]) await pool.end();
    // The frozen network is noticed by timeouts of the database, up to 60 s.
  }, 120_000);
});
