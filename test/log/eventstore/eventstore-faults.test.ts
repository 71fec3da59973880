/**
 * What servers, clusters and their client do to an event store on EventStoreDB. Tests of the first part run on a real
 * server where there is one (`EVENTSTORE_URL`, or Docker); faults that cannot be ordered from a real server are played
 * by the double.
 */

import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, type StreamMetadata } from '@eventstore/db-client';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { EventStore, Page } from '../../../log/event-store.ts';
import { type EventStoreSettings, eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { truncateStream } from '../../../log/eventstore/eventstore-administration.ts';
import { EventStoreUnavailable, StreamTombstoned } from '../../../log/eventstore/eventstore-errors.ts';
import { ADMIN, startEventStore } from '../../harness/eventstore.ts';
import { eventually } from '../../harness/eventually.ts';
import { follow, readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { accessDenied, notReady, type Refusal } from '../double/errors.ts';
import { type Double, type DoubleOptions, startDouble } from '../double/eventstore-double.ts';
import { doubleStore, type Store } from '../double/store.ts';

const server = await startEventStore();
afterAll(() => server.stop());

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const open = async (url: string, settings: Omit<EventStoreSettings, 'url'> = {}): Promise<EventStore> => {
  const store = await eventStoreDb({ url, ...settings });
  closers.push(() => store.close());
  return store;
};

async function doubled(options: Partial<DoubleOptions> = {}): Promise<{ double: Double; data: Store; url: string }> {
  const data = options.store ?? doubleStore();
  const double = await startDouble({ ...options, store: data });
  closers.push(() => double.kill());
  return { double, data, url: `esdb://127.0.0.1:${double.port}?tls=false` };
}

const positionOf = (page: Page): bigint => page.position;

test('given a restore to an earlier point under a running process, then new events do not count as repeated', async () => {
  const { data, url } = await doubled();
  const store = await open(url);
  await store.append('restored-1', someEvents('kept', 2), 'none');
  const end = data.records.at(-1)?.end ?? expect.unreachable();
  await store.append('restored-2', someEvents('lost', 20), 'none');
  const shortened = someEvents('shortened', 2);
  await store.append('restored-1', shortened, 1);
  data.restore(end);

  expect((await store.append('restored-1', [someEvent('on another revision')], 'any')).revision).toBe(2);
  expect(await store.append('restored-1', shortened, 'any')).toMatchObject({
    revision: 4,
    stored: shortened.map(({ id }) => id),
  });

  const event = someEvent('after the restore');
  expect((await store.append('restored-3', [event], 'none')).stored).toEqual([event.id]);
  expect((await store.append('restored-3', [event], 'none')).stored).toEqual([]);
  const next = someEvent('next');
  expect((await store.append('restored-4', [next], 'none')).stored).toEqual([next.id]);
  const other = await open(url);
  expect((await other.append('restored-4', [next], 'none')).stored).toEqual([]);
});

test(`given a stream that is truncated, then what came before is hidden, on ${server.kind}`, async () => {
  const url = server.url ?? (await doubled()).url;
  const store = await open(url);
  const stream = `session-${randomUUID()}`;
  await store.append(stream, someEvents('turns', 3), 'none');
  await truncateStream(url, stream, 2);
  expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([2]);
});

describe(`streams that do not begin at 0, on ${server.kind}`, () => {
  type Shorten = (client: EventStoreDBClient, stream: string) => Promise<unknown>;
  const credentials = { username: ADMIN.user, password: ADMIN.password };
  const set =
    (metadata: StreamMetadata): Shorten =>
    (client, stream) =>
      client.setStreamMetadata(stream, metadata, { credentials });
  const shortened: [string, Shorten, { revision: number; kept: number }][] = [
    ['$tb', set({ truncateBefore: 3 }), { revision: 5, kept: 2 }],
    ['$tb behind its end', set({ truncateBefore: 9 }), { revision: 5, kept: 0 }],
    ['$maxCount', set({ maxCount: 2 }), { revision: 5, kept: 2 }],
    ['a soft deletion', (client, stream) => client.deleteStream(stream), { revision: 5, kept: 0 }],
  ];

  test.each(shortened)(
    'given a stream with %s, then appends to it succeed, and revisions continue',
    async (_, shorten, then) => {
      const client = EventStoreDBClient.connectionString(server.url);
      closers.push(() => client.dispose());
      const [stream, run] = [`shortened-${randomUUID()}`, randomUUID()];
      const first = await open(server.url);
      await first.append(stream, someEvents(run, 5), 'none');
      await shorten(client, stream);
      const second = await open(server.url);
      expect(await second.read(stream)).toHaveLength(then.kept);
      const appended = await second.append(stream, [someEvent(`${run} more`)], 'any');
      expect(appended.revision).toBe(then.revision);
      expect((await second.append(stream, someEvents(`${run} several`, 3), then.revision)).revision).toBe(8);
      expect((await first.append(stream, [someEvent(`${run} last`)], 'any')).revision).toBe(9);
      // Again, by one who knows nothing of it: what can be read is not stored twice.
      const third = await open(server.url);
      expect((await third.append(stream, [someEvent(`${run} last`)], 'any')).revision).toBe(9);
      await expect(third.append(stream, [someEvent(`${run} wrong`)], 3)).rejects.toMatchObject({ actual: 9 });
    },
  );

  test('given a tombstoned stream, then reads and appends report it, and other streams are unaffected', async () => {
    const client = EventStoreDBClient.connectionString(server.url);
    closers.push(() => client.dispose());
    const stream = `tombstoned-${randomUUID()}`;
    const store = await open(server.url);
    await store.append(stream, [someEvent(stream)], 'none');
    await client.tombstoneStream(stream);
    const other = await open(server.url);
    for (const one of [store, other])
      for (const expected of ['any', 'none', 0] as const)
        await expect(one.append(stream, [someEvent(`${stream} more`)], expected)).rejects.toThrow(StreamTombstoned);
    await expect(other.read(stream)).rejects.toThrow(StreamTombstoned);
    expect((await other.append(`${stream}-other`, [someEvent('one')], 'none')).revision).toBe(0);
  });

  test('given an append of nothing, then it returns the revision of the stream, or a conflict', async () => {
    const store = await open(server.url);
    const stream = `empty-${randomUUID()}`;
    const { revision, position } = await store.append(stream, someEvents(stream, 2), 'none');
    const other = await open(server.url);
    expect(await other.append(stream, [], 'any')).toEqual({ revision, position, stored: [] });
    expect(await other.append(stream, [], 1)).toEqual({ revision, position, stored: [] });
    await expect(other.append(stream, [], 'none')).rejects.toMatchObject({ actual: 1 });
  });

  test('given a conflict, then the client names the expected and the actual revision', async () => {
    const client = EventStoreDBClient.connectionString(server.url);
    closers.push(() => client.dispose());
    const [stream, event] = [`conflicting-${randomUUID()}`, jsonEvent({ type: 'Tested', data: {} })];
    const credentials = { username: ADMIN.user, password: ADMIN.password };
    await client.appendToStream(stream, [event], { credentials });
    const append = client.appendToStream(stream, [event, jsonEvent({ type: 'Tested', data: {} })], {
      credentials,
      expectedRevision: 7n,
    });
    await expect(append).rejects.toMatchObject({ expectedVersion: 7n, actualVersion: 0n });
    const nothing = await client.appendToStream(stream, [], { credentials, expectedRevision: 0n });
    expect(nothing.success).toBe(true);
  });

  test('given events of many prefixes, then a page of one prefix is searched for by the server', async () => {
    const store = await open(server.url);
    const run = randomUUID();
    const after = await store.head();
    let last = after;
    for (let number = 0; number < 5; number++) {
      await store.append(`${run}-noise-${number}`, someEvents(`${run} noise ${number}`, 100), 'none');
      const wanted = [someEvent(`${run} wanted ${number}`)];
      last = (await store.append(`${run}-wanted-${number}`, wanted, 'none')).position;
    }
    const page = await store.readAll({ after, prefixes: [`${run}-wanted-`], limit: 10 });
    expect(page.events).toHaveLength(5);
    // Others may write to a server at the same time.
    expect(page.position).toBeGreaterThanOrEqual(last);
    const pages = [];
    for (let place = after; place < last; ) {
      const next = await store.readAll({ after: place, prefixes: [`${run}-wanted-`], limit: 2 });
      pages.push(next.events.length);
      place = next.position;
    }
    expect(pages).toEqual([2, 2, 1]);
  });
});

describe('BatchAppend, which the server offers', () => {
  test('given a connection that drops while another one appends, then the process keeps running and both continue', async () => {
    const [busy, idle] = [await doubled(), await doubled()];
    const report = vi.fn();
    const [one, other] = [await open(busy.url), await open(idle.url, { report })];
    await one.append('batch-1', [someEvent('first')], 'none');
    const { position } = await other.append('batch-1', [someEvent('first')], 'none');
    const controller = new AbortController();
    const following = (async () => {
      for await (const page of other.subscribe({ after: position, signal: controller.signal }))
        expect(page).toBeUndefined();
    })();
    const release = busy.double.hold();
    const appending = one.append('batch-1', [someEvent('second')], 0);
    await eventually(() => expect(busy.double.calls.append + busy.double.calls.batchAppend).toBeGreaterThan(1));
    idle.double.kill();
    await eventually(() => expect(report).toHaveBeenCalled());
    release();
    expect((await appending).revision).toBe(1);
    expect(busy.double.calls.batchAppend).toBe(0);
    controller.abort();
    await following;
  });
});

describe('a server that restarts', () => {
  const raw = (code: number, details: string): Refusal => ({ code, details });
  const faults: [string, Refusal | 'cut'][] = [
    ['cancels', raw(1, 'CANCELLED')],
    ['exceeds the deadline', raw(4, 'Deadline exceeded')],
    ['is unavailable', raw(14, 'read ECONNRESET')],
    ['resets the call', raw(13, 'Received RST_STREAM with code 2 (Internal server error)')],
    ['aborts', raw(10, 'Operation timed out')],
    ['is not ready', notReady()],
    ['has no leader', raw(2, 'No leader info available in response')],
    ['cuts the connection', 'cut'],
  ];

  test.each(faults)(
    'given one that %s for a moment, then appends and reads succeed without an error',
    async (_, how) => {
      const { double, url } = await doubled();
      const store = await open(url);
      await store.append('restart-1', [someEvent('before')], 'none');
      double.refuse('append', 3, how);
      expect((await store.append('restart-1', someEvents('after', 2), 0)).revision).toBe(2);
      double.refuse('read', 3, how);
      expect(await store.read('restart-1')).toHaveLength(3);
      double.refuse('read', 3, how);
      expect((await store.readAll({ after: 0n, prefixes: ['restart-'] })).events).toHaveLength(3);
      double.refuse('read', 1, how);
      expect(await store.head()).toBe(positionOf(await store.readAll({ after: 0n })));
    },
  );

  test.each([
    ['with its place', true],
    ['without its place', false],
  ])('given repeated appends that are answered %s, then only what was stored counts as stored', async (_, places) => {
    const { double, data, url } = await doubled({ placesRepeats: places });
    const events = someEvents('counted', 3);
    const ids = events.map(({ id }) => id);
    const store = await open(url);
    // Stored, and the connection ended before the answer: the retry is the same append.
    double.refuse('append', 1, 'lost');
    const first = await store.append('counted-1', events, 'none');
    expect(first).toMatchObject({ revision: 2, stored: ids });
    double.refuse('append', 2, 'lost');
    expect((await store.append('counted-2', events.slice(0, 1), 'none')).stored).toEqual([ids[0]]);
    await store.append('counted-1', [someEvent('later')], 2);
    for (const expected of ['none', 'any'] as const)
      expect(await (await open(url)).append('counted-1', events, expected)).toEqual({ ...first, stored: [] });
    expect(data.records.filter(({ stream }) => stream.startsWith('counted-'))).toHaveLength(5);
  });

  test('given a stall during which attempts are given up, then the append is stored once, and succeeds', async () => {
    const { double, url } = await doubled();
    // An attempt is given up after half of this: a quarter of silence, and as long for a sign of life.
    const store = await open(url, { retryFor: 4_000 });
    await store.append('stall-1', [someEvent('before')], 'none');
    const release = double.hold();
    const appending = store.append('stall-1', someEvents('stalled', 2), 0);
    const reading = store.read('stall-1');
    // Until a first attempt was given up, and a second one made.
    await eventually(() => expect(double.calls.append).toBeGreaterThanOrEqual(3));
    release();
    expect((await appending).revision).toBe(2);
    expect((await reading).length).toBeGreaterThan(0);
    expect(await (await open(url)).read('stall-1')).toHaveLength(3);
  });

  test('given an append that the server works on for longer than calls are retried, then it is retried like any other', async () => {
    const { double, url } = await doubled();
    const store = await open(url, { retryFor: 1_000 });
    double.lag(1_500);
    expect((await store.append('worked-1', [someEvent('worked')], 'none')).revision).toBe(0);
  });

  test('given an append that is given up, then its call goes on: cut off in its middle, a part would be stored', async () => {
    const { double, data, url } = await doubled();
    const store = await open(url, { retryFor: 500 });
    const [release, events] = [double.hold(), someEvents('given up', 3)];
    await expect(store.append('given-up-1', events, 'none')).rejects.toThrow(EventStoreUnavailable);
    expect(double.calls.givenUp).toBe(0);
    release();
    await eventually(() => expect(data.records.filter(({ stream }) => stream === 'given-up-1')).toHaveLength(3));
    expect((await (await open(url)).append('given-up-1', events, 'none')).stored).toEqual([]);
  });

  test('given an outage in several steps of an append, then all of them together have the time of one call', async () => {
    const { double, url } = await doubled();
    const store = await open(url, { retryFor: 2_000 });
    // Refused for 0.8 to 1.6 s.
    double.refuse('read', 5, raw(14, 'unavailable'));
    double.refuse('append', 100, raw(14, 'unavailable'));
    const began = performance.now();
    await expect(store.append('steps-1', [someEvent('steps')], 'any')).rejects.toThrow(EventStoreUnavailable);
    expect(performance.now() - began).toBeLessThan(2_800);
  });

  test('given one that stays hung, then calls give up with one message, and closing ends', async () => {
    const { double, url } = await doubled();
    const store = await open(url, { retryFor: 1_000 });
    const release = double.hold();
    closers.push(release);
    const failures = await Promise.allSettled([store.append('hung-1', [someEvent('hung')], 'none'), store.head()]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(EventStoreUnavailable) });
      expect(failure.status === 'rejected' && failure.reason.message).toMatch(/does not answer/);
    }
  });

  test('given a cluster that loses its quorum, then reads work, and an append waits for the leader', async () => {
    const { double, url } = await doubled();
    const store = await open(url);
    await store.append('quorum-1', [someEvent('before')], 'none');
    expect(await store.takesAppends?.()).toBe(true);
    double.quorum(false);
    expect(await store.takesAppends?.()).toBe(false);
    expect(await store.read('quorum-1')).toHaveLength(1);
    const { calls } = double;
    const before = calls.append;
    const appending = store.append('quorum-1', [someEvent('after')], 0);
    await eventually(() => expect(calls.append - before).toBeGreaterThan(1));
    expect((await store.readAll({ after: 0n, prefixes: ['quorum-'] })).events).toHaveLength(1);
    double.quorum(true);
    expect((await appending).revision).toBe(1);
  });

  test('given a user without the right to append, then the append is not retried', async () => {
    const { double, url } = await doubled();
    const store = await open(url);
    double.refuse('append', 1, accessDenied());
    await expect(store.append('denied-1', [someEvent('denied')], 'none')).rejects.toThrow(
      /does not allow .* to append to denied-1/,
    );
    expect(double.calls.append).toBe(1);
  });
});

describe('servers of other versions', () => {
  test.each([['21.10.9'], ['20.6.0'], ['22.6.0'], [null]])(
    'given version %s, then the start refuses it',
    async (version) => {
      const { url } = await doubled({ version });
      const opening = eventStoreDb({ url });
      await expect(opening).rejects.toThrow(EventStoreUnavailable);
      await expect(opening).rejects.toThrow(/22\.10 or later/);
    },
  );

  test.each([['22.10.0'], ['23.10.6'], ['24.2.0'], ['25.1.0.1892']])(
    'given version %s, then it is used',
    async (version) => {
      const store = await open((await doubled({ version })).url);
      expect((await store.append('version-1', [someEvent('one')], 'none')).revision).toBe(0);
    },
  );

  test.each([['23.10.6'], ['24.2.0'], ['24.10.0'], ['25.0.0']])(
    'given %s and a subscription from the start that finds nothing, then what is appended later is found',
    async (version) => {
      const store = await open((await doubled({ version })).url);
      const head = await store.head();
      const controller = new AbortController();
      const positions: bigint[] = [];
      for await (const page of store.subscribe({ after: 0n, prefixes: ['late-'], signal: controller.signal })) {
        positions.push(page.position);
        controller.abort();
      }
      expect(positions).toEqual([head]);
      await store.append('late-1', [someEvent('late')], 'none');
      for (const after of positions)
        expect(await follow(store, { after, prefixes: ['late-'] }, ({ length }) => length === 1)).toHaveLength(1);
    },
  );

  test.each([['23.10.6'], ['24.10.0']])(
    'given %s and a scavenge that removed the record where a reader was, then the reader misses nothing',
    async (version) => {
      const { data, url } = await doubled({ version });
      const store = await open(url);
      const place = await store.append('scavenged-1', [someEvent('removed')], 'none');
      for (const name of ['one', 'two', 'three']) await store.append(`kept-${name}`, [someEvent(name)], 'none');
      data.delete('scavenged-1');
      data.scavenge();
      expect(data.stream('scavenged-1')).toBe('missing');
      for (const prefixes of [['kept-'], ['kept-', 'scavenged-'], undefined]) {
        const filter = prefixes ? { prefixes } : {};
        const seen = await follow(store, { after: place.position, ...filter }, ({ length }) => length === 3);
        expect(seen.map(({ stream }) => stream)).toEqual(['kept-one', 'kept-two', 'kept-three']);
        const { events } = await readToEnd(store, prefixes ?? ['kept-'], place.position);
        expect(events).toHaveLength(3);
      }
    },
  );

  test('given 23.10 and a place where the next record will be, then a subscription from there finds that record', async () => {
    const { data, url } = await doubled({ version: '23.10.6' });
    const store = await open(url);
    await store.append('place-1', [someEvent('one')], 'none');
    // As releases before this one stored a checkpoint.
    const after = (data.records.at(-1)?.end ?? 0n) * 2n;
    const seen = follow(store, { after, prefixes: ['place-'] }, ({ length }) => length === 1);
    await store.append('place-1', [someEvent('two')], 0);
    expect((await seen).map(({ revision }) => revision)).toEqual([1]);
  });

  test('given a place behind the end of the log, then a subscription reports it, and goes on once the log is there', async () => {
    const events = someEvents('beyond', 4);
    const grown = await open((await doubled()).url);
    const { position } = await grown.append('beyond-1', events.slice(0, 3), 'none');
    const report = vi.fn();
    const restored = await open((await doubled()).url, { report });
    const seen = follow(restored, { after: position, prefixes: ['beyond-'] }, ({ length }) => length === 1);
    await eventually(() => expect(String(report.mock.calls[0]?.[0])).toMatch(/beyond the end/));
    await restored.append('beyond-1', events.slice(0, 3), 'none');
    await restored.append('beyond-1', events.slice(3), 2);
    expect((await seen).map(({ revision }) => revision)).toEqual([3]);
  });
});
