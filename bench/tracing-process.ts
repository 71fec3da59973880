/** Items through understanding, matching and all read models in one process; says how much processor time they took. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openTracing } from '../bin/observe/tracing.ts';
import { matchPart, projectPart, understandPart } from '../bin/parts.ts';
import type { Services } from '../bin/services.ts';
import { readLabelled, toItemText } from '../eval/labelled-items.ts';
import { MATCH_GROUP } from '../ingest/match/matcher.ts';
import { UNDERSTAND_GROUP } from '../ingest/understand/understand-consumer.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { readConfiguration } from '../schemas/configuration.ts';
import { newEvent } from '../schemas/events.ts';
import { ITEMS, type ItemKey } from '../schemas/item.ts';
import { eventId } from '../schemas/scalar.ts';
import { STORIES } from '../schemas/story.ts';

/** Items of a poll, and how many polls warm up and count. */
const POLL = 20;
const POLLS = 75;
/** Milliseconds between looks: each costs processor time too. */
const LOOK = 250;

const [url = ''] = process.argv.slice(2);
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
      const item = { ...labelled[index % labelled.length], url: `https://bench.example/${index}`, first_seen_at: time };
      const data = {
        ...{ source_id: `source-${poll % 50}`, outlet: 'Bench', role: 'news' as const, authority: 0.5, language: 'en' },
        ...{
          item_key: item.url as ItemKey,
          fingerprint: String(index),
          title: item.title ?? '',
          summary: item.summary ?? null,
        },
        ...{ url: item.url, published_at: time, first_seen_at: time },
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
