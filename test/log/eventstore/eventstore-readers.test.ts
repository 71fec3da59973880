/** Subscriptions that the server ends, or that break: what their readers miss, and what is reported of it. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { kindOf, messageOf } from '../../../log/errors.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { type EventStoreSettings, eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { eventually } from '../../harness/eventually.ts';
import { eventOfBytes, someEvent } from '../contract/events.ts';
import { type DoubleOptions, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function doubled(options: Partial<DoubleOptions>) {
  const data = doubleStore();
  const double = await startDouble({ ...options, store: data });
  closers.push(() => double.kill());
  return { double, data, url: `esdb://127.0.0.1:${double.port}?tls=false` };
}

async function open(url: string, settings: Omit<EventStoreSettings, 'url'> = {}): Promise<EventStore> {
  const store = await eventStoreDb({ url, ...settings });
  closers.push(() => store.close());
  return store;
}

/** As many as a projector has read models. */
const READERS = 29;

describe('many readers of one process', () => {
  async function readers(options: Partial<DoubleOptions>) {
    const { double, data, url } = await doubled(options);
    const [report, resumed] = [vi.fn(), vi.fn()];
    const store = await open(url, { report, resumed });
    const controller = new AbortController();
    const seen = new Map<number, number>();
    const reading = Array.from({ length: READERS }, async (_, reader) => {
      const about = { after: 0n, prefixes: ['many-'], signal: controller.signal };
      for await (const { events } of store.subscribe(about)) seen.set(reader, (seen.get(reader) ?? 0) + events.length);
    });
    closers.push(async () => {
      controller.abort();
      await Promise.all(reading);
    });
    let written = 0;
    /** An event that reaches all of them. */
    const reach = async () => {
      await store.append(`many-${written}`, [someEvent(`many ${written++}`)], 'none');
      const all = Array.from({ length: READERS }, () => written);
      await eventually(() => expect([...seen.values()]).toEqual(all));
    };
    await reach();
    // Once a subscription is open an event arrives at once, and the next one over it.
    await reach();
    return { double, data, report, resumed, reach };
  }

  test('given a scavenge of 23.10, which ends all subscriptions, then one line says that they have resumed', async () => {
    const { data, report, resumed, reach } = await readers({ version: '23.10.6' });
    data.scavenge();
    await reach();
    await eventually(() => expect(resumed).toHaveBeenCalled());
    expect(resumed.mock.calls).toEqual([
      [{ subscriptions: expect.any(Number), reason: expect.stringMatching(/too slow/) }],
    ]);
    expect(report).not.toHaveBeenCalled();
  });

  test('given connections that are cut, then the reason is reported once, and that all have resumed', async () => {
    const { double, report, resumed, reach } = await readers({});
    double.refuse('read', 1, 'cut');
    double.refuse('read', 2 * READERS, { code: 14, details: 'read ECONNRESET' });
    await reach();
    await eventually(() => expect(resumed).toHaveBeenCalled());
    const reasons = report.mock.calls.map(([error]) => messageOf(error));
    expect(reasons).toEqual([...new Set(reasons)]);
    expect(reasons).not.toEqual([]);
    expect(report.mock.calls.every(([error]) => kindOf(error) === 'transient')).toBe(true);
    expect(resumed).toHaveBeenCalledTimes(1);
  });
});

describe('a reader that is slower than the log', () => {
  test('given a server that drops it as too slow, then it resumes, which is no failure, and nothing is missed', async () => {
    const { url } = await doubled({ liveBuffer: 50 });
    const [report, resumed] = [vi.fn(), vi.fn()];
    const store = await open(url, { report, resumed });
    const writer = await open(url);
    const [ready, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const controller = new AbortController();
    const revisions: number[] = [];
    const reading = (async () => {
      for await (const page of store.subscribe({
        after: 0n,
        prefixes: ['slow-'],
        limit: 20,
        signal: controller.signal,
      })) {
        revisions.push(...page.events.map(({ revision }) => revision));
        ready.resolve();
        if (page.events.length > 1) await go.promise;
        if (revisions.length === 601) controller.abort();
      }
    })();
    await writer.append('slow-1', [someEvent('begin')], 'none');
    await ready.promise;
    for (let number = 0; number < 60; number++) {
      const events = Array.from({ length: 10 }, (_, each) => eventOfBytes(`slow ${number} ${each}`, 30_000));
      await writer.append('slow-1', events, number * 10);
    }
    go.resolve();
    await reading;
    expect(revisions).toEqual(Array.from({ length: 601 }, (_, revision) => revision));
    await eventually(() => expect(resumed).toHaveBeenCalled());
    expect(resumed.mock.calls).toEqual([[{ subscriptions: 1, reason: expect.stringMatching(/too slow/) }]]);
    expect(report).not.toHaveBeenCalled();
  });
});
