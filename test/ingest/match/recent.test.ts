import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recentSignals, WINDOW_DAYS } from '../../../ingest/match/recent.ts';
import type { StoredEvent } from '../../../log/event-store.ts';
import { eventId } from '../../../schemas/identity.ts';
import { detected, idOf } from '../../projector/signal-events.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';

const DAY = 86_400_000;
const FIRST = Date.parse('2020-01-01T00:00:00Z');

/** A store with a signal and a reserved slug for each of the days, of which no stream is read. */
async function storeOf(days: readonly number[]): Promise<MemoryStore> {
  const events: StoredEvent[] = days.flatMap((day, index) => {
    const time = new Date(FIRST + day * DAY).toISOString();
    const stored = { time, revision: 0, position: BigInt(2 * index + 1) };
    const signal = {
      ...detected(`s${index}`),
      ...stored,
      id: eventId('s', index),
      stream: `signal-${idOf(`s${index}`)}`,
    };
    return [signal, { ...signal, type: 'SlugReserved', stream: `slug-s${index}`, position: BigInt(2 * index + 2) }];
  });
  return {
    ...memoryStore(),
    events,
    head: async () => BigInt(events.length),
    async readAll({ after, prefixes = [''], limit = 1_000 }) {
      const next = events.slice(Number(after), Number(after) + limit);
      return {
        events: next.filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix))),
        position: next.at(-1)?.position ?? after,
      };
    },
  };
}

const ALL = 60_000;
const detections = (store: MemoryStore) => store.events.filter(({ type }) => type === 'SignalDetected');

describe('the newest signals of a store', () => {
  it('given any history, also with backlogs of old times in its midst, then nothing of the window is left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 40 }), async (days) => {
        const store = await storeOf(days);
        const { events, position } = await recentSignals(store, ALL);
        expect(position).toBe(await store.head());
        const found = new Set(events.map(({ id }) => id));
        const from = FIRST + (Math.max(...days) - WINDOW_DAYS) * DAY;
        for (const event of detections(store)) if (Date.parse(event.time) >= from) expect(found).toContain(event.id);
        expect(events.map((event) => event.position)).toEqual(
          events.map((event) => event.position).toSorted((a, b) => Number(a - b)),
        );
      }),
    );
  });

  it('given ten years of history, then little more than the window is read', async () => {
    // Eight signals a day.
    const store = await storeOf(Array.from({ length: 24_000 }, (_, index) => Math.floor(index / 8)));
    let read = 0;
    const counted: MemoryStore = {
      ...store,
      readAll: async (options) => {
        const page = await store.readAll(options);
        read += page.events.length;
        return page;
      },
    };
    const { events } = await recentSignals(counted, ALL);
    expect(events.length).toBeGreaterThanOrEqual(WINDOW_DAYS * 8);
    expect(read).toBeLessThan(16_000);
  });

  it('given more signals than are kept, then the newest are', async () => {
    const store = await storeOf([1, 2, 3, 4, 5]);
    const { events } = await recentSignals(store, 2);
    expect(events.map(({ id }) => id)).toEqual(
      detections(store)
        .slice(-2)
        .map(({ id }) => id),
    );
  });

  it('given a store that refuses positions that it did not give, then all is read', async () => {
    const store = await storeOf(Array.from({ length: 12_000 }, (_, index) => Math.floor(index / 100)));
    const given = new Set<bigint>([0n]);
    const refusing: MemoryStore = {
      ...store,
      async readAll(options) {
        if (!given.has(options.after)) throw new Error('no such position');
        const page = await store.readAll(options);
        given.add(page.position);
        return page;
      },
    };
    expect((await recentSignals(refusing, ALL)).events).toHaveLength(12_000);
  });

  it('given an empty store, then there are none', async () => {
    expect(await recentSignals(memoryStore(), ALL)).toEqual({ events: [], position: 0n });
  });
});
