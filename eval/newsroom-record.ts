/** The record of the demo newsroom: polled, understood, matched and projected as in service, at one moment. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { startNewsroom } from '../demo/newsroom.ts';
import { listTruth, type Truth } from '../demo/truth.ts';
import { runMatcher } from '../ingest/match/matcher.ts';
import { createFetchPage, createHostGate } from '../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule } from '../ingest/poll/fetch/guarded-connection.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import { runUnderstand } from '../ingest/understand/understand-consumer.ts';
import { openUnderstander } from '../ingest/understand/understander.ts';
import { pause } from '../log/backoff.ts';
import { postgresDeadLetters } from '../log/dead-letters.ts';
import { type Database, migrateLog, openDatabase, query } from '../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../log/postgres/embedded/embedded-postgres.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { createRegistry } from '../projector/model-builds.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { runProjector } from '../projector/run-projector.ts';
import { ITEMS } from '../schemas/poll.ts';
import { STORIES } from '../schemas/story.ts';

export const BASE_URL = 'http://clarity.example';
/** The read models that answering needs. */
const MODELS = ['signals', 'brands', 'search', 'names'];
/** Milliseconds without a new event after which all items are processed. */
const QUIET = 4_000;
const TIMEOUT = 120_000;

export interface FilledRecord {
  readonly database: Database;
  readonly truth: Truth;
}

const silent = pino({ level: 'silent' });
const End = z.object({ end: z.bigint().nullable() });

async function waitUntilQuiet(database: Database, signal: AbortSignal): Promise<bigint> {
  const end = Date.now() + TIMEOUT;
  for (let last = 0n, since = Date.now(); ; await pause(250, signal)) {
    const [found] = await query(database, 'SELECT max(position) AS end FROM log.event', [], End);
    const now = found?.end ?? 0n;
    if (now !== last) [last, since] = [now, Date.now()];
    if (last > 0n && Date.now() - since > QUIET) return last;
    if (Date.now() > end) throw new Error('new events keep arriving');
  }
}

type PolledItem = Awaited<ReturnType<typeof pollSource>>['items'][number];

/** The items of every outlet, as one poll finds them at a moment. */
async function itemsOf(clock: () => Date) {
  const room = await startNewsroom({ port: 0, clock });
  try {
    const gate = createHostGate({ rest: 0 });
    const fetchPage = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'eval', gate });
    const context = { fetchPage, clock, random: () => 0.5, signal: new AbortController().signal };
    const items: PolledItem[] = [];
    for (const source of room.sources)
      items.push(...(await pollSource({ ...source, articles: 'never' }, null, context)).items);
    const at = ({ data }: PolledItem): string => data.published_at ?? data.first_seen_at;
    return { truth: listTruth(clock, room.url), items: items.sort((one, other) => (at(one) < at(other) ? -1 : 1)) };
  } finally {
    await room.close();
  }
}

/** Fills a record in a PostgreSQL of its own, calls `use` with it, and removes it in every case. */
export async function withRecord(
  now: Date,
  catalogue: PreparedCatalogue,
  use: (record: FilledRecord) => Promise<void>,
): Promise<void> {
  const clock = (): Date => now;
  const { truth, items } = await itemsOf(clock);
  const folder = await mkdtemp(join(tmpdir(), 'clarity-eval-'));
  // Started by root, PostgreSQL runs as another user, who needs access.
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const database = openDatabase(server.url, { name: 'eval', max: 20 });
  const ending = new AbortController();
  const { signal } = ending;
  const running: Promise<void>[] = [];
  const closers: (() => Promise<void>)[] = [];
  try {
    await migrateLog(database);
    await createRegistry(database);
    const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
    const deadLetters = postgresDeadLetters(database);
    closers.push(topics.close, store.close);
    const [found, stories] = [topics.topic(ITEMS), topics.topic(STORIES)];
    await found.publish(items.map((event) => ({ key: event.data.url, event })));
    const models = readModels({ baseUrl: BASE_URL }).filter(({ name }) => MODELS.includes(name));
    running.push(
      runUnderstand({
        items: found,
        stories,
        understander: await openUnderstander(catalogue, console.warn),
        deadLetters,
        logger: silent,
        signal,
      }),
      runMatcher({ stories, store, deadLetters, logger: silent, clock, signal }),
      runProjector({ models, database, store, topics, logger: silent, signal }),
    );
    const last = await waitUntilQuiet(database, signal);
    for (const name of MODELS)
      if (!(await waitForPosition(database, name, last, TIMEOUT))) throw new Error(`${name} lags behind`);
    await use({ database, truth });
  } finally {
    ending.abort();
    await Promise.allSettled(running);
    for (const close of closers) await close();
    await database.end();
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  }
}
