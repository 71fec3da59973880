/**
 * From the append of a signal, or a poll, to the moment at which readers see it, with a projector in a process of its
 * own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { EventStore } from '../log/event-store.ts';
import { eventStoreDb } from '../log/eventstore/eventstore-adapter.ts';
import { kafkaTopics } from '../log/kafka/kafka-topics.ts';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { runProjector } from '../projector/run-projector.ts';
import { newEvent } from '../schemas/events.ts';
import { POLLS } from '../schemas/poll.ts';
import { eventId } from '../schemas/scalar.ts';
import { SourceId } from '../schemas/source.ts';
import { startEventStore } from '../test/harness/eventstore.ts';
import { startBroker } from '../test/harness/kafka.ts';
import { type Bench, type Figure, figureOf, type Given, quantile, startChild } from './bench.ts';
import { signalHistory } from './generated-history.ts';

const SIGNALS = 300;
const TIMEOUT_MS = 30_000;

/** Milliseconds until readers see a row, looking as often as answers come. */
async function untilSeen(database: Database, view: string, key: string, from: number): Promise<number> {
  const look = { name: `look ${view}`, text: `SELECT 1 FROM read.${view} WHERE key = $1`, values: [key] };
  for (;;) {
    const { rowCount } = await database.query(look);
    const passed = performance.now() - from;
    if (rowCount === 1) return passed;
    if (passed > TIMEOUT_MS) throw new Error(`${key} is still not to be seen`);
    await sleep(1);
  }
}

const prepare = (database: Database): Promise<void> =>
  prepareReadModels(database, readModels({ baseUrl: 'http://localhost:8080' }));

/** Environment of a separate projector process: where its database is, and the other logs where they are not in it. */
type Where = readonly [url: string, storeUrl?: string, brokers?: string];

const startProjector = (where: Where) =>
  startChild(
    'visible-bench.ts',
    where.map((one) => one ?? ''),
    z.unknown(),
  );

/** Milliseconds from append to visible, of one signal after another; the first one waits for the projector to start. */
async function waits(where: Where, database: Database, store: EventStore): Promise<number[]> {
  await prepare(database);
  const projector = startProjector(where);
  const times: number[] = [];
  const found = signalHistory(2 * SIGNALS, 3).filter(({ revision }) => revision === 0);
  for (const { stream, event } of found.take(SIGNALS + 1)) {
    const from = performance.now();
    const { position } = await store.append(stream, [event], 'none');
    times.push(await untilSeen(database, 'signals', stream.slice('signal-'.length), from));
    if (!(await waitForPosition(database, 'brands', position, TIMEOUT_MS))) throw new Error('brands do not advance');
    await sleep(20);
  }
  projector.process.kill('SIGTERM');
  await projector.ended();
  await store.close();
  return times.slice(1);
}

const figuresOf = (times: readonly number[], where: string, atMost: number): Figure[] => [
  figureOf({
    figure: `from append to visible${where}, p95`,
    unit: 'ms',
    measured: quantile(times, 0.95),
    limit: { of: 'measured', at: 'most', value: atMost },
  }),
  figureOf({ figure: `from append to visible${where}, median`, unit: 'ms', measured: quantile(times, 0.5) }),
];

const pollOf = (source_id: SourceId, time: string) =>
  newEvent(
    'PollCompleted',
    {
      source_id,
      started_at: time,
      duration_ms: 80,
      outcome: 'unchanged' as const,
      http_status: 304,
      items_found: 0,
      items_new: 0,
      items_edited: 0,
      items_refused: 0,
      newest_item_at: null,
      etag: null,
      last_modified: null,
      error: null,
      cadence_seconds: 1_800,
      next_poll_at: time,
      listed: null,
    },
    { id: eventId('bench poll', source_id), time },
  );

/** Milliseconds from publishing to visible, of one poll of a new source after another. */
async function pollWaits(where: Where, database: Database, brokers: string): Promise<number[]> {
  const topics = await kafkaTopics({ brokers: brokers.split(','), clientId: 'clarity-bench' });
  const projector = startProjector(where);
  const times: number[] = [];
  for (let number = 0; number <= SIGNALS; number++) {
    const [source, from] = [SourceId.parse(`bench-${number}`), performance.now()];
    await topics.topic(POLLS).publish([{ key: source, event: pollOf(source, new Date().toISOString()) }]);
    times.push(await untilSeen(database, 'sources', source, from));
    await sleep(20);
  }
  projector.process.kill('SIGTERM');
  await projector.ended();
  await topics.close();
  return times.slice(1);
}

/**
 * Signals in EventStoreDB (`EVENTSTORE_URL`, else the double of its protocol that the tests run on) next to topics in
 * Kafka, and polls that come over Kafka; without a broker (see `startBroker`) topics in PostgreSQL, and no polls.
 */
async function onOwnServers({ url, database }: Given, log: (line: string) => void): Promise<Figure[]> {
  const [server, broker] = [await startEventStore(), await startBroker((line) => log(`  ${line}`))];
  const brokers = 'missing' in broker ? undefined : broker.brokers;
  if ('missing' in broker) log(`  topics in PostgreSQL: ${broker.missing}`);
  try {
    const where: Where = [url, server.url, brokers];
    const store = server.double ? ' by the double of EventStoreDB' : ' by EventStoreDB';
    const times = await waits(where, database, await eventStoreDb({ url: server.url }));
    const figures = figuresOf(times, `${store}${brokers ? ', topics on Kafka' : ''}`, 250);
    if (!brokers) return figures;
    return [...figures, ...figuresOf(await pollWaits(where, database, brokers), ', a poll over Kafka', 250)];
  } finally {
    await server.stop();
    if (!('missing' in broker)) await broker.stop();
  }
}

export const visible: Bench = {
  name: 'visible',
  async run({ empty, log }) {
    const [own, inServer] = [await empty(), await empty()];
    const times = await waits([own.url], own.database, postgresEventStore(own.database));
    return [...figuresOf(times, '', 100), ...(await onOwnServers(inServer, log))];
  },
};

/** A separate projector, until it is stopped. */
async function project([url = '', storeUrl, brokers]: readonly string[]): Promise<void> {
  const database = openDatabase(url, { name: 'bench project' });
  const store = storeUrl ? await eventStoreDb({ url: storeUrl }) : postgresEventStore(database);
  const topics = brokers
    ? await kafkaTopics({ brokers: brokers.split(','), clientId: 'clarity-bench-project' })
    : postgresTopics(database);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const quiet = (): undefined => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  const models = readModels({ baseUrl: 'http://localhost:8080' });
  await runProjector({ models, database, store, topics, logger, signal: stop.signal });
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

if (import.meta.main) await project(process.argv.slice(2));
