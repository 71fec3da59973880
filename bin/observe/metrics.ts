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
  partFailed,
  partitionStopped,
  requestAnswered,
} from '../../schemas/observation.ts';
import { isMeasured } from '../../schemas/oracle.ts';
import { POLLS, type Poll } from '../../schemas/poll.ts';
import type { ServiceState } from './service-state.ts';

/** The same topics, each wrapped once. */
export function eachTopic(topics: Topics, wrap: (topic: Topic) => Topic): Topics {
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
export const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

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

/**
 * @param name of the process, such as `poll`
 * @param now the clock that events are dated by
 */
export function createMetrics(name: string, now: () => Date = () => new Date()): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(metric: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `clarity_${metric}`, help, labelNames: [...labelNames], registers });
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
  const pool = new Gauge({
    name: 'clarity_database_connections',
    help: 'Connections of the pool by state, and callers that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      if (!database) return;
      const { totalCount, idleCount, waitingCount, options } = database;
      pool.set({ state: 'used' }, totalCount - idleCount);
      pool.set({ state: 'idle' }, idleCount);
      pool.set({ state: 'waiting' }, waitingCount);
      pool.set({ state: 'maximum' }, options.max ?? 0);
    },
  });
  let database: Database | null = null;
  const visible = new Histogram({
    name: 'clarity_item_to_page_seconds',
    help: 'Seconds from the moment an item was found until its signal is on the pages',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
    registers,
  });
  const steps = new Histogram({
    name: 'clarity_item_step_seconds',
    help: 'Seconds of each step of a public signal whose times are all recorded: outlet to found, found to public, public to page',
    labelNames: ['step'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 43200, 86400],
    registers,
  });
  const messages = counter('messages_published_total', 'Messages published to a topic', ['topic']);
  const handled = counter('messages_handled_total', 'Messages that a group of consumers has handled', [
    'topic',
    'group',
  ]);
  const polls = counter('polls_total', 'Polls by result', ['outcome']);
  const events = counter('events_appended_total', 'Events appended to the event store by type', ['type']);
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
    registers,
  });
  const refusals = counter('limit_refusals_total', 'Calls refused because a window was full', ['code', 'window']);
  const requests = new Histogram({
    name: 'clarity_http_request_duration_seconds',
    help: 'Time until an answer was sent, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers,
  });
  // A metric without a value would be absent, and its alerts would never fire.
  for (const outcome of ['changed', 'unchanged', 'failed']) polls.inc({ outcome }, 0);
  events.inc({ type: 'SignalDetected' }, 0);

  const ends = [
    limitReached.subscribe((about) => refusals.inc(about)),
    partFailed.subscribe((about) => failures.inc(about)),
    messageFailed.subscribe((about) => messageFailures.inc(about)),
    messageSkipped.subscribe((about) => skipped.inc(about)),
    partitionStopped.subscribe(({ topic, group, partition, stopped: is }) =>
      stopped.set({ topic, group, partition: String(partition) }, is ? 1 : 0),
    ),
    eventsProjected.subscribe(({ model, events }) => {
      if (model !== 'signals') return;
      for (const { type, time, data } of events)
        if (type === 'SignalDetected') {
          const detected = data as DataOf<'SignalDetected'>;
          const shown = now().toISOString();
          visible.observe(secondsBetween(detected.report?.found_at ?? time, shown));
          const taken = detected.report ? stepsOf({ time, data: detected }) : null;
          if (!taken) continue;
          steps.observe({ step: 'outlet_to_found' }, secondsBetween(taken.outlet_at, taken.found_at));
          steps.observe({ step: 'found_to_public' }, secondsBetween(taken.found_at, taken.public_at));
          steps.observe({ step: 'public_to_page' }, secondsBetween(taken.public_at, shown));
        }
    }),
    requestAnswered.subscribe(({ method, route, status, milliseconds }) =>
      requests.observe(
        // Callers can invent any number of methods.
        { method: METHODS.has(method) ? method : 'other', route, status: String(status) },
        milliseconds / 1000,
      ),
    ),
  ];
  return {
    contentType: registry.contentType,
    text: async (state) => `${await registry.metrics()}${state ? await stateText(state) : ''}`,
    published: (topic, many) => messages.inc({ topic }, many),
    polled: (outcome) => polls.inc({ outcome }),
    handled: (topic, group, many) => handled.inc({ topic, group }, many),
    appended: (type) => events.inc({ type }),
    watchPool(opened) {
      database = opened;
    },
    close() {
      for (const end of ends) end();
      registry.clear();
    },
  };
}

/** Metrics measured at the scrape. The registry is new each time, so that removed models disappear. */
async function stateText({
  groups,
  models,
  rebuilds,
  parked,
  dead_letters,
  sources,
  roster,
  mails,
  oracle,
  model,
}: ServiceState): Promise<string> {
  const registry = new Registry();
  const gauge = <Label extends string>(metric: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `clarity_${metric}`, help, labelNames: [...labelNames], registers: [registry] });
  if (groups.length > 0) {
    const lag = gauge('consumer_lag', 'Messages of a partition that a group has not handled', [
      'topic',
      'group',
      'partition',
    ]);
    const seconds = gauge('consumer_lag_seconds', 'Seconds that the oldest unhandled message has waited, at least', [
      'topic',
      'group',
    ]);
    for (const { topic, group, partitions, seconds: waited } of groups) {
      for (const { partition, lag: behind } of partitions)
        lag.set({ topic, group, partition: String(partition) }, behind);
      seconds.set({ topic, group }, waited);
    }
  }
  if (models.length > 0) {
    const lag = gauge('model_lag', 'How far the live rows are behind the event store, in positions', ['model']);
    const other = gauge('model_other_version', '1 while another version than this program’s is live', ['model']);
    for (const { model, lag: behind, version, live } of models) {
      if (behind !== null) lag.set({ model }, behind);
      other.set({ model }, live === version ? 0 : 1);
    }
  }
  const running = rebuilds.filter(({ state }) => state === 'running');
  const share = gauge('model_rebuild_share', 'How much of the history a running rebuild has folded, from 0 to 1', [
    'model',
    'process',
  ]);
  const rate = gauge('model_rebuild_events_per_second', 'Events a second that a running rebuild folds', ['model']);
  const left = gauge('model_rebuild_seconds_left', 'Seconds that a running rebuild still needs, as estimated', [
    'model',
  ]);
  for (const { model, process: by, share: folded, per_second, seconds_left } of running) {
    share.set({ model, process: by }, folded);
    rate.set({ model }, per_second);
    if (seconds_left !== null) left.set({ model }, seconds_left);
  }
  const interrupted = gauge('model_rebuild_interrupted', '1 after the process of a rebuild ended before it was done', [
    'model',
    'process',
  ]);
  for (const { model, process: by, state } of rebuilds)
    if (state === 'interrupted') interrupted.set({ model, process: by }, 1);
  if (parked) {
    const events = gauge('parked_events', 'Events that a read model could not take', ['model']);
    for (const { model, events: many } of parked) events.set({ model }, many);
  }
  if (dead_letters) {
    const messages = gauge('dead_letters', 'Messages that a consumer could not handle and that need an operator', [
      'topic',
      'group',
      'kind',
    ]);
    for (const { topic, group_name, kind, messages: many } of dead_letters)
      messages.set({ topic, group: group_name, kind }, many);
  }
  if (sources) {
    const health = gauge('sources', 'Sources of the roster by health', ['health']);
    for (const state of ['healthy', 'degraded', 'failing', 'silent', 'paused'] as const)
      health.set({ health: state }, sources[state]);
    gauge('items_per_hour', 'Items an hour over the last day').set(sources.items_per_hour);
    gauge('signals_24h', 'Public signals of the last day').set(sources.signals_24h);
  }
  if (roster.length > 0) {
    const read = gauge('source_last_success_timestamp_seconds', 'When a source was last read', ['source']);
    const found = gauge('source_last_item_timestamp_seconds', 'When a source last had a new item', ['source']);
    for (const { id: source, health, last_success_at, last_item_at } of roster) {
      if (health === 'paused') continue;
      if (last_success_at) read.set({ source }, Date.parse(last_success_at) / 1000);
      if (last_item_at) found.set({ source }, Date.parse(last_item_at) / 1000);
    }
  }
  for (const [of, what] of [
    ['brief', 'the morning brief'],
    ['search', 'saved searches'],
  ] as const) {
    const ofThese = mails.filter((one) => one.of === of);
    if (ofThese.length === 0) continue;
    const states = gauge(`${of}_mails`, `Mails of ${what} by state, today in India`, ['state']);
    for (const { state, mails: many } of ofThese) states.set({ state }, many);
  }
  if (oracle) {
    const missed = gauge('oracle_miss_rate', 'Share of what reference sources report that the feed lacks');
    // Few items would raise an alert by chance.
    missed.set(isMeasured(oracle) ? oracle.miss_rate : Number.NaN);
    gauge('oracle_measured_timestamp_seconds', 'When that was measured').set(Date.parse(oracle.measured_at) / 1000);
  }
  if (model) {
    gauge('model_spend_usd', 'US dollars that calls to the model may have cost today, by UTC').set(model.spent_usd);
    gauge('model_budget_usd', 'US dollars that they may cost a day').set(model.budget_usd);
  }
  return registry.metrics();
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
