import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signalHistory } from '../../bench/generated-history.ts';
import type { EventStore, Page } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { LiveFeed } from '../../projector/live-feed.ts';
import { newEvent } from '../../schemas/events.ts';
import { type Engine, testEngine } from './engine.ts';

let engine: Engine;
let store: EventStore;
/** Subscriptions of the store that were begun, by the position after which they read. */
let subscriptions: bigint[];
let failure: Error | null;
let stop: AbortController;

beforeEach(async () => {
  engine = await testEngine();
  const opened = postgresEventStore(engine.database);
  [subscriptions, failure, stop] = [[], null, new AbortController()];
  store = {
    ...opened,
    async *subscribe(options) {
      subscriptions.push(options.after);
      if (failure) throw failure;
      yield* opened.subscribe(options);
    },
  };
});
afterEach(async () => {
  stop.abort();
  await store.close();
  await engine.close();
});

const OTHERS = 'other-';

/** Appends the part of a history that begins at an event. @returns the positions of its events */
async function append(from: number, to: number): Promise<bigint[]> {
  const positions: bigint[] = [];
  for (const { stream, event } of [...signalHistory(to, 5)].slice(from))
    positions.push((await store.append(stream, [event], 'any')).position);
  return positions;
}

/** Appends an event to a stream that no signal has. */
async function appendOther(): Promise<bigint> {
  const about = { id: crypto.randomUUID(), time: '2026-11-21T04:30:00Z' };
  const event = newEvent('OperationRecorded', { operation: 'test', subject: 'test', by: 'test' } as never, about);
  return (await store.append(`${OTHERS}1`, [event], 'any')).position;
}

const feedOf = (limits?: { full: number; slow: number }) => new LiveFeed(store, ['signal-', OTHERS], limits);

/** Follows until a position; `work` is done for each page. @returns the positions of the events, in order */
async function followTo(
  feed: LiveFeed,
  target: bigint,
  {
    after = 0n,
    prefixes = ['signal-'],
    work,
  }: { after?: bigint; prefixes?: string[]; work?: (page: Page) => Promise<void> } = {},
): Promise<bigint[]> {
  const positions: bigint[] = [];
  if (after >= target) return positions;
  for await (const page of feed.follow({ after, prefixes, signal: stop.signal })) {
    await work?.(page);
    positions.push(...page.events.map(({ position }) => position));
    if (page.position >= target) break;
  }
  return positions;
}

describe('a subscription that several share', () => {
  it('given members of several places, gives each every event after its place once, by one reading', async () => {
    const positions = await append(0, 300);
    const head = positions.at(-1) ?? 0n;
    const middle = positions[150] ?? 0n;
    const feed = feedOf();

    const [all, half] = await Promise.all([followTo(feed, head), followTo(feed, head, { after: middle })]);

    expect(all).toEqual(positions);
    expect(half).toEqual(positions.slice(151));
    expect(subscriptions).toEqual([0n]);
  });

  it('given events that come later, gives them to all', async () => {
    const early = await append(0, 20);
    const feed = feedOf();
    const arrived = Promise.withResolvers<void>();
    const head = Promise.withResolvers<bigint>();
    const follow = async (): Promise<bigint[]> => {
      const positions: bigint[] = [];
      for await (const page of feed.follow({ after: 0n, prefixes: ['signal-'], signal: stop.signal })) {
        positions.push(...page.events.map(({ position }) => position));
        if (positions.length === early.length) arrived.resolve();
        if (positions.length > early.length && page.position >= (await head.promise)) break;
      }
      return positions;
    };

    const members = [follow(), follow()];
    await arrived.promise;
    const late = await append(20, 60);
    head.resolve(late.at(-1) ?? 0n);

    expect(await Promise.all(members)).toEqual([
      [...early, ...late],
      [...early, ...late],
    ]);
  });

  it('given a member without events, says how far the log is', async () => {
    const head = (await append(0, 50)).at(-1) ?? 0n;

    expect(await followTo(feedOf(), head, { prefixes: [OTHERS] })).toEqual([]);
  });

  it('given a member that joins behind the others, reads for it alone until it is level', async () => {
    const positions = await append(0, 100);
    const feed = feedOf();
    const joined = Promise.withResolvers<void>();
    const first = feed.follow({ after: 0n, prefixes: ['signal-'], signal: stop.signal });
    await first.next();
    const second = followTo(feed, (positions.at(-1) ?? 0n) + 1n, { work: async () => joined.resolve() });
    await joined.promise;
    const other = await appendOther();
    void first.next();

    expect(await second).toEqual(positions);
    expect(other).toBeGreaterThan(positions.at(-1) ?? 0n);
    expect(subscriptions).toEqual([0n, 0n]);
  });

  it('given a slow member, goes on without it, and it misses nothing', async () => {
    const positions = await append(0, 30);
    const feed = feedOf({ full: 1, slow: 20 });
    const held = Promise.withResolvers<void>();
    const target = Promise.withResolvers<bigint>();
    const isReading = Promise.withResolvers<void>();
    const slow = (async () => {
      const seen: bigint[] = [];
      for await (const page of feed.follow({ after: 0n, prefixes: ['signal-'], signal: stop.signal })) {
        isReading.resolve();
        await held.promise;
        seen.push(...page.events.map(({ position }) => position));
        if (page.position >= (await target.promise)) return seen;
      }
      return seen;
    })();
    const fast = followTo(feed, positions.at(-1) ?? 0n);
    await isReading.promise;
    await fast;
    const late = await append(30, 50);
    const head = late.at(-1) ?? 0n;
    const next = followTo(feed, head, { after: positions.at(-1) ?? 0n });

    expect(await next).toEqual(late);
    target.resolve(head);
    held.resolve();
    expect(await slow).toEqual([...positions, ...late]);
  });

  it('given a log that cannot be read, every member fails, and one that comes later reads', async () => {
    const positions = await append(0, 10);
    const head = positions.at(-1) ?? 0n;
    const feed = feedOf();
    failure = new Error('another log');

    const failed = await Promise.allSettled([followTo(feed, head), followTo(feed, head)]);
    failure = null;

    expect(failed.map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
      'another log',
      'another log',
    ]);
    expect(await followTo(feed, head)).toEqual(positions);
  });

  it('given a signal that aborts, ends', async () => {
    const feed = feedOf();
    const pages = feed.follow({ after: 0n, prefixes: ['signal-'], signal: stop.signal });
    const next = pages.next();
    stop.abort();

    expect(await next).toMatchObject({ done: true });
  });
});
