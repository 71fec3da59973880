import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase, query } from '../../../../log/postgres/database.ts';
import { fairShare } from '../../../../log/postgres/topics/consumer-group.ts';
import { partitionOf, postgresTopics } from '../../../../log/postgres/topics/postgres-topics.ts';
import type { Topics } from '../../../../log/topic.ts';
import { logAdapters, logDatabase, type TestDatabase } from '../../../harness/database.ts';
import { eventually } from '../../../harness/eventually.ts';
import { someEvent } from '../../contract/events.ts';
import { consuming, someMessages, topicContract } from '../../contract/topic.ts';

topicContract(() => logAdapters(postgresTopics));

const Line = z.union([
  z.object({ assigned: z.array(z.int()) }),
  z.object({ handled: z.array(z.object({ key: z.string(), data: z.object({ name: z.string() }) })) }),
]);

/** Starts a consumer in its own process and collects what it says. */
function consumerProcess(url: string, topic: string, group: string) {
  const program = fileURLToPath(new URL('./consumer-process.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, url, topic, group], { stdio: ['ignore', 'pipe', 2] });
  const state = { child, assigned: [] as number[], handled: [] as string[] };
  if (child.stdout)
    createInterface(child.stdout).on('line', (text) => {
      const line = Line.parse(JSON.parse(text));
      if ('assigned' in line) state.assigned = line.assigned;
      else state.handled.push(...line.handled.map(({ data }) => data.name));
    });
  return state;
}

describe('topics in PostgreSQL', () => {
  let it: TestDatabase;
  let topics: Topics;
  beforeAll(async () => {
    it = await logDatabase();
    topics = postgresTopics(it.database);
  });
  afterAll(async () => {
    await topics.close();
    await it.close();
  });

  test('given processes that share a group, when one is killed, then the other has its partitions and nothing is lost', async () => {
    const messages = someMessages('killed', 16, 40);
    await topics.topic('killed').publish(messages.slice(0, 320));
    const [first, second] = [
      consumerProcess(it.url, 'killed', 'readers'),
      consumerProcess(it.url, 'killed', 'readers'),
    ];
    await eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([4, 4]));
    await topics.topic('killed').publish(messages.slice(320, 480));
    await eventually(() => expect(first.handled.length).toBeGreaterThan(0));
    first.child.kill('SIGKILL');
    await eventually(() => expect(second.assigned).toHaveLength(8));
    await topics.topic('killed').publish(messages.slice(480));
    const handled = () => new Set([...first.handled, ...second.handled]);
    await eventually(() => expect(handled().size).toBe(messages.length));
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
    expect(await topics.topic('killed').lag('readers')).toBe(0n);
  });

  test('given a message published twice, then it is kept once and offsets have no gaps', async () => {
    const messages = someMessages('twice', 5, 4);
    await topics.topic('twice').publish([...messages, ...messages.slice(0, 3)]);
    await topics.topic('twice').publish(messages);
    await topics.topic('twice').publish([{ key: 'key 0', event: someEvent('twice last') }]);
    const rows = await query(
      it.database,
      `SELECT partition, array_agg(message_offset ORDER BY message_offset)::int[] AS offsets
         FROM log.topic_message WHERE topic = 'twice' GROUP BY partition`,
      [],
      z.object({ partition: z.int(), offsets: z.array(z.int()) }),
    );
    expect(rows.flatMap(({ offsets }) => offsets)).toHaveLength(21);
    for (const { offsets } of rows) expect(offsets).toEqual(offsets.map((_, index) => index));
  });

  test('given a consumer whose partition was worked on elsewhere, then it cannot move the offset back', async () => {
    await topics.topic('zombie').publish(someMessages('zombie', 1, 20));
    const partition = partitionOf('key 0', 8);
    const moved = `UPDATE log.topic_group SET next_offset = 20 WHERE topic = 'zombie' AND partition = ${partition}`;
    let overtaken = false;
    const consumption = consuming(topics, 'zombie', 'readers', async () => {
      if (overtaken) return;
      overtaken = true;
      await it.database.query(moved);
    });
    await eventually(() => expect(overtaken).toBe(true));
    await topics.topic('zombie').publish([{ key: 'key 0', event: someEvent('zombie after') }]);
    await eventually(() => expect(consumption.received.at(-1)?.name).toBe('zombie after'));
    // The rest of the first twenty was the other's: after the failed commit only the new message came.
    expect(consumption.received).toHaveLength(11);
    await consumption.stop();
  });

  test('given a consumer whose connections are cut, then it goes on and loses nothing', async () => {
    const pool = openDatabase(it.url, { max: 3, name: 'severed' });
    const severed = postgresTopics(pool);
    const consumption = consuming(severed, 'severed', 'readers');
    await topics.topic('severed').publish(someMessages('severed', 4, 5));
    await eventually(() => expect(consumption.received).toHaveLength(20));
    const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'clarity severed'";
    expect((await it.database.query(cut)).rowCount).toBeGreaterThan(0);
    await topics.topic('severed').publish([{ key: 'key 1', event: someEvent('severed after') }]);
    // A batch whose commit was cut off comes again, perhaps after the new message.
    await eventually(() => expect(consumption.received.map(({ name }) => name)).toContain('severed after'));
    await consumption.stop();
    await severed.close();
    await pool.end();
  });

  test('given messages that were deleted by hand, then the gaps are skipped, and lag ends at 0', async () => {
    await topics.topic('gaps').publish(someMessages('gaps', 1, 12));
    await it.database.query(
      "DELETE FROM log.topic_message WHERE topic = 'gaps' AND message_offset IN (0, 1, 5, 10, 11)",
    );
    const handed: [bigint, bigint][] = [];
    const partition = partitionOf('key 0', 8);
    const consumption = consuming(topics, 'gaps', 'readers', async ({ from, to }) => void handed.push([from, to]));
    await eventually(async () => expect(await topics.topic('gaps').lag('readers')).toBe(0n));
    expect(consumption.received.map(({ name }) => name)).toEqual(
      [2, 3, 4, 6, 7, 8, 9].map((number) => `gaps ${number}`),
    );
    expect(handed).toEqual([
      [0n, 10n],
      [10n, 12n],
    ]);
    expect((await topics.topic('gaps').ranges())[partition]).toEqual({ partition, first: 2n, end: 12n });
    await topics.topic('gaps').publish([{ key: 'key 0', event: someEvent('gaps next') }]);
    await eventually(() => expect(consumption.received.at(-1)?.name).toBe('gaps next'));
    await consumption.stop();
  });

  test('given any number of members, then their shares are fair and cover every partition once', () => {
    for (let members = 1; members <= 10; members++) {
      const ids = Array.from({ length: members }, (_, index) => `m${index}`);
      const shares = ids.map((id) => fairShare(ids, id, 8));
      expect(shares.flat().sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      const sizes = shares.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }
    expect(fairShare(['a'], 'stranger', 8)).toEqual([]);
  });
});
