/**
 * What happens to a server while others write to it and read: nobody may notice. On a server or cluster whose commands the
 * environment names (docs/contributors.md), else on the double, which plays what such servers do then.
 */

import { randomUUID } from 'node:crypto';
import { OperationsClient } from '@eventstore/db-client/generated/operations_grpc_pb.js';
import operations, { type ScavengeResp } from '@eventstore/db-client/generated/operations_pb.js';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { pause } from '../../../log/backoff.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { Connection, readAddress } from '../../../log/eventstore/eventstore-connection.ts';
import { type ChaoticServer, commandedServer } from '../../chaos/eventstore-server.ts';
import { eventually } from '../../harness/eventually.ts';
import { someEvent } from '../contract/events.ts';
import { type Double, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

/** With what the tests count on it alone. */
interface OwnServer extends ChaoticServer {
  /** Connections so far. */
  connections(): number;
}

/** The double, of a version that ends all subscriptions at a scavenge. */
async function startOwn(): Promise<OwnServer> {
  const store = doubleStore();
  const start = (port?: number): Promise<Double> => startDouble({ store, version: '23.10.6', ...(port && { port }) });
  let double = await start();
  let [connections, release]: [number, ReturnType<Double['hold']>] = [0, () => undefined];
  return {
    url: `esdb://127.0.0.1:${double.port}?tls=false`,
    kind: 'the double, as EVENTSTORE_KILL and EVENTSTORE_START are not set',
    connections: () => connections + double.peers.size,
    async kill() {
      connections += double.peers.size;
      double.kill();
      release();
    },
    async start() {
      double = await start(double.port);
    },
    async pause(milliseconds) {
      release = double.hold();
      await pause(milliseconds);
      release('appends time out');
    },
    async isolate(milliseconds) {
      double.quorum(false);
      await pause(milliseconds);
      double.quorum(true);
    },
    stop: async () => double.kill(),
  };
}

const own = commandedServer() ? null : await startOwn();
const server: ChaoticServer = own ?? (commandedServer() as ChaoticServer);
afterAll(() => server.stop());

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const WRITERS = 64;
/** Milliseconds for which calls are retried while a server is started again: a real one takes longer than the double. */
const RESTART = own ? 10_000 : 30_000;
/** New connections that a process may need for one disturbance. */
const CONNECTIONS = 3;
/** Milliseconds for which the server is gone, and for which writers go on afterwards. */
const [GONE, AFTERWARDS] = own ? [4_000, 1_000] : [9_000, 2_000];

const restarted = async (milliseconds: number): Promise<void> => {
  await server.kill();
  await pause(milliseconds);
  await server.start();
};
const { pause: stall, isolate } = server;
/** As a leader does that was stalled, and finds another one elected. */
const endItself =
  stall &&
  (async () => {
    const stalled = stall(3_000);
    await pause(2_500);
    await server.kill();
    await stalled;
    await server.start();
  });
async function scavenge(): Promise<void> {
  const connection = new Connection(readAddress(server.url), 10_000);
  const options = new operations.StartScavengeReq.Options().setThreadCount(1);
  const request = new operations.StartScavengeReq().setOptions(options);
  await connection.unary<OperationsClient, ScavengeResp>(OperationsClient, 'a scavenge', (grpc, ...rest) =>
    grpc.startScavenge(request, ...rest),
  );
  connection.close();
}

interface Disturbance {
  readonly what: string;
  /** Null where the environment names no command for it. */
  readonly disturb: (() => Promise<void>) | null;
  readonly retryFor?: number;
}
const disturbances: Disturbance[] = [
  { what: 'stalls for 9 s, after which appends that waited time out', disturb: stall && (() => stall(9_000)) },
  { what: 'stalls, ends itself and is started again', disturb: endItself, retryFor: RESTART },
  { what: 'is killed and started again', disturb: () => restarted(0), retryFor: RESTART },
  { what: `is gone for ${GONE / 1_000} s`, disturb: () => restarted(GONE), retryFor: RESTART },
  { what: 'has no quorum for 5 s', disturb: isolate && (() => isolate(5_000)), retryFor: RESTART },
  { what: 'is scavenged, which ends its subscriptions', disturb: scavenge },
];

const possible = disturbances.flatMap(({ disturb, ...rest }) => (disturb ? [{ ...rest, disturb }] : []));

/** Appends to one stream until it is ended, one event after the other. @returns the ids, in order */
async function write(store: EventStore, stream: string, every: number, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  while (!signal.aborted) {
    const event = someEvent(`${stream} ${ids.length}`);
    await store.append(stream, [event], ids.length === 0 ? 'none' : ids.length - 1);
    ids.push(event.id);
    await pause(every);
  }
  return ids;
}

describe(`given ${WRITERS} writers and a reader, on ${server.kind}`, () => {
  test.each(possible)(
    'when it $what, then no caller gets an error, and nothing is lost or there twice',
    async ({ disturb, retryFor }) => {
      const report = vi.fn();
      const store = await eventStoreDb({ url: server.url, report, ...(retryFor && { retryFor }) });
      closers.push(() => store.close());
      const run = `disturbed-${randomUUID()}`;
      const [writing, reading] = [new AbortController(), new AbortController()];
      const seen = new Map<string, string[]>();
      const reader = (async () => {
        const about = { after: await store.head(), prefixes: [run], signal: reading.signal };
        for await (const { events } of store.subscribe(about))
          for (const { stream, id } of events) seen.set(stream, [...(seen.get(stream) ?? []), id]);
      })();
      const streams = Array.from({ length: WRITERS }, (_, nth) => `${run}-${nth}`);
      // At intervals of their own, so that calls begin, and are given up, one after the other.
      const writers = Promise.all(streams.map((stream, nth) => write(store, stream, 20 + nth * 30, writing.signal)));
      writers.catch(() => undefined);
      await eventually(() => expect(seen.size).toBe(WRITERS));
      const before = own?.connections() ?? 0;

      await disturb();
      await pause(AFTERWARDS);
      writing.abort();

      const acknowledged = await writers;
      await eventually(() => expect(streams.map((stream) => seen.get(stream))).toEqual(acknowledged));
      reading.abort();
      await reader;
      for (const [nth, stream] of streams.entries())
        expect((await store.read(stream)).map(({ id }) => id)).toEqual(acknowledged[nth]);
      if (own) expect(own.connections() - before).toBeLessThanOrEqual(CONNECTIONS);
      // What is reported is why, not what became of the calls.
      expect(report.mock.calls.map(([error]) => String(error)).join()).not.toMatch(/channel/i);
    },
  );
});
