import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { signalHistory } from '../../bench/generated-history.ts';
import type { EventStore } from '../../log/event-store.ts';
import { eventStoreDb } from '../../log/eventstore/eventstore-adapter.ts';
import { query } from '../../log/postgres/database.ts';
import { rebuildGroups, sharedHistory } from '../../projector/log-pass.ts';
import { checkpoint, liveBuild, STORE } from '../../projector/model-builds.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { signalsModel } from '../../projector/models/signals-read-model.ts';
import { sourceHealthModel } from '../../projector/models/source-health-read-model.ts';
import { listParked } from '../../projector/parked-events.ts';
import { EMPTY } from '../../projector/promote-build.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { newEvent } from '../../schemas/events.ts';
import { eventually } from '../harness/eventually.ts';
import { type Double, startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';
import { type Engine, testEngine } from './engine.ts';
import { idOf } from './signal-events.ts';

const TIMEOUT_MS = 60_000;
/** Events of the history that is built from nothing, and of the one that is caught up with: more than a page. */
const BUILT = 150;
const EVENTS = 750;
const models = readModels({ baseUrl: 'https://clarity.test' });
const storeModels = models.filter(({ prefixes }) => prefixes.length > 0);
const never = new AbortController().signal;

/** Appends the part of a history that begins at an event. */
async function append(store: EventStore, from: number, to: number): Promise<bigint> {
  let last = 0n;
  for (const { stream, event } of [...signalHistory(to, 5)].slice(from))
    last = (await store.append(stream, [event], 'any')).position;
  return last;
}

describe('read models on an event store that is expensive to read', () => {
  let engine: Engine;
  let double: Double;
  let store: EventStore;
  /** Events that `readAll` and subscriptions handed out. */
  let handedOut = 0;

  beforeEach(async () => {
    engine = await testEngine();
    double = await startDouble({ store: doubleStore() });
    const opened = await eventStoreDb({ url: `esdb://127.0.0.1:${double.port}?tls=false` });
    handedOut = 0;
    store = {
      ...opened,
      async readAll(options) {
        const page = await opened.readAll(options);
        handedOut += page.events.length;
        return page;
      },
      async *subscribe(options) {
        for await (const page of opened.subscribe(options)) {
          handedOut += page.events.length;
          yield page;
        }
      },
    };
  });
  afterEach(async () => {
    await engine.close();
    await store.close();
    double.kill();
  });

  const allAt = async (position: bigint): Promise<void> => {
    for (const { name } of storeModels)
      expect(await waitForPosition(engine.database, name, position, TIMEOUT_MS), name).toBe(true);
  };
  /** Versions of the read models that readers see. */
  const liveVersions = async (): Promise<Map<string, string>> => {
    const text = `SELECT model, version FROM projector.builds WHERE state = 'live'`;
    const found = await query(engine.database, text, [], z.object({ model: z.string(), version: z.string() }));
    return new Map(found.map(({ model, version }) => [model, version]));
  };
  const versions = new Map(models.map(({ name, version }) => [name, version]));
  const allLive = () =>
    vi.waitFor(async () => expect(await liveVersions()).toEqual(versions), { timeout: TIMEOUT_MS, interval: 100 });

  it('given new ones, builds them in groups that share a reading; given all far behind, they catch up with one, to the rows of a rebuild', async () => {
    const first = await append(store, 0, BUILT);
    const projector = engine.run(models, { store });
    await allLive();
    await allAt(first);
    expect(handedOut).toBeGreaterThanOrEqual(BUILT);
    // Groups of six, and as many again for models that a slow machine starts too late for their group.
    expect(handedOut).toBeLessThanOrEqual(2 * Math.ceil(storeModels.length / 6) * BUILT);
    expect(handedOut).toBeLessThan((storeModels.length / 2) * BUILT);
    await projector.stop();
    const head = await append(store, BUILT, EVENTS);
    handedOut = 0;

    engine.run(models, { store });
    await allAt(head);

    expect(handedOut).toBeLessThanOrEqual(3 * EVENTS);
    for (const { name } of storeModels) {
      const live = await liveBuild(engine.database, name);
      expect(await checkpoint(engine.database, live?.name ?? '', STORE), name).toBeGreaterThanOrEqual(head);
    }
    const run = rebuildGroups(store);
    const options = { ...engine, store, verify: true, swap: false, signal: never };
    const rebuilt = await Promise.all(
      storeModels.slice(0, 8).map((model) => run(model, (shared) => replay({ ...options, model, shared }))),
    );
    for (const { model, verification } of rebuilt) expect(verification?.examples, model).toEqual([]);
  });

  it('given an event that one model cannot take, stops the rebuild of that one alone', async () => {
    await append(store, 0, 100);
    const orphan = newEvent('SignalReported', { signal_id: idOf('nobody') } as never, {
      id: '4b1c4e0c-0f51-4b7e-9a1c-1d2f3a4b5c6d',
      time: '2026-11-21T04:30:00Z',
    });
    const one = models.find(({ name }) => name === 'search');
    const other = { ...models.find(({ name }) => name === 'accounts'), prefixes: ['signal-', 'account-'] };
    if (!one) return expect.unreachable();
    const head = (await store.append('signal-broken', [orphan], 'none')).position;

    engine.run([one, other as typeof one], { store });

    expect(await waitForPosition(engine.database, 'accounts', head, TIMEOUT_MS)).toBe(true);
    await eventually(async () => expect((await listParked(engine.database))[0]?.event_id).toBe(orphan.id));
    expect((await liveVersions()).get('search')).toBe(EMPTY);
  });
});

describe('rebuilds of a group', () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await testEngine();
  });
  afterEach(() => engine.close());

  /** Reads the events of signals up to a position as a member of a group; `work` is done for each page. */
  const reading = (
    run: ReturnType<typeof rebuildGroups>,
    target: bigint,
    { signal = never, work = async (): Promise<void> => undefined } = {},
  ) =>
    run(signalsModel({ baseUrl: 'https://clarity.test' }), async ({ feed }) => {
      const pages = [];
      for await (const page of sharedHistory(feed, { after: 0n, prefixes: ['signal-'], signal }, target)) {
        await work();
        pages.push(page);
      }
      return { events: pages.flatMap(({ events }) => events), end: pages.at(-1)?.position };
    });

  it('given one that fails and one that never reads, gives the others all their events up to their targets', async () => {
    const head = await append(engine.store, 0, 300);
    const run = rebuildGroups(engine.store);

    const [whole, half, failed, without] = await Promise.allSettled([
      reading(run, head),
      reading(run, head / 2n),
      reading(run, head, { work: () => Promise.reject(new Error('no room')) }),
      run(sourceHealthModel(), async () => 'nothing to read'),
    ]);

    if (whole.status === 'rejected' || half.status === 'rejected') return expect.unreachable();
    expect(whole.value.events).toHaveLength(300);
    expect(whole.value.end).toBe(head);
    expect(half.value.end).toBe(head / 2n);
    expect(half.value.events).toEqual(whole.value.events.filter(({ position }) => position <= head / 2n));
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no room' } });
    expect(without).toEqual({ status: 'fulfilled', value: 'nothing to read' });
  });

  it('given one that is stopped while it waits for events, ends it with the reason', async () => {
    const stop = new AbortController();
    const waiting = reading(rebuildGroups(engine.store), 1_000n, { signal: stop.signal });
    stop.abort(new Error('stopped'));

    await expect(waiting).rejects.toThrow('stopped');
  });
});
