/**
 * A real Kafka broker for tests: `KAFKA_BROKERS`, else one in a container, else one run by Java from Maven's packages.
 * Where there is none of these, the reason is printed and the tests are skipped.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GenericContainer } from 'testcontainers';
import { pause } from '../../log/backoff.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const pom = resolve(import.meta.dirname, '../../deploy/kafka/pom.xml');
/** The download is cached between runs, next to the other packages. */
const libraries = resolve(import.meta.dirname, '../../node_modules/.cache/kafka');

export interface Broker {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** The listener that asks for a password (PLAIN and SCRAM, without TLS); null for a broker that is not ours. */
  readonly guarded: { readonly brokers: string; readonly username: string; readonly password: string } | null;
  /** Its type: given, container or java. */
  readonly kind: string;
  /** Stops it as a crash would and starts it again on the same data; null for a broker that is not ours. */
  readonly restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

/** Whether a program runs here. */
export const works = (program: string, ...words: string[]): Promise<boolean> =>
  run(program, words, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );

/** The timeout of Maven in milliseconds: with an unreachable mirror it would retry for many minutes. */
const FETCH_TIMEOUT = 120_000;

/**
 * @param report receives a line before a long wait
 * @returns the reason when there is no broker
 */
export async function startBroker(
  report: (line: string) => void = () => undefined,
): Promise<Broker | { readonly missing: string }> {
  const given = process.env.KAFKA_BROKERS;
  if (given)
    return {
      brokers: given,
      guarded: null,
      kind: 'the broker of KAFKA_BROKERS',
      restart: null,
      stop: async () => undefined,
    };
  if (await works('docker', 'info')) return containerBroker();
  if (!(await works('java', '-version'))) return { missing: 'no KAFKA_BROKERS, no running Docker, no Java' };
  if (!(await works('mvn', '-version'))) return { missing: 'no KAFKA_BROKERS, no running Docker, no Maven' };
  const unfetched = await fetchLibraries({ pom, libraries }, report);
  if (unfetched)
    return { missing: `no KAFKA_BROKERS, no running Docker, and Maven cannot fetch a broker: ${unfetched}` };
  return javaBroker();
}

/** Downloads the packages of a broker run by Java, where it is needed: once, before test files would do so concurrently. */
export async function setup(): Promise<void> {
  if (process.env.KAFKA_BROKERS || (await works('docker', 'info'))) return;
  // If the download fails, `startBroker` reports it and the tests are skipped.
  if ((await works('java', '-version')) && (await works('mvn', '-version'))) await fetchLibraries({ pom, libraries });
}

async function containerBroker(): Promise<Broker> {
  const port = await freePort();
  const container = await new GenericContainer('apache/kafka:4.1.0')
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment(environmentOf(settings(port, 9092, 9093, '/tmp/kafka-data')))
    .start();
  return {
    brokers: `127.0.0.1:${port}`,
    guarded: null,
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
  const folder = await mkdtemp(join(tmpdir(), 'clarity-kafka-'));
  const [port, controller, guarded] = [await freePort(), await freePort(), await freePort()];
  const properties = join(folder, 'server.properties');
  const text = Object.entries(guard(settings(port, port, controller, join(folder, 'data')), guarded))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
  await writeFile(properties, `${text}\n`);
  const java = ['-Xmx384m', '-XX:+UseSerialGC', '-cp', join(libraries, '*')];
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${CREDENTIALS.username},password=${CREDENTIALS.password}]`,
  ]);
  const format = ['format', '-t', 'clarityClusterForTests0', '-c', properties, ...scram];
  await run('java', [...java, 'kafka.tools.StorageTool', ...format]);
  const start = async (): Promise<ChildProcess> => {
    const log = await open(join(folder, 'broker.log'), 'a');
    const child = spawn('java', [...java, 'kafka.Kafka', properties], { stdio: ['ignore', log.fd, log.fd] });
    await log.close();
    await listening(port);
    return child;
  };
  let broker = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(broker, 'exit');
    if (broker.kill(signal)) await ended;
  };
  return {
    brokers: `127.0.0.1:${port}`,
    guarded: { brokers: `127.0.0.1:${guarded}`, ...CREDENTIALS },
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

const CREDENTIALS = { username: 'clarity', password: 'right-for-tests' };

/** A second listener where clients authenticate; brokers and controllers use the others. */
function guard(properties: Record<string, string>, port: number): Record<string, string> {
  const { username, password } = CREDENTIALS;
  const login = 'org.apache.kafka.common.security';
  return {
    ...properties,
    listeners: `${properties.listeners},SASL://:${port}`,
    'advertised.listeners': `${properties['advertised.listeners']},SASL://127.0.0.1:${port}`,
    'listener.security.protocol.map': `${properties['listener.security.protocol.map']},SASL:SASL_PLAINTEXT`,
    'inter.broker.listener.name': 'PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.sasl.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${username}="${password}";`,
    'listener.name.sasl.scram-sha-256.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
    'listener.name.sasl.scram-sha-512.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
  };
}

/** Resolves when the port is open; a server opens it when it is ready. */
export async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const open = await new Promise<boolean>((answer) => {
      const socket = connect(port, '127.0.0.1', () => answer(true)).on('error', () => answer(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    await pause(100);
  }
  throw new Error(`port ${port} accepts no connection after a minute`);
}

/**
 * Downloads the packages of a server by Maven, once.
 * @param what.libraries where they are cached between runs
 * @returns why it failed; null when they are there
 */
export async function fetchLibraries(
  { pom, libraries }: { readonly pom: string; readonly libraries: string },
  report: (line: string) => void = () => undefined,
): Promise<string | null> {
  const done = join(libraries, 'complete');
  const there = await access(done).then(
    () => true,
    () => false,
  );
  if (there) return null;
  await mkdir(libraries, { recursive: true });
  report(`fetching a server by Maven, for at most ${FETCH_TIMEOUT / 1_000} s`);
  try {
    await run('mvn', ['-B', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`], {
      timeout: FETCH_TIMEOUT,
    });
  } catch (thrown) {
    const { killed, stdout = '', message } = thrown as Error & { killed?: boolean; stdout?: string };
    if (killed) return `mvn did not finish within ${FETCH_TIMEOUT / 1_000} s`;
    return /\[ERROR\] (\S.*?)(?: -> \[Help 1\])?$/m.exec(`${stdout}\n${message}`)?.[1] ?? 'mvn failed';
  }
  await writeFile(done, '');
  return null;
}
