/** `clarity topics` on a database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOPICS } from '../../../operations/topics.ts';
import { eventually } from '../../harness/eventually.ts';
import { endDay } from '../../harness/topic-days.ts';
import { someMessages } from '../../log/contract/topic.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { runCommand } from '../run-command.ts';

let engine: Engine;
const clarity = (...words: string[]) => runCommand(TOPICS, ['topics', ...words], engine.url);
const kept = async (): Promise<number> =>
  (await engine.database.query<{ n: number }>('SELECT count(*)::int AS n FROM log.topic_message')).rows[0]?.n ?? -1;

/** Has a group handle the topic up to so many messages. */
async function handle(group: string, most = Number.POSITIVE_INFINITY): Promise<void> {
  const stop = new AbortController();
  let handled = 0;
  const consuming = engine.topics.topic('items').consume({
    group,
    batchSize: 1,
    signal: stop.signal,
    // Partitions are handled at the same time: what one of them has in hand beyond the limit is refused, not handled.
    handle: async ({ messages }) => {
      if (handled >= most) throw new Error('handled enough');
      handled += messages.length;
      if (handled >= most) stop.abort();
    },
  });
  await eventually(async () =>
    expect(stop.signal.aborted || (await engine.topics.topic('items').lag(group)) === 0n).toBe(true),
  );
  stop.abort();
  await consuming;
}

beforeEach(async () => {
  engine = await testEngine();
  await engine.topics.topic('items').publish(someMessages('old', 1, 10));
  await endDay(engine.database, 'items', 100);
  await engine.topics.topic('items').publish(someMessages('new', 1, 2));
  await handle('understand');
});
afterEach(() => engine.close());

describe('clarity topics', () => {
  it('lists topics and groups, as text and as JSON', async () => {
    const { output } = await clarity('list');
    expect(output).toMatch(/items\s+12\s+\d+\.\d MB/);
    expect(output).toMatch(/understand\s+items\s+0\s+no/);
    expect(JSON.parse((await clarity('list', '--json')).output)).toMatchObject({
      topics: [{ topic: 'items', messages: 12 }],
      groups: [{ group: 'understand', topic: 'items', lag: 0, connected: false }],
    });
  });

  it('given no limit, trims by the settings, after a dry run that changes nothing', async () => {
    const dry = await clarity('trim', '--dry-run');
    expect(dry).toMatchObject({ code: 0, output: 'items: 10 messages would be removed\n' });
    expect(await kept()).toBe(12);

    expect(await clarity('trim')).toMatchObject({ code: 0, output: 'items: 10 messages removed\n' });
    expect(await kept()).toBe(2);
    expect(await clarity('trim', '--older-than', '30')).toMatchObject({ output: 'items: 0 messages removed\n' });
  });

  it('given a group that is behind, keeps what it needs and says so; with --unhandled asks first', async () => {
    await handle('match', 4);

    const { output } = await clarity('trim', '--older-than', '7');
    expect(output).toContain('items: 0 messages removed, 10 kept because a group has not handled them');
    expect(output).toContain('match has not handled 6 of items');

    const asked = await clarity('trim', '--older-than', '7', '--unhandled');
    expect(asked.code).toBe(2);
    expect(asked.output).toContain('it would lose them');
    expect(await kept()).toBe(12);
    const done = await clarity('trim', '--older-than', '7', '--unhandled', '--yes');
    expect(done.output).toContain('match has not handled 6 of items: it has lost them');
    expect(await kept()).toBe(2);
  });

  it('deletes a group that nothing uses, after which it holds nothing back', async () => {
    await handle('forgotten', 1);

    expect(await clarity('delete-group', 'nobody')).toMatchObject({ code: 2 });
    expect((await clarity('delete-group', 'forgotten')).output).toContain('forgotten is deleted');

    expect((await clarity('trim', '--older-than', '7')).output).toBe('items: 10 messages removed\n');
  });

  it('refuses an unknown topic and an invalid number', async () => {
    expect(await clarity('trim', '--topic', 'itms')).toMatchObject({
      code: 2,
      output: expect.stringContaining('available: items'),
    });
    expect((await clarity('trim', '--older-than', 'a week')).code).not.toBe(0);
    expect(await kept()).toBe(12);
  });
});
