import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Page, Position, StoredEvent } from '../../../log/event-store.ts';
import { ForeignPosition } from '../../../log/eventstore/eventstore-errors.ts';
import { type Arrived, live, type PageAndHead } from '../../../log/eventstore/eventstore-subscription.ts';
import { someEvent } from '../contract/events.ts';

const eventAt = (position: Position): StoredEvent => ({
  ...someEvent(`at ${position}`),
  stream: 'live-1',
  revision: Number(position),
  position,
});

const nothing = async (position: Position): Promise<PageAndHead> => ({
  events: [],
  position,
  head: position,
  complete: true,
});

/** A subscription whose wire the test holds in its hand. */
function held(after: Position, limit: number, readPage = nothing) {
  const stream = new EventEmitter();
  const waiting: Arrived[] = [];
  const controller = new AbortController();
  const opened: Position[] = [];
  let ended = false;
  const open = (from: Position) => {
    opened.push(from);
    const end = (): void => {
      ended = true;
    };
    return { stream, read: () => waiting.shift() ?? null, end };
  };
  const pages = live({ after, limit, signal: controller.signal, open, readPage });
  return {
    pages,
    stream,
    opened,
    stop: () => controller.abort(),
    isEnded: () => ended,
    event: (position: Position) => void waiting.push({ position, id: undefined, event: eventAt(position) }),
    foreign: (position: Position) => void waiting.push({ position, id: undefined, event: null }),
    ready: () => stream.emit('readable'),
  };
}

describe('a live subscription', () => {
  test('given a place in the past, then it reads up to the head and subscribes after the record there', async () => {
    const head = 9n;
    const wire = held(1n, 2, async (position) => {
      const events = [3n, 5n, 7n].filter((next) => next > position).map(eventAt);
      const complete = events.length <= 2;
      const read = events.slice(0, 2);
      return { events: read, position: complete ? head : (read.at(-1)?.position ?? head), head, complete };
    });
    expect((await wire.pages.next()).value).toMatchObject({
      events: [{ position: 3n }, { position: 5n }],
      position: 5n,
    });
    expect((await wire.pages.next()).value).toMatchObject({ events: [{ position: 7n }], position: 9n });
    expect(wire.opened).toEqual([]);
    const next = wire.pages.next();
    for (const position of [7n, 11n]) wire.event(position);
    expect((await next).value).toMatchObject({ events: [{ position: 11n }], position: 11n });
    expect(wire.opened).toEqual([head]);
    wire.stop();
    expect((await wire.pages.next()).done).toBe(true);
    expect(wire.isEnded()).toBe(true);
  });

  test('given a place whose record is gone, then it subscribes after the last record before it', async () => {
    const wire = held(8n, 2, async (position) => ({ events: [], position, head: 5n, complete: true }));
    const next = wire.pages.next();
    for (const position of [5n, 9n]) wire.event(position);
    expect((await next).value).toMatchObject({ events: [{ position: 9n }] });
    expect(wire.opened).toEqual([5n]);
    wire.stop();
  });

  test('given a record beyond the head as its place, then it fails instead of dropping what is appended', async () => {
    const wire = held(2n ** 60n + 1n, 2, async (position) => ({ events: [], position, head: 5n, complete: true }));
    await expect(wire.pages.next()).rejects.toThrow(ForeignPosition);
    expect(wire.opened).toEqual([]);
  });

  test('given a record that is not ours, then the position advances in an empty page', async () => {
    const wire = held(0n, 10);
    const first = wire.pages.next();
    wire.foreign(4n);
    wire.ready();
    expect((await first).value).toEqual({ events: [], position: 4n });
    wire.stop();
  });

  test('given no messages, then the log is read, and these events are not emitted again', async () => {
    const looked: Position[] = [];
    const wire = held(0n, 10, async (position) => {
      looked.push(position);
      // The first read finds the log empty.
      if (looked.length === 1) return nothing(position);
      return { events: [eventAt(5n)], position: 7n, head: 7n, complete: true };
    });
    expect((await wire.pages.next()).value).toMatchObject({ position: 7n });
    const next = wire.pages.next();
    for (const position of [5n, 8n]) wire.event(position);
    wire.ready();
    expect((await next).value).toMatchObject({ events: [{ position: 8n }], position: 8n });
    expect(looked).toEqual([0n, 0n]);
    wire.stop();
  });

  test('given a failure behind events, then the events come first', async () => {
    const wire = held(0n, 10);
    const first = wire.pages.next();
    wire.event(1n);
    await new Promise(setImmediate);
    wire.stream.emit('error', new Error('gone'));
    expect((await first).value).toMatchObject({ position: 1n });
    await expect(wire.pages.next()).rejects.toThrow('gone');
    expect(wire.isEnded()).toBe(true);
  });

  test('given any arrivals, then every event is emitted once, in order, in pages of the maximum size, and positions only grow', async () => {
    const arrivals = fc.array(fc.constantFrom('event', 'foreign', 'read' as const), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
        const wire = held(0n, limit);
        const pages: Page[] = [];
        const reading = (async () => {
          for await (const page of wire.pages) pages.push(page);
        })();
        // Until it has read that the log is empty, and subscribes.
        await new Promise(setImmediate);
        let position = 0n;
        const events: Position[] = [];
        for (const step of steps) {
          if (step === 'read') {
            wire.ready();
            await new Promise(setImmediate);
            continue;
          }
          position += 1n;
          if (step === 'event') events.push(position);
          wire[step](position);
        }
        wire.stream.emit('end');
        await reading;
        expect(pages.flatMap((page) => page.events.map((event) => event.position))).toEqual(events);
        expect(pages.every((page) => page.events.length <= limit)).toBe(true);
        const places = pages.map((page) => page.position);
        expect(places).toEqual([...new Set(places)].toSorted((one, other) => (one < other ? -1 : 1)));
        if (position > 0n) expect(places.at(-1)).toBe(position);
      }),
    );
  });
});
