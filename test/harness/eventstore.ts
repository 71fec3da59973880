/**
 * An event store for the contract: `EVENTSTORE_URL`, else a server in a container, else the double of its protocol.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GenericContainer, Wait } from 'testcontainers';
import { type Double, startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';
import { certificate } from './certificate.ts';

export interface RunningEventStore {
  readonly url: string;
  /** Its description, for the output of the tests. */
  readonly kind: string;
  /** The test double, which is slower than a server and shares a thread with the test; null for a server. */
  readonly double: Double | null;
  stop(): Promise<void>;
}

/** The servers on which the contract runs where Docker is available. */
export const EVENT_STORE_IMAGES = ['25.0', '25.1', '26.0'].map((tag) => `kurrentplatform/kurrentdb:${tag}`);
const PORT = 2113;
/** The user that a server of EventStoreDB has from its first start. */
export const ADMIN = { user: 'admin', password: 'changeit' } as const;

export async function startEventStore(): Promise<RunningEventStore> {
  const given = process.env.EVENTSTORE_URL;
  if (given) return { url: given, kind: 'the server of EVENTSTORE_URL', double: null, stop: async () => undefined };
  return (await dockerRuns()) ? startEventStoreContainer(EVENT_STORE_IMAGES[0] as string) : startOwn();
}

/** Addresses of a cluster by which calls go to its leader, or to a follower where one is enough. */
export interface ClusterUrls {
  readonly leader: string;
  readonly follower: string;
}

/** @returns null where `EVENTSTORE_URL` names no cluster */
export function givenCluster(url = process.env.EVENTSTORE_URL): ClusterUrls | null {
  if (!url || !/^\w+\+discover:|^[^?]*,/.test(url)) return null;
  const preferring = (node: string): string => `${url}${url.includes('?') ? '&' : '?'}nodePreference=${node}`;
  return { leader: preferring('leader'), follower: preferring('follower') };
}

export interface GuardedEventStore {
  /** Its name in the output of the tests. */
  readonly kind: string;
  readonly admin: { readonly user: string; readonly password: string };
  urlOf(user: string, password: string): string;
  stop(): Promise<void>;
}

/**
 * An event store with TLS and users: `EVENTSTORE_URL` where it names a user, else the double of its protocol.
 * @returns null where `EVENTSTORE_URL` is a server without users
 */
export async function startEventStoreWithUsers(): Promise<GuardedEventStore | null> {
  const given = process.env.EVENTSTORE_URL;
  if (!given) return startOwnWithUsers();
  const [, scheme, user, password, rest] = /^(\w[\w+]*:\/\/)([^:@/]+):([^@]*)@(.*)$/.exec(given) ?? [];
  if (!user || !password || /[?&]tls=false/i.test(given)) return null;
  return {
    kind: 'the server of EVENTSTORE_URL',
    admin: { user: decodeURIComponent(user), password: decodeURIComponent(password) },
    urlOf: (name, secret) => `${scheme}${encodeURIComponent(name)}:${encodeURIComponent(secret)}@${rest}`,
    stop: async () => undefined,
  };
}

async function startOwnWithUsers(): Promise<GuardedEventStore> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-eventstore-'));
  const file = join(folder, 'ca.pem');
  const [pair, admin] = [certificate(), ADMIN];
  await writeFile(file, pair.certificate);
  const users = new Map([[admin.user, admin.password]]);
  const double = await startDouble({ store: doubleStore(), secure: { ...pair, ...admin, users } });
  return {
    kind: 'a double of the protocol',
    admin,
    urlOf: (user, password) =>
      `esdb://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${double.port}` +
      `?tls=true&tlsCAFile=${encodeURIComponent(file)}`,
    stop: async () => {
      double.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** Whether containers can be started here. */
export const dockerRuns = (): Promise<boolean> =>
  promisify(execFile)('docker', ['info'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );

/** @param image of KurrentDB */
export async function startEventStoreContainer(image: string): Promise<RunningEventStore> {
  const container = await new GenericContainer(image)
    .withExposedPorts(PORT)
    .withEnvironment({
      KURRENTDB_INSECURE: 'true',
      KURRENTDB_MEM_DB: 'true',
      // The default is 1 MB, too little for an event of 1 MB in its envelope.
      KURRENTDB_MAX_APPEND_SIZE: '15000000',
    })
    .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
    .start();
  return {
    url: `esdb://${container.getHost()}:${container.getMappedPort(PORT)}?tls=false`,
    kind: `${image} in a container`,
    double: null,
    stop: async () => void (await container.stop()),
  };
}

async function startOwn(): Promise<RunningEventStore> {
  const double = await startDouble({ store: doubleStore() });
  return {
    url: `esdb://127.0.0.1:${double.port}?tls=false`,
    kind: 'a double of the protocol, as there is neither EVENTSTORE_URL nor a running Docker',
    double,
    stop: async () => double.kill(),
  };
}
