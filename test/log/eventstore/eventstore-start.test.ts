/** Starts while the event store cannot be used yet: whatever the reason, they wait for it, and end with it after 8 s. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../../log/backoff.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { EventStoreUnavailable } from '../../../log/eventstore/eventstore-errors.ts';
import { certificate } from '../../harness/certificate.ts';
import { ADMIN } from '../../harness/eventstore.ts';
import { freePort } from '../../harness/free-port.ts';
import { noLeader, notReady, type Refusal } from '../double/errors.ts';
import { type Double, type DoubleOptions, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

/** Milliseconds that a start waits, as documented. */
const OPENING = 8_000;
/** Milliseconds after which the reason ends: longer than an attempt to connect, or to discover a node, by any default of the client. */
const OUTAGE = 2_500;
/** Calls refused: more than a start makes. */
const ALL = 1_000;

const pair = certificate();
let folder: string;
const closers: (() => Promise<void> | void)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clarity-certificate-'));
  await writeFile(join(folder, 'ca.pem'), pair.certificate);
});
// At the end: these tests, which mostly wait, run at the same time.
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await rm(folder, { recursive: true });
});

async function doubled(options: Partial<DoubleOptions> = {}): Promise<Double> {
  const double = await startDouble({ store: doubleStore(), ...options });
  closers.push(() => double.kill());
  return double;
}

async function open(url: string): Promise<EventStore> {
  const store = await eventStoreDb({ url });
  closers.push(() => store.close());
  return store;
}

/** A server that cannot be used until `relieve` is called. */
interface Hindered {
  readonly url: string;
  readonly relieve: () => unknown;
}
type Hinder = () => Promise<Hindered>;

const login = `${ADMIN.user}:${ADMIN.password}`;
const oneHost = (port: number): string => `esdb://${login}@127.0.0.1:${port}?`;
const cluster = (port: number): string => `esdb://${login}@127.0.0.1:${port},127.0.0.1:${port}?`;
const discovered = (port: number): string => `esdb+discover://${login}@127.0.0.1:${port}?`;

/** Nothing listens yet. With TLS, whose errors the client words otherwise. */
const closed = (address: (port: number) => string): Hinder => {
  return async () => {
    const port = await freePort();
    const secure = { ...pair, ...ADMIN, users: new Map([[ADMIN.user, ADMIN.password]]) };
    return {
      url: `${address(port)}tls=true&tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`,
      relieve: () => doubled({ port, secure }),
    };
  };
};

/** Something listens that is no server, or one that is stopped: connections are accepted, and nothing is ever sent. */
const silent: Hinder = async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  closers.push(close);
  return { url: `${oneHost(port)}tls=false`, relieve: () => close().then(() => doubled({ port })) };
};

const hindered =
  (address: (port: number) => string, hinder: (double: Double) => () => unknown): Hinder =>
  async () => {
    const double = await doubled();
    return { url: `${address(double.port)}tls=false`, relieve: hinder(double) };
  };
const withoutQuorum = (double: Double) => {
  double.quorum(false);
  return () => double.quorum(true);
};
const refusing = (how: Refusal) => (double: Double) => {
  double.refuse('read', ALL, how);
  return () => double.refuse('read', 0, how);
};

const reasons: [string, Hinder, RegExp][] = [
  ['one host refuses connections', closed(oneHost), /127\.0\.0\.1:\d+: ECONNREFUSED$/],
  ['all nodes of a cluster refuse connections', closed(cluster), /127\.0\.0\.1:\d+: ECONNREFUSED$/],
  ['the nodes behind a name refuse connections', closed(discovered), /127\.0\.0\.1:\d+: ECONNREFUSED$/],
  ['one host accepts connections and never answers', silent, /nothing within 8 s$/],
  ['a cluster has no quorum', hindered(cluster, withoutQuorum), /Failed to discover/],
  ['no node is discovered by a name', hindered(discovered, withoutQuorum), /Failed to discover/],
  ['one host answers nothing', hindered(oneHost, (double) => double.hold()), /nothing within 8 s$/],
  ['a cluster answers nothing', hindered(cluster, (double) => double.hold()), /nothing within 8 s$/],
  ['a server is not ready', hindered(oneHost, refusing(notReady())), /Server Is Not Ready/],
  ['a server knows no leader', hindered(oneHost, refusing(noLeader())), /No leader info available/],
  ['a server is unavailable', hindered(oneHost, refusing({ code: 14, details: 'read ECONNRESET' })), /ECONNRESET/],
];

describe.concurrent('a start', () => {
  test.each(reasons)('given that %s for a while, then it waits', async (_, hinder) => {
    const { url, relieve } = await hinder();
    const opening = open(url);
    opening.catch(() => undefined);

    await pause(OUTAGE);
    await relieve();

    expect(await (await opening).head()).toBeGreaterThan(0n);
  });

  test.each(reasons)(
    'given that %s, then it ends after 8 s with that reason, without the password',
    async (_, hinder, reason) => {
      const { url } = await hinder();
      const began = performance.now();

      const error = await open(url).catch((caught: unknown) => caught);

      const took = performance.now() - began;
      expect(error).toBeInstanceOf(EventStoreUnavailable);
      const { message } = error as Error;
      expect(message).toMatch(/^no event store answers at esdb/);
      expect(message).toMatch(reason);
      expect(message).not.toContain(ADMIN.password);
      expect(took).toBeGreaterThan(OPENING - 100);
    },
  );
});
