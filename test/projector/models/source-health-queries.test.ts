import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { healthSnapshot, pollState } from '../../../projector/models/source-health-queries.ts';
import { sourceHealthModel } from '../../../projector/models/source-health-read-model.ts';
import { replay } from '../../../projector/rebuild/replay-model.ts';
import { POLLS, type Poll } from '../../../schemas/poll.ts';
import { HealthSnapshot } from '../../../schemas/resources.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { sourceStream } from '../../../schemas/source.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import { storedEvent } from '../given-when-then.ts';
import { detected, idOf } from '../signal-events.ts';
import { added, polled } from '../source-events.ts';

const now = new Date('2026-11-20T12:00:00Z');
const models = [sourceHealthModel(), signalsModel({ baseUrl: 'https://clarity.test' })];
let engine: Engine;

const add = (id: string, changes = {}) =>
  engine.add(sourceStream(sourceId(id)), added({ id: sourceId(id), ...changes }));
const poll = (id: string, changes: Partial<Poll>, hour: number) =>
  engine.topics.topic(POLLS).publish([{ key: id, event: polled({ source_id: sourceId(id), ...changes }, hour) }]);
const polls = async (id: string) =>
  (await pollState(engine.database, sourceId(id)))?.hours.reduce((sum, hour) => sum + hour.polls, 0);

beforeEach(async () => {
  engine = await testEngine();
  await add('one');
  await add('two', { outlet: 'Another', paused: true });
  await add('three');
  await add('gone');
  await poll('one', { outcome: 'changed', items_new: 5, etag: '"e"', listed: { a: 'b' } }, 10);
  for (let hour = 8; hour < 12; hour++)
    await poll('three', { outcome: 'failed', error: { code: 'timeout', message: 'no answer in 20 s' } }, hour);
});
afterEach(() => engine.close());

const started = async (): Promise<ReturnType<Engine['run']>> => {
  const projector = engine.run(models);
  const retired = storedEvent('SourceRetired', { by: 'roster', why: 'gone', source_id: sourceId('gone') });
  const last = await engine.add(sourceStream(sourceId('gone')), retired);
  expect(await waitForPosition(engine.database, 'source_health', last, 10_000)).toBe(true);
  await eventually(async () => expect(await polls('three')).toBe(4));
  return projector;
};

describe('healthSnapshot', () => {
  it('answers as the contract says, with the roster and how its polls go', async () => {
    await started();
    const position = await engine.add(
      signalStream(idOf('one')),
      detected('one', { published_at: '2026-11-20T04:00:00Z' }),
    );
    await waitForPosition(engine.database, 'signals', position, 10_000);

    const snapshot = HealthSnapshot.parse(await healthSnapshot(engine.database, now));

    expect(snapshot.stats).toEqual({
      sources: 3,
      active: 2,
      paused: 1,
      healthy: 1,
      degraded: 0,
      failing: 1,
      silent: 0,
      items_per_hour: 0.2,
      signals_24h: 1,
    });
    expect(snapshot.sources).toMatchObject([
      { id: 'two', outlet: 'Another', health: 'paused', last_polled_at: null },
      { id: 'one', health: 'healthy', items_24h: 5, cadence_seconds: 600, last_error: null },
      { id: 'three', health: 'failing', consecutive_failures: 4, last_error: 'timeout: no answer in 20 s' },
    ]);
  });
});

describe('pollState', () => {
  it('gives a restarted poller what it needs, and null for a source that was never polled', async () => {
    await started();

    expect(await pollState(engine.database, sourceId('one'))).toMatchObject({
      etag: '"e"',
      listed: { a: 'b' },
      next_poll_at: '2026-11-20T10:10:00.000Z',
    });
    expect(await pollState(engine.database, sourceId('two'))).toBeNull();
    expect(await pollState(engine.database, sourceId('nobody'))).toBeNull();
  });
});

describe('a model of a topic', () => {
  it('counts every poll once over restarts and a new version', async () => {
    await (await started()).stop();
    await poll('three', {}, 13);
    const newer = [{ ...sourceHealthModel(), version: 'cccccccccccc' }];

    const projector = engine.run(newer);
    await eventually(async () => expect(await polls('three')).toBe(5));
    await projector.stop();
    await poll('three', {}, 14);
    engine.run(newer);

    await eventually(async () => expect(await polls('three')).toBe(6));
  });

  it('is verified at the checkpoints of its partitions, and goes on after the swap', async () => {
    await started();

    const result = await replay({
      ...engine,
      model: sourceHealthModel(),
      verify: true,
      signal: new AbortController().signal,
    });

    expect(result.verification).toMatchObject({ equal: true, keys: 4 });
    await poll('one', { items_new: 1 }, 13);
    await eventually(async () => expect(await polls('one')).toBe(2));
    expect(await polls('three')).toBe(4);
  });
});
