/**
 * A record of its own, filled with items that are understood, matched and projected as in service; but one item after
 * the other, in order of time, so that the same items always make the same record. The record of the demo newsroom is
 * what one poll of every outlet finds at one moment.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { storedText } from '../answer/evidence.ts';
import { listTruth, type Truth } from '../demo/desk.ts';
import { startNewsroom } from '../demo/newsroom.ts';
import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { handleStory } from '../ingest/match/handle-story.ts';
import { parentsIn } from '../ingest/match/report-features.ts';
import { Tracker } from '../ingest/match/signal-tracker.ts';
import { createFetchPage, createHostGate } from '../ingest/poll/fetch/fetch-page.ts';
import { pollSource } from '../ingest/poll/poll-source.ts';
import { openUnderstander, storyOf } from '../ingest/understand/understander.ts';
import { createAddressRule } from '../log/guarded-connection.ts';
import { type Database, migrateLog, openDatabase, query } from '../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../log/postgres/embedded/embedded-postgres.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { createRegistry } from '../projector/model-builds.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { runProjector } from '../projector/run-projector.ts';
import type { KnownEvent } from '../schemas/events.ts';

export const BASE_URL = 'http://clarity.example';
/** The read models that answering needs. */
const MODELS = ['signals', 'brands', 'search', 'meanings', 'names'];
const TIMEOUT = 120_000;

export interface OpenRecord {
  readonly database: Database;
  /**
   * Adds items, and resolves when the read models contain what became of them.
   * @param items in order of time, and none before those that were added earlier
   */
  readonly add: (items: readonly KnownEvent<'ItemFound'>[]) => Promise<void>;
}

const silent = pino({ level: 'silent' });
const End = z.object({ end: z.bigint().nullable() });

/**
 * Opens an empty record in a PostgreSQL of its own, calls `use` with it, and removes it in every case.
 */
export async function withOpenRecord(
  catalogue: PreparedCatalogue,
  use: (record: OpenRecord) => Promise<void>,
): Promise<void> {
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
    closers.push(topics.close, store.close);
    const models = readModels({ baseUrl: BASE_URL }).filter(({ name }) => MODELS.includes(name));
    running.push(runProjector({ models, database, store, topics, logger: silent, signal }));
    const understander = await openUnderstander(catalogue, console.warn);
    let now = new Date(0);
    const tracker = new Tracker(store, silent, { parentOf: parentsIn(catalogue), clock: () => now });
    const add: OpenRecord['add'] = async (items) => {
      for (const item of items) {
        const verdict = await understander.understand(item.data);
        now = new Date(item.data.first_seen_at);
        if (verdict.relevant && item.data.role === 'news')
          await handleStory(tracker, store, storyOf(item, verdict, understander));
      }
      const [last] = await query(database, 'SELECT max(position) AS end FROM log.event', [], End);
      for (const name of MODELS)
        if (last?.end && !(await waitForPosition(database, name, last.end, TIMEOUT)))
          throw new Error(`${name} lags behind`);
    };
    await use({ database, add });
  } finally {
    ending.abort();
    await Promise.allSettled(running);
    for (const close of closers) await close();
    await database.end();
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  }
}

const Row = z.object({ key: z.string(), urls: z.array(z.string()), found: z.string() });
const Reports = z.object({ reports: z.array(z.object({ title: z.string(), summary: z.string().nullable() })) });

/** A public signal with the addresses of its reports. */
export interface RecordedSignal {
  readonly id: string;
  readonly urls: readonly string[];
  /** The stored texts of its reports, one below the other. */
  readonly text: string;
}

/** Reads all public signals of a record. */
export async function readRecordedSignals(database: Database): Promise<RecordedSignal[]> {
  const rows = await query(
    database,
    `SELECT key, f.row AS found,
       ARRAY(SELECT DISTINCT e.body::jsonb #>> '{data,report,url}' FROM log.event e
         WHERE e.stream = 'signal-' || key AND e.body::jsonb #>> '{data,report,url}' IS NOT NULL) AS urls
     FROM read.search_signals f WHERE is_public`,
    [],
    Row,
  );
  return rows.map(({ key, urls, found }) => {
    const { reports } = Reports.parse(JSON.parse(found));
    return { id: key, urls, text: reports.map(storedText).join('\n') };
  });
}

export interface FilledRecord {
  readonly database: Database;
  readonly truth: Truth;
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
  await withOpenRecord(catalogue, async ({ database, add }) => {
    await add(items);
    await use({ database, truth });
  });
}
