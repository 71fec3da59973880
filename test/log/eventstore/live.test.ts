import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Page, Position, StoredEvent } from '../../../log/event-store.ts';
import { live, type Met } from '../../../log/eventstore/live.ts';
import { someEvent } from '../contract/events.ts';

const eventAt = (position: Position): StoredEvent => ({
  ...someEvent(`at ${position}`),
  stream: 'live-1',
  revision: Number(position),
  position,
});

/** A subscription whose wire the test holds in its hand. */
function held(
  after: Position,
  limit: number,
  look = async (position: Position): Promise<Page> => ({ events: [], position }),
) {
  const stream = new EventEmitter();
  const atHand: Met[] = [];
  const controller = new AbortController();
  let checkpoint: (position: Position) => void = () => undefined;
  let ended = false;
  const open = (_: Position, onCheckpoint: (position: Position) => void) => {
    checkpoint = onCheckpoint;
    const end = (): void => {
      ended = true;
    };
    return { stream, read: () => atHand.shift() ?? null, end };
  };
  const pages = live({ after, limit, signal: controller.signal, open, look });
  return {
    pages,
    stream,
    stop: () => controller.abort(),
    isEnded: () => ended,
    event: (position: Position) => void atHand.push({ position, event: eventAt(position) }),
    foreign: (position: Position) => void atHand.push({ position, event: null }),
    checkpoint: (position: Position) => checkpoint(position),
    ready: () => stream.emit('readable'),
  };
}

describe('a live subscription', () => {
  test('given a checkpoint behind events that are not read yet, then no page is ahead of them', async () => {
    const wire = held(0n, 2);
    const first = wire.pages.next();
    for (const position of [1n, 2n, 3n]) wire.event(position);
    wire.checkpoint(9n);
    expect((await first).value).toMatchObject({ events: [{ position: 1n }, { position: 2n }], position: 2n });
    expect((await wire.pages.next()).value).toMatchObject({ events: [{ position: 3n }], position: 9n });
    wire.stop();
    expect((await wire.pages.next()).done).toBe(true);
    expect(wire.isEnded()).toBe(true);
  });

  test('given a record that is not ours, then the place moves on in an empty page', async () => {
    const wire = held(0n, 10);
    const first = wire.pages.next();
    wire.foreign(4n);
    wire.ready();
    expect((await first).value).toEqual({ events: [], position: 4n });
    wire.stop();
  });

  test('given silence, then the log is looked at, and what was seen so is not told again', async () => {
    const looked: Position[] = [];
    const wire = held(0n, 10, async (position) => {
      looked.push(position);
      return { events: [eventAt(5n)], position: 7n };
    });
    expect((await wire.pages.next()).value).toMatchObject({ position: 7n });
    const next = wire.pages.next();
    for (const position of [5n, 8n]) wire.event(position);
    wire.ready();
    expect((await next).value).toMatchObject({ events: [{ position: 8n }], position: 8n });
    expect(looked).toEqual([0n]);
    wire.stop();
  });

  test('given a failure behind events, then the events come first', async () => {
    const wire = held(0n, 10);
    const first = wire.pages.next();
    wire.event(1n);
    wire.stream.emit('error', new Error('gone'));
    expect((await first).value).toMatchObject({ position: 1n });
    await expect(wire.pages.next()).rejects.toThrow('gone');
    expect(wire.isEnded()).toBe(true);
  });

  test('given any arrivals, then every event is told once, in order, in pages of the limit, and places only grow', async () => {
    const arrivals = fc.array(fc.constantFrom('event', 'foreign', 'checkpoint', 'read' as const), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
        const wire = held(0n, limit);
        const pages: Page[] = [];
        const reading = (async () => {
          for await (const page of wire.pages) pages.push(page);
        })();
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
          if (step === 'checkpoint') wire.checkpoint(position);
          else wire[step](position);
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
