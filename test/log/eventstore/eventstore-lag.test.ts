/**
 * What is written is not read at once: a leader knows the revision of a stream before it can be read, and a follower
 * returns it later still. Tests of the first part run on a real server where there is one, whose lag is its own.
 */

import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, type WrongExpectedVersionError } from '@eventstore/db-client';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { pause } from '../../../log/backoff.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { ADMIN, type ClusterUrls, givenCluster, startEventStore } from '../../harness/eventstore.ts';
import { eventually } from '../../harness/eventually.ts';
import { follow } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { type Double, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

const server = await startEventStore();
afterAll(() => server.stop());

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(url: string, retryFor?: number): Promise<EventStore> {
  const store = await eventStoreDb({ url, ...(retryFor ? { retryFor } : {}) });
  closers.push(() => store.close());
  return store;
}

const urlOf = ({ port }: Double): string => `esdb://127.0.0.1:${port}?tls=false`;

describe(`a writer that is ahead of its readers, on ${server.kind}`, () => {
  /** Longer than servers were seen to need, and than the first wait before a read is repeated. */
  const LAG = 120;
  /** Longer than a test takes to look. */
  const SEEN = 2_000;
  const lagging = (): void => {
    server.double?.lag(LAG);
    closers.push(() => server.double?.lag(0));
  };

  test('given an append that cannot be read yet, then another process waits for it, and stores none of its events again', async () => {
    lagging();
    const [one, other] = [await open(server.url), await open(server.url)];
    const [stream, run] = [`ahead-${randomUUID()}`, randomUUID()];
    const [first, second, third] = ['first', 'second', 'third'].map((name) => someEvent(`${run} ${name}`));
    if (!first || !second || !third) return expect.unreachable();
    await one.append(stream, [first], 'none');
    expect((await other.append(stream, [first], 'any')).stored).toEqual([]);

    const appending = one.append(stream, [second], 'any');
    await pause(LAG / 3);
    expect((await other.append(stream, [third], 'any')).revision).toBe(2);
    await appending;

    expect((await other.append(stream, [second], 'any')).stored).toEqual([]);
    expect((await one.read(stream)).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });

  test('given the revision that a conflict names, then its record is read a moment later, if not at once', async () => {
    server.double?.lag(SEEN);
    closers.push(() => server.double?.lag(0));
    const client = EventStoreDBClient.connectionString(server.url);
    closers.push(() => client.dispose());
    const stream = `named-${randomUUID()}`;
    const event = () => jsonEvent({ type: 'Tested', data: {} });
    // With credentials of its own a call is a single append.
    const options = { credentials: { username: ADMIN.user, password: ADMIN.password } };
    const last = async (): Promise<number> => {
      let count = 0;
      for await (const _ of client.readStream(stream)) count++;
      return count - 1;
    };
    const appending = Promise.all(Array.from({ length: 5 }, () => client.appendToStream(stream, event(), options)));
    appending.catch(() => undefined);
    const conflicting = async (): Promise<bigint> => {
      const append = client.appendToStream(stream, event(), { ...options, expectedRevision: 1_000n });
      const { actualVersion } = await append.then(
        () => expect.unreachable(),
        (error: WrongExpectedVersionError) => error,
      );
      return typeof actualVersion === 'bigint' ? actualVersion : -1n;
    };
    await eventually(async () => expect(await conflicting()).toBe(4n));

    // On the double, whose lag is set, it is not there yet.
    if (server.double) expect(await last().catch(() => -1)).toBeLessThan(4);
    await eventually(async () => expect(await last()).toBe(4));
    await appending;
  });

  test('given many writers that append to one stream at once, then every event is stored once', async () => {
    lagging();
    const stores = [await open(server.url), await open(server.url)];
    const [stream, events] = [`crowd-${randomUUID()}`, someEvents(randomUUID(), 10)];

    const all = events.flatMap((event) => stores.map((store) => store.append(stream, [event], 'any')));

    expect((await Promise.all(all)).flatMap(({ stored }) => stored).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
    expect(await stores[0]?.read(stream)).toHaveLength(events.length);
  });
});

describe('a stream that never becomes readable', () => {
  test('given a lag beyond the time for which calls are retried, then the append fails, and nothing is stored again', async () => {
    const data = doubleStore();
    const double = await startDouble({ store: data });
    closers.push(() => double.kill());
    const [one, other] = [await open(urlOf(double)), await open(urlOf(double), 400)];
    await one.append('late-1', [someEvent('late 0')], 'none');
    await other.append('late-1', [someEvent('late 0')], 'any');
    double.lag(3_000);

    const appending = one.append('late-1', [someEvent('late 1')], 0);
    await pause(50);
    await expect(other.append('late-1', [someEvent('late 2')], 'any')).rejects.toThrow(/does not answer.*late-1/);

    await appending;
    expect(data.records.filter(({ stream }) => stream === 'late-1')).toHaveLength(2);
  });
});

const given = givenCluster();

describe(`a follower that lags behind its leader, on ${given ? 'the cluster of EVENTSTORE_URL' : 'two doubles'}`, () => {
  const LAG = 400;
  /** `drop` ends the connection to the leader, which an append has led to, so that the next is to the follower again. */
  async function cluster(): Promise<ClusterUrls & { drop(): void }> {
    if (given) return { ...given, drop: () => undefined };
    const data = doubleStore();
    const leader = await startDouble({ store: data });
    const follower = await startDouble({ store: data, follows: leader });
    follower.lag(LAG);
    closers.push(
      () => leader.kill(),
      () => follower.kill(),
    );
    return { leader: urlOf(leader), follower: urlOf(follower), drop: () => leader.refuse('read', 1, 'cut') };
  }

  test('given appends of several events, one after the other, then none is a conflict', async () => {
    const { follower, drop } = await cluster();
    const [store, stream] = [await open(follower), `several-${randomUUID()}`];
    await store.append(stream, someEvents('several', 3), 'none');
    drop();
    await store.head();
    expect((await store.append(stream, someEvents('more', 3), 2)).revision).toBe(5);
    expect((await store.append(stream, someEvents('any', 3), 'any')).revision).toBe(8);
  });

  test('given an append of another process that was acknowledged, then its revision is no conflict', async () => {
    const { leader, follower } = await cluster();
    const [one, other, stream] = [await open(leader), await open(follower), `acknowledged-${randomUUID()}`];
    await one.append(stream, someEvents('acknowledged', 3), 'none');
    expect((await other.append(stream, [someEvent('next')], 2)).revision).toBe(3);
    await expect(other.append(stream, [someEvent('wrong')], 1)).rejects.toMatchObject({ actual: 3 });
  });

  test('given an append of this process, then a read returns it', async () => {
    const { follower, drop } = await cluster();
    const [store, run] = [await open(follower), randomUUID()];
    for (let number = 0; number < 3; number++) {
      await store.append(`own-${run}-${number}`, someEvents(`own ${number}`, 2), 'none');
      drop();
      await store.head();
      expect(await store.read(`own-${run}-${number}`)).toHaveLength(2);
      expect(await store.read(`own-${run}-${number}`, 1)).toHaveLength(1);
    }
  });

  test('given an event of another process, then a subscription to a follower delivers it, once', async () => {
    const { leader, follower } = await cluster();
    const [one, other, run] = [await open(leader), await open(follower), `delivered-${randomUUID()}`];
    const seen = follow(other, { after: await one.head(), prefixes: [run] }, ({ length }) => length === 3);
    for (let number = 0; number < 3; number++)
      await one.append(run, [someEvent(`${run} ${number}`)], number === 0 ? 'none' : number - 1);
    expect((await seen).map(({ revision }) => revision)).toEqual([0, 1, 2]);
  });
});
