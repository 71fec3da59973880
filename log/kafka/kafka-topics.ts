/** Topics on Kafka. The only file that imports kafkajs. */
import { randomUUID } from 'node:crypto';
import {
  type Admin,
  CompressionTypes,
  type Consumer,
  type EachBatchPayload,
  Kafka,
  logLevel,
  Partitioners,
  type Producer,
  type RetryOptions,
  type SASLOptions,
} from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { type Event, readEnvelope } from '../../schemas/events.ts';
import { keepRunning, RETRY, retry, untilHandled } from '../backoff.ts';
import { kindOf } from '../errors.ts';
import {
  type Batch,
  type ConsumeOptions,
  chunksOf,
  EventTooLarge,
  encodeEvent,
  lagOf,
  MessageSkipped,
  type PartitionProgress,
  PartlyHandled,
  readTopic,
  type Topic,
  type Topics,
  type UnreadableMessage,
} from '../topic.ts';
import {
  DEFAULTS,
  type KafkaSettings,
  KafkaUnavailable,
  MAXIMUM_MESSAGE_BYTES,
  topicConfiguration,
} from './kafka-settings.ts';

type Report = NonNullable<KafkaSettings['report']>;

/** Messages of one request at most, and bytes of them: the broker refuses a batch above `max.message.bytes` whole. */
const PUBLISH_CHUNK = { messages: 500, bytes: 1_900_000 };
/** The broker's answers to a request that is too large, however often it is repeated. */
const TOO_LARGE: ReadonlySet<unknown> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

interface Encoded {
  readonly key: string;
  readonly value: string;
  /** Of the event, for errors. */
  readonly type: string;
}

/**
 * kafkajs 2.2.4 re-arms the timer of its request queue with a negative delay even when nothing waits: on Node 24 that
 * wakes each connection every millisecond and warns (its issues 1751 and 1704). Nothing pending needs no timer:
 * every request that is queued later arms it again.
 */
function quietenIdleQueue(): void {
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
    if (this.pending.length > 0) original.call(this);
  };
}
quietenIdleQueue();

/** Finds events by their ids. Kafka has no index of them: the whole topic is read. */
async function findEvents(topic: Topic, ids: readonly string[], signal: AbortSignal): Promise<Event[]> {
  const wanted = new Set(ids);
  const events = new Map<string, Event>();
  if (wanted.size === 0) return [];
  await readTopic(topic, {
    group: `find-${randomUUID()}`,
    signal,
    take: (page) => {
      for (const event of page) if (wanted.has(event.id)) events.set(event.id, event);
    },
  });
  return [...events.values()];
}

/**
 * Connects to the brokers.
 * @throws KafkaUnavailable within 10 s when no broker answers or the credentials are refused
 */
export async function kafkaTopics(settings: KafkaSettings): Promise<Topics> {
  await probe(clientOf(settings, { retries: 1, initialRetryTime: 300 }), settings);
  const kafka = clientOf(settings, { initialRetryTime: 100, maxRetryTime: 10_000, retries: Number.MAX_SAFE_INTEGER });
  const admin = kafka.admin();
  await admin.connect();
  const publisher = new Publisher(kafka);
  const created = new Map<string, Promise<void>>();
  const ensure = (name: string): Promise<void> => {
    const promise = created.get(name) ?? retryCreation(() => createTopic(admin, name, settings));
    created.set(name, promise);
    promise.catch(() => created.delete(name));
    return promise;
  };
  const topic = (name: string): Topic => ({
    name,
    publish: async (messages) => {
      const encoded = messages.map(({ key, event }) => ({ key, value: encodeEvent(event), type: event.type }));
      await ensure(name);
      for (const chunk of chunksOf(encoded, ({ value }) => Buffer.byteLength(value), PUBLISH_CHUNK))
        await publisher.send(name, chunk);
    },
    consume: async (options) => {
      await ensure(name);
      await consume(kafka, name, options, settings.report ?? (() => undefined));
    },
    lag: async (group) => {
      await ensure(name);
      return lagOf(await progress(admin, name, group));
    },
    progress: async (group) => {
      await ensure(name);
      return progress(admin, name, group);
    },
    ranges: async () => {
      await ensure(name);
      const ends = await admin.fetchTopicOffsets(name);
      return ends.map(({ partition, high, low }) => ({ partition, first: BigInt(low), end: BigInt(high) }));
    },
    deleteGroup: (group) => deleteGroup(admin, group),
    find: (ids, signal) => findEvents(topic(name), ids, signal),
  });
  return {
    topic,
    groups: async (prefix) => {
      const { groups } = await admin.listGroups();
      return groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(prefix));
    },
    close: async () => {
      await publisher.close();
      await admin.disconnect();
    },
  };
}

const clientOf = ({ clientId, brokers, ssl, sasl }: KafkaSettings, retry: RetryOptions): Kafka =>
  new Kafka({
    clientId,
    brokers: [...brokers],
    ssl: ssl ?? false,
    sasl: sasl as SASLOptions | undefined,
    connectionTimeout: 3_000,
    authenticationTimeout: 3_000,
    logLevel: logLevel.NOTHING,
    retry,
  });

/** One attempt with a client that hardly retries, so that a wrong address or password is reported soon instead of being retried forever. */
async function probe(kafka: Kafka, settings: KafkaSettings): Promise<void> {
  const admin = kafka.admin();
  const where = `Kafka at ${settings.brokers.join(', ')}`;
  try {
    await admin.connect();
    await admin.describeCluster();
  } catch (error) {
    const refused = (error as Error).name === 'KafkaJSSASLAuthenticationError';
    throw new KafkaUnavailable(
      refused
        ? `${where} refused the user "${settings.sasl?.username}"; check KAFKA_SASL, KAFKA_USERNAME and KAFKA_PASSWORD`
        : `${where} cannot be reached (${(error as Error).message}); check KAFKA_BROKERS, KAFKA_SSL and KAFKA_SASL`,
      refused,
    );
  } finally {
    // The outcome is known: a failure to disconnect adds nothing.
    await admin.disconnect().catch(() => undefined);
  }
}

/** Retries for about 15 s: a topic that another process is creating is unknown to some brokers for an instant. */
async function retryCreation(work: () => Promise<void>): Promise<void> {
  await retry(work, {
    ...RETRY.message,
    maximum: 5_000,
    failed(error, failures) {
      if (failures === 8) throw error;
    },
  });
}

async function createTopic(admin: Admin, name: string, settings: KafkaSettings): Promise<void> {
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic: name,
        numPartitions: settings.partitions ?? DEFAULTS.partitions,
        replicationFactor: settings.replicas ?? DEFAULTS.replicas,
        configEntries: topicConfiguration(name, settings),
      },
    ],
  });
}

/**
 * An idempotent producer that is replaced when its session is lost. A message may be stored twice then, and consumers are
 * idempotent; none is lost, because `send` resolves only after all replicas in sync have it.
 */
class Publisher {
  readonly #kafka: Kafka;
  #producer: Promise<Producer> | null = null;
  readonly #closing = new AbortController();

  constructor(kafka: Kafka) {
    this.#kafka = kafka;
  }

  /**
   * Resolves when all replicas in sync have the messages. Retries for as long as the brokers are unreachable.
   * @throws EventTooLarge at once, for an event that the topic does not take
   */
  async send(topic: string, messages: readonly Encoded[]): Promise<void> {
    const send = async (): Promise<void> => {
      try {
        const producer = await this.#connected();
        const records = messages.map(({ key, value }) => ({ key, value }));
        await producer.send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages: records });
      } catch (error) {
        await this.#discard();
        if (!TOO_LARGE.has((error as { type?: unknown }).type)) throw error;
        await this.#sendSmaller(topic, messages);
      }
    };
    await retry(send, {
      ...RETRY.message,
      signal: this.#closing.signal,
      failed(error) {
        if (error instanceof EventTooLarge) throw error;
      },
    });
  }

  /** The topic accepts less than configured at its creation: another program created or changed it. */
  async #sendSmaller(topic: string, messages: readonly Encoded[]): Promise<void> {
    const [only] = messages;
    if (messages.length === 1 && only)
      throw new EventTooLarge(
        only.type,
        Buffer.byteLength(only.value),
        `the topic ${topic} takes less: raise its max.message.bytes to ${MAXIMUM_MESSAGE_BYTES}`,
      );
    const half = Math.ceil(messages.length / 2);
    await this.send(topic, messages.slice(0, half));
    await this.send(topic, messages.slice(half));
  }

  #connected(): Promise<Producer> {
    this.#producer ??= (async () => {
      const producer = this.#kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        createPartitioner: Partitioners.DefaultPartitioner,
        retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 2_000 },
      });
      await producer.connect();
      return producer;
    })();
    return this.#producer;
  }

  async #discard(): Promise<void> {
    const lost = this.#producer;
    this.#producer = null;
    // The producer is discarded because it failed, which was reported.
    await lost?.then((producer) => producer.disconnect()).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#discard();
  }
}

/**
 * Joins the group again after every crash, until the signal aborts.
 * @throws what `onAssigned` threw, unless it is transient: as in PostgreSQL
 */
async function consume(kafka: Kafka, topic: string, options: ConsumeOptions, report: Report): Promise<void> {
  await keepRunning(() => consumeOnce(kafka, topic, options, report), {
    ...RETRY.message,
    signal: options.signal,
    failed(error) {
      if (error instanceof AssignmentFailed && kindOf(error.cause) !== 'transient') throw error.cause;
      report(error instanceof AssignmentFailed ? error.cause : error, { topic, group: options.group });
    },
  });
}

/** Wraps errors of `onAssigned`, to distinguish them from errors of the brokers. */
class AssignmentFailed extends Error {}

async function consumeOnce(kafka: Kafka, topic: string, options: ConsumeOptions, report: Report): Promise<void> {
  const consumer = kafka.consumer({
    groupId: options.group,
    allowAutoTopicCreation: false,
    sessionTimeout: 10_000,
    rebalanceTimeout: 20_000,
    heartbeatInterval: 2_000,
    maxBytesPerPartition: MAXIMUM_MESSAGE_BYTES,
    maxWaitTimeInMs: 2_000,
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 2_000, restartOnFailure: async () => false },
  });
  // kafkajs reports an assignment without waiting for the listener: batches wait for this promise instead.
  let ready = Promise.resolve();
  let refuse: (error: unknown) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  // Awaited below, together with a crash; until then it must not count as unhandled.
  refused.catch(() => undefined);
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  });
  const stopped = new Promise<void>((resolve) => {
    if (options.signal.aborted) resolve();
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const partitions = payload.memberAssignment[topic] ?? [];
    // Without what it prepares no batch may be handled: the consumer stops, and what the error means decides.
    ready = ready.then(() => options.onAssigned?.(partitions));
    ready.catch((cause) => refuse(new AssignmentFailed('the assignment was refused', { cause })));
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 4,
      eachBatch: async (payload) => {
        await ready;
        await handleBatch(consumer, topic, payload, options, report);
      },
    });
    await Promise.race([crashed, stopped, refused]);
  } finally {
    // The outcome is known: the broker drops the member when its session expires.
    await consumer.disconnect().catch(() => undefined);
  }
}

/** Hands a fetched batch over in pieces and commits after each one; heartbeats go on while the handler works. */
async function handleBatch(
  consumer: Consumer,
  topic: string,
  { batch, heartbeat, isRunning, isStale, resolveOffset }: EachBatchPayload,
  { group, handle, signal, batchSize = 500, onUnreadable }: ConsumeOptions,
  report: Report,
): Promise<void> {
  // After failed heartbeats the broker reassigns the partition, and the next commit fails.
  const beat = setInterval(() => void heartbeat().catch(() => undefined), 1_500);
  const owned = (): boolean => isRunning() && !isStale() && !signal.aborted;
  const commit = async (to: bigint): Promise<void> => {
    resolveOffset(String(to - 1n));
    await consumer.commitOffsets([{ topic, partition: batch.partition, offset: String(to) }]);
  };
  try {
    let covered = BigInt(batch.messages[0]?.offset ?? 0);
    for (let from = 0; from < batch.messages.length && owned(); from += batchSize) {
      const piece = batch.messages.slice(from, from + batchSize);
      const last = piece.at(-1)?.offset ?? batch.firstOffset() ?? '0';
      const to = BigInt(last) + 1n;
      const { messages, unreadable } = readMessages(batch.partition, piece);
      let handed: Batch = { partition: batch.partition, messages, from: covered, to };
      const failed = (error: unknown) => report(error, { topic, group, partition: batch.partition });
      const handled = async (): Promise<void> => {
        for (const message of unreadable)
          if (onUnreadable) await onUnreadable(message);
          else failed(new MessageSkipped(message));
        try {
          await handle(handed);
        } catch (error) {
          if (error instanceof PartlyHandled && error.handledTo > handed.from) {
            const from = error.handledTo;
            await commit(from);
            handed = { ...handed, from, messages: handed.messages.filter(({ offset }) => offset >= from) };
          }
          throw error;
        }
      };
      if (!(await untilHandled(handled, { owned, signal, failed }))) return;
      covered = to;
      await commit(to);
      await heartbeat();
    }
  } finally {
    clearInterval(beat);
  }
}

interface ReadMessages {
  readonly messages: Batch['messages'];
  readonly unreadable: readonly UnreadableMessage[];
}

function readMessages(partition: number, piece: EachBatchPayload['batch']['messages']): ReadMessages {
  const messages: Batch['messages'][number][] = [];
  const unreadable: UnreadableMessage[] = [];
  for (const message of piece) {
    const [key, text, offset] = [
      message.key?.toString() ?? '',
      message.value?.toString() ?? '',
      BigInt(message.offset),
    ];
    try {
      messages.push({ key, offset, event: readEnvelope(JSON.parse(text)) });
    } catch (error) {
      unreadable.push({ partition, offset, key, text, error });
    }
  }
  return { messages, unreadable };
}

async function progress(admin: Admin, topic: string, group: string): Promise<PartitionProgress[]> {
  const [ends, [committed]] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    admin.fetchOffsets({ groupId: group, topics: [topic] }),
  ]);
  const done = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  return ends.map(({ partition, high, low }) => {
    const at = done.get(partition) ?? -1n;
    // A group that never committed, or that was overtaken by retention, begins at the first message that is kept.
    return { partition, next: at < BigInt(low) ? BigInt(low) : at, end: BigInt(high) };
  });
}

/** Codes of answers to a deletion: the group has consumers, and there is no such group. */
const [NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND] = [68, 69];

async function deleteGroup(admin: Admin, group: string): Promise<boolean> {
  try {
    await admin.deleteGroups([group]);
    return true;
  } catch (error) {
    const [failed] = (error as { groups?: readonly { errorCode?: number }[] }).groups ?? [];
    if (failed?.errorCode === GROUP_ID_NOT_FOUND) return true;
    if (failed?.errorCode === NON_EMPTY_GROUP) return false;
    throw error;
  }
}
