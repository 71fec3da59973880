/** The metrics of one process in Prometheus' format: its own counters, and values measured at each scrape. */
import { totalmem } from 'node:os';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import type { ConsumeOptions, Message, Topic, Topics } from '../../log/topic.ts';
import { stepsOf } from '../../projector/models/review-read-model.ts';
import { VERSION } from '../../schemas/configuration.ts';
import type { DataOf } from '../../schemas/events.ts';
import {
  eventsProjected,
  limitReached,
  messageFailed,
  messageSkipped,
  modelCalled,
  partFailed,
  partitionStopped,
  requestAnswered,
} from '../../schemas/observation.ts';
import { POLLS, type Poll } from '../../schemas/poll.ts';
import type { ServiceState } from './service-state.ts';
import { stateText } from './state-metrics.ts';

/** The same topics, each wrapped once. */
function eachTopic(topics: Topics, wrap: (topic: Topic) => Topic): Topics {
  const wrapped = new Map<string, Topic>();
  return {
    topic(name) {
      const topic = wrapped.get(name) ?? wrap(topics.topic(name));
      wrapped.set(name, topic);
      return topic;
    },
    groups: (prefix) => topics.groups(prefix),
    close: () => topics.close(),
  };
}

/** Seconds; the service promises 0.25 at the 99th percentile. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const secondsBetween = (from: string, to: string): number => Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);

interface Metrics {
  readonly contentType: string;
  /** All metrics as text. @param state null for a process that reports no state of the service, or when it is unavailable */
  text(state: ServiceState | null): Promise<string>;
  published(topic: string, many: number): void;
  polled(outcome: string): void;
  handled(topic: string, group: string, many: number): void;
  appended(type: string): void;
  /** Reports the connections of this pool from now on. */
  watchPool(database: Database): void;
  close(): void;
}

/** Bytes; a container without a limit reports more than the machine has. */
const memoryLimit = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
};

/** What the process is and may use. */
function describeProcess(registry: Registry, name: string): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'clarity_process',
    help: 'Always 1; says which process this is',
    labelNames: ['process'],
    registers,
  }).set({ process: name }, 1);
  new Gauge({
    name: 'clarity_build_info',
    help: 'Always 1; says which release runs on which Node',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.versions.node }, 1);
  new Gauge({
    name: 'clarity_memory_limit_bytes',
    help: 'Memory that the process may use: the limit of its container, else the memory of the machine',
    registers,
  }).set(memoryLimit());
}

/** @returns how the pool is named whose connections are counted from then on */
function countConnections(registry: Registry): (database: Database) => void {
  let database: Database | null = null;
  const pool = new Gauge({
    name: 'clarity_database_connections',
    help: 'Connections of the pool by state, and callers that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      if (!database) return;
      const { totalCount, idleCount, waitingCount, options } = database;
      pool.set({ state: 'used' }, totalCount - idleCount);
      pool.set({ state: 'idle' }, idleCount);
      pool.set({ state: 'waiting' }, waitingCount);
      pool.set({ state: 'maximum' }, options.max ?? 0);
    },
  });
  return (opened) => {
    database = opened;
  };
}

/** Measures how long signals take to the pages. @returns what ends it */
function measureDelays(registry: Registry, now: () => Date): () => void {
  const visible = new Histogram({
    name: 'clarity_item_to_page_seconds',
    help: 'Seconds from the moment an item was found until its signal is on the pages',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
    registers: [registry],
  });
  const steps = new Histogram({
    name: 'clarity_item_step_seconds',
    help: 'Seconds of each step of a public signal whose times are all recorded: outlet to found, found to public, public to page',
    labelNames: ['step'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 43200, 86400],
    registers: [registry],
  });
  return eventsProjected.subscribe(({ model, events }) => {
    if (model !== 'signals') return;
    for (const { type, time, data } of events) {
      if (type !== 'SignalDetected') continue;
      const detected = data as DataOf<'SignalDetected'>;
      const shown = now().toISOString();
      visible.observe(secondsBetween(detected.report?.found_at ?? time, shown));
      const taken = detected.report ? stepsOf({ time, data: detected }) : null;
      if (!taken) continue;
      steps.observe({ step: 'outlet_to_found' }, secondsBetween(taken.outlet_at, taken.found_at));
      steps.observe({ step: 'found_to_public' }, secondsBetween(taken.found_at, taken.public_at));
      steps.observe({ step: 'public_to_page' }, secondsBetween(taken.public_at, shown));
    }
  });
}

type AddCounter = <Label extends string>(metric: string, help: string, labelNames: readonly Label[]) => Counter<Label>;

/** Counts failures of parts, messages and calls. @returns what ends each */
function countFailures(registry: Registry, counter: AddCounter): (() => void)[] {
  const failures = counter('part_failures_total', 'Times that a part failed and was restarted', ['part']);
  const messageFailures = counter(
    'message_failures_total',
    'Failed attempts at messages of a topic, by kind of error: transient, bad input, defect',
    ['topic', 'group', 'kind'],
  );
  const skipped = counter('messages_skipped_total', 'Messages that were skipped and are kept as dead letters', [
    'topic',
    'group',
    'kind',
  ]);
  const stopped = new Gauge({
    name: 'clarity_partition_stopped',
    help: '1 while a partition stops at a message that meets a defect',
    labelNames: ['topic', 'group', 'partition'],
    registers: [registry],
  });
  const refusals = counter('limit_refusals_total', 'Calls refused because a window was full', ['code', 'window']);
  return [
    limitReached.subscribe((about) => refusals.inc(about)),
    partFailed.subscribe((about) => failures.inc(about)),
    messageFailed.subscribe((about) => messageFailures.inc(about)),
    messageSkipped.subscribe((about) => skipped.inc(about)),
    partitionStopped.subscribe(({ topic, group, partition, stopped: isStopped }) =>
      stopped.set({ topic, group, partition: String(partition) }, isStopped ? 1 : 0),
    ),
  ];
}

/** Counts calls to the language model and their tokens. @returns what ends it */
function countModelCalls(counter: AddCounter): () => void {
  const calls = counter('model_calls_total', 'Calls to the language model by purpose and outcome', [
    'purpose',
    'outcome',
  ]);
  const tokens = counter('model_tokens_total', 'Tokens that the language model read and wrote, by purpose', [
    'purpose',
    'direction',
  ]);
  return modelCalled.subscribe(({ purpose, outcome, input_tokens, output_tokens }) => {
    calls.inc({ purpose, outcome });
    tokens.inc({ purpose, direction: 'input' }, input_tokens);
    tokens.inc({ purpose, direction: 'output' }, output_tokens);
  });
}

/** Measures how long answers take. @returns what ends it */
function measureRequests(registry: Registry): () => void {
  const requests = new Histogram({
    name: 'clarity_http_request_duration_seconds',
    help: 'Time until an answer was sent, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [registry],
  });
  return requestAnswered.subscribe(({ method, route, status, milliseconds }) =>
    requests.observe(
      // Callers can invent any number of methods.
      { method: METHODS.has(method) ? method : 'other', route, status: String(status) },
      milliseconds / 1000,
    ),
  );
}

/**
 * @param name of the process, such as `poll`
 * @param now the clock that events are dated by
 */
export function createMetrics(name: string, now: () => Date = () => new Date()): Metrics {
  const registry = new Registry();
  const counter: AddCounter = (metric, help, labelNames) =>
    new Counter({ name: `clarity_${metric}`, help, labelNames: [...labelNames], registers: [registry] });
  describeProcess(registry, name);
  const watchPool = countConnections(registry);
  const messages = counter('messages_published_total', 'Messages published to a topic', ['topic']);
  const handled = counter('messages_handled_total', 'Messages that a group of consumers has handled', [
    'topic',
    'group',
  ]);
  const polls = counter('polls_total', 'Polls by result', ['outcome']);
  const events = counter('events_appended_total', 'Events appended to the event store by type', ['type']);
  // A metric without a value would be absent, and its alerts would never fire.
  for (const outcome of ['changed', 'unchanged', 'failed']) polls.inc({ outcome }, 0);
  events.inc({ type: 'SignalDetected' }, 0);
  const ends = [
    measureDelays(registry, now),
    measureRequests(registry),
    countModelCalls(counter),
    ...countFailures(registry, counter),
  ];
  return {
    contentType: registry.contentType,
    text: async (state) => `${await registry.metrics()}${state ? await stateText(state) : ''}`,
    published: (topic, many) => messages.inc({ topic }, many),
    polled: (outcome) => polls.inc({ outcome }),
    handled: (topic, group, many) => handled.inc({ topic, group }, many),
    appended: (type) => events.inc({ type }),
    watchPool,
    close() {
      for (const end of ends) end();
      registry.clear();
    },
  };
}

export const countedStore = (store: EventStore, metrics: Metrics, logger: Logger): EventStore => ({
  ...store,
  async append(stream, events, expected) {
    const done = await store.append(stream, events, expected);
    const stored = new Set(done.stored);
    for (const { id: event_id, type, correlation_id, causation_id } of events) {
      // Once, also when the same event is passed twice.
      if (!stored.delete(event_id)) continue;
      metrics.appended(type);
      logger.debug({ stream, event_id, type, correlation_id, causation_id }, 'appended');
    }
    return done;
  },
});

const countedTopic = (topic: Topic, metrics: Metrics, logger: Logger): Topic => ({
  ...topic,
  async publish(messages: readonly Message[]) {
    await topic.publish(messages);
    metrics.published(topic.name, messages.length);
    for (const { event } of messages) {
      if (topic.name === POLLS) metrics.polled((event.data as Poll).outcome);
      const { id: event_id, type, correlation_id, causation_id } = event;
      logger.debug({ topic: topic.name, event_id, type, correlation_id, causation_id }, 'published');
    }
  },
  consume: (options: ConsumeOptions) =>
    topic.consume({
      ...options,
      handle: async (batch) => {
        await options.handle(batch);
        metrics.handled(topic.name, options.group, batch.messages.length);
      },
    }),
});

export const countedTopics = (topics: Topics, metrics: Metrics, logger: Logger): Topics =>
  eachTopic(topics, (topic) => countedTopic(topic, metrics, logger));
