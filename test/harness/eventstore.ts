/**
 * An event store for the contract: `EVENTSTORE_URL`, else a server in a container, else the double of its protocol.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GenericContainer, Wait } from 'testcontainers';
import { startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';

export interface RunningEventStore {
  readonly url: string;
  /** Its description, for the output of the tests. */
  readonly kind: string;
  /** Whether it is the test double, which is slower than a server and shares a thread with the test. */
  readonly double: boolean;
  stop(): Promise<void>;
}

/** The servers on which the contract runs where Docker is available. */
export const EVENT_STORE_IMAGES = ['25.0', '25.1', '26.0'].map((tag) => `kurrentplatform/kurrentdb:${tag}`);
const PORT = 2113;

export async function startEventStore(): Promise<RunningEventStore> {
  const given = process.env.EVENTSTORE_URL;
  if (given) return { url: given, kind: 'the server of EVENTSTORE_URL', double: false, stop: async () => undefined };
  return (await dockerRuns()) ? startEventStoreContainer(EVENT_STORE_IMAGES[0] as string) : startOwn();
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
    double: false,
    stop: async () => void (await container.stop()),
  };
}

async function startOwn(): Promise<RunningEventStore> {
  const double = await startDouble({ store: doubleStore() });
  return {
    url: `esdb://127.0.0.1:${double.port}?tls=false`,
    kind: 'a double of the protocol, as there is neither EVENTSTORE_URL nor a running Docker',
    double: true,
    stop: async () => double.kill(),
  };
}
