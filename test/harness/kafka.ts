/**
 * A real Kafka broker for tests: `KAFKA_BROKERS`, else one in a container, else one run by Java from Maven's packages.
 * Where there is none of these, the reason is told and the tests are skipped.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GenericContainer } from 'testcontainers';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const pom = resolve(import.meta.dirname, '../../deploy/kafka/pom.xml');
/** Maven's answer is kept between runs beside the other packages. */
const libraries = resolve(import.meta.dirname, '../../node_modules/.cache/kafka');

export interface Broker {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** What it is: given, container or java. */
  readonly kind: string;
  /** Stops it as a crash would and starts it again on the same data; null for a broker that is not ours. */
  readonly restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

const works = (program: string, ...words: string[]): Promise<boolean> =>
  run(program, words, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );

/** @returns why there is none when there is none */
export async function startBroker(): Promise<Broker | { readonly missing: string }> {
  const given = process.env.KAFKA_BROKERS;
  if (given) return { brokers: given, kind: 'the broker of KAFKA_BROKERS', restart: null, stop: async () => undefined };
  if (await works('docker', 'info')) return containerBroker();
  if (!(await works('java', '-version'))) return { missing: 'no KAFKA_BROKERS, no running Docker, no Java' };
  if (!(await works('mvn', '-version'))) return { missing: 'no KAFKA_BROKERS, no running Docker, no Maven' };
  return javaBroker();
}

async function containerBroker(): Promise<Broker> {
  const port = await freePort();
  const container = await new GenericContainer('apache/kafka:4.1.0')
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment(environmentOf(settings(port, 9092, 9093, '/tmp/kafka-data')))
    .start();
  return {
    brokers: `127.0.0.1:${port}`,
    kind: 'a container',
    restart: () => container.restart(),
    stop: async () => void (await container.stop()),
  };
}

/** One broker that is its own controller (KRaft). */
const settings = (advertised: number, port: number, controller: number, data: string): Record<string, string> => ({
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.quorum.voters': `1@127.0.0.1:${controller}`,
  'controller.listener.names': 'CONTROLLER',
  listeners: `PLAINTEXT://:${port},CONTROLLER://:${controller}`,
  'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertised}`,
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'log.dirs': data,
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  'auto.create.topics.enable': 'false',
});

const environmentOf = (properties: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value]),
  );

async function javaBroker(): Promise<Broker> {
  await fetchLibraries();
  const folder = await mkdtemp(join(tmpdir(), 'clarity-kafka-'));
  const [port, controller] = [await freePort(), await freePort()];
  const properties = join(folder, 'server.properties');
  const text = Object.entries(settings(port, port, controller, join(folder, 'data')))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
  await writeFile(properties, `${text}\n`);
  const java = ['-Xmx384m', '-XX:+UseSerialGC', '-cp', join(libraries, '*')];
  await run('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', 'clarityClusterForTests0', '-c', properties]);
  const start = async (): Promise<ChildProcess> => {
    const log = await open(join(folder, 'broker.log'), 'a');
    const child = spawn('java', [...java, 'kafka.Kafka', properties], { stdio: ['ignore', log.fd, log.fd] });
    await log.close();
    return child;
  };
  let broker = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(broker, 'exit');
    if (broker.kill(signal)) await ended;
  };
  return {
    brokers: `127.0.0.1:${port}`,
    kind: 'a broker run by Java from Maven’s packages',
    restart: async () => {
      await end('SIGKILL');
      broker = await start();
    },
    stop: async () => {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function fetchLibraries(): Promise<void> {
  const done = join(libraries, 'complete');
  const there = await access(done).then(
    () => true,
    () => false,
  );
  if (there) return;
  await mkdir(libraries, { recursive: true });
  await run('mvn', ['-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`], {
    timeout: 300_000,
  });
  await writeFile(done, '');
}
