/** What tracing costs: the processor time of an item from its topic to all read models, with a collector and without. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { z } from 'zod';
import { openTracing } from '../bin/observe/observed-process.ts';
import { matchPart, projectPart, understandPart } from '../bin/parts.ts';
import type { Services } from '../bin/services.ts';
import { readLabelled, toItemText } from '../eval/labelled-items.ts';
import { MATCH_GROUP } from '../ingest/match/matcher.ts';
import { UNDERSTAND_GROUP } from '../ingest/understand/understander.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { readConfiguration } from '../schemas/configuration.ts';
import { newEvent } from '../schemas/events.ts';
import { ITEMS, type ItemKey } from '../schemas/poll.ts';
import { eventId } from '../schemas/scalar.ts';
import { SourceId } from '../schemas/source.ts';
import { STORIES } from '../schemas/story.ts';
import { type Bench, figureOf, type Given, median, startChild } from './bench.ts';

const Line = z.object({ microseconds: z.number() });

interface Collector {
  readonly url: string;
  spans(): number;
  close(): void;
}

/** It only counts: its own work must not be taken for that of tracing. */
async function countingCollector(): Promise<Collector> {
  let spans = 0;
  const server = createServer(async (request, response) => {
    for await (const chunk of request) spans += String(chunk).split('"spanId"').length - 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans: () => spans, close: () => void server.close() };
}

async function measured({ url }: Given, settings: Record<string, string>): Promise<number> {
  const child = startChild('tracing-bench.ts', [url], Line, settings);
  for await (const { microseconds } of child.lines) {
    await child.ended();
    return microseconds;
  }
  throw new Error('the process ended without a figure');
}

export const tracing: Bench = {
  name: 'tracing',
  async run({ empty, rounds, log }) {
    const collector = await countingCollector();
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_MAX_QUEUE_SIZE: '200000' };
    const tenth = { ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    const [without, all, some]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      without.push(await measured(await empty(), {}));
      all.push(await measured(await empty(), on));
      log(`${collector.spans()} spans were sent`);
      some.push(await measured(await empty(), tenth));
    }
    collector.close();
    const figure = (name: string, values: number[]) =>
      figureOf({
        figure: `processor time of an item, ${name}`,
        unit: 'µs',
        measured: median(values),
        baseline: { what: 'without tracing', measured: median(without) },
      });
    return [figure('every trace kept', all), figure('a tenth kept', some)];
  },
};

/** Items of a poll, and how many polls warm up and count. */
const POLL = 20;
const POLLS = 75;
/** Milliseconds between looks: each costs processor time too. */
const LOOK = 250;

/** Items through understanding, matching and all read models in one process; says how much processor time they took. */
async function handleItems([url = '']: readonly string[]): Promise<void> {
  const logger = pino({ level: 'silent' });
  const configuration = readConfiguration(process.env);
  const database = openDatabase(url, { name: 'bench tracing', max: 16 });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const tracing = await openTracing('bench', configuration, logger);
  const bare = { configuration, logger, database, databaseUrl: url, store, topics, dataDir: null };
  const services: Services = tracing.over({ ...bare, now: () => new Date(), close: async () => undefined });
  const stop = new AbortController();
  const parts = [await understandPart(services), matchPart(services), projectPart(services)];
  const running = parts.map((part) => part(stop.signal));
  const models = readModels({ baseUrl: configuration.BASE_URL });
  const until = async (reached: () => Promise<boolean>): Promise<void> => {
    while (!(await reached())) await sleep(LOOK);
  };
  // The projector has not created its tables yet.
  for (const { name, version } of models)
    await until(async () => (await liveBuild(database, name).catch(() => null))?.version === version);

  const labelled = (await readLabelled(fileURLToPath(new URL('../eval/items.jsonl', import.meta.url)))).map(toItemText);

  /** Some polls' items, published as a poller does, and handled by all. */
  async function handle(from: number): Promise<void> {
    const items = services.topics.topic(ITEMS);
    for (let poll = from; poll < from + POLLS; poll++) {
      const time = new Date().toISOString();
      const messages = Array.from({ length: POLL }, (_, one) => {
        const index = poll * POLL + one;
        const item = {
          ...labelled[index % labelled.length],
          url: `https://bench.example/${index}`,
          first_seen_at: time,
        };
        const data = {
          source_id: SourceId.parse(`source-${poll % 50}`),
          outlet: 'Bench',
          role: 'news' as const,
          authority: 0.5,
          language: 'en',
          item_key: item.url as ItemKey,
          fingerprint: String(index),
          title: item.title ?? '',
          summary: item.summary ?? null,
          url: item.url,
          published_at: time,
          first_seen_at: time,
        };
        const about = { id: eventId('bench item', index), time, correlation_id: eventId('bench poll', poll) };
        return { key: item.url, event: newEvent('ItemFound', data, about) };
      });
      await items.publish(messages);
    }
    await until(async () => (await topics.topic(ITEMS).lag(UNDERSTAND_GROUP)) === 0n);
    await until(async () => (await topics.topic(STORIES).lag(MATCH_GROUP)) === 0n);
    const head = await store.head();
    for (const { name, prefixes } of models)
      if (prefixes.length > 0) await until(() => waitForPosition(database, name, head, 1_000));
  }

  await handle(0);
  const begun = process.cpuUsage();
  await handle(POLLS);
  const { user, system } = process.cpuUsage(begun);
  process.stdout.write(`${JSON.stringify({ microseconds: (user + system) / (POLL * POLLS) })}\n`);
  stop.abort();
  await Promise.all(running);
  await tracing.close();
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

if (import.meta.main) await handleItems(process.argv.slice(2));
