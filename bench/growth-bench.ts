/**
 * How the service grows: delay from item to page, cost of an item, memory and disk after 1, 10 and 100 days of items,
 * each on a new database. One process understands, matches, projects and serves; PostgreSQL is measured apart from it.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { z } from 'zod';
import { migrateAccess } from '../access/access.ts';
import { matchPart, projectPart, understandPart } from '../bin/parts.ts';
import { Closing } from '../bin/process.ts';
import { listen } from '../bin/reader-server.ts';
import type { Services } from '../bin/services.ts';
import { publishTick } from '../demo/live/live-desk.ts';
import type { Entry } from '../demo/publishing.ts';
import { MATCH_GROUP } from '../ingest/match/matcher.ts';
import { UNDERSTAND_GROUP } from '../ingest/understand/understander.ts';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { readConfiguration } from '../schemas/configuration.ts';
import { newEvent } from '../schemas/events.ts';
import { ITEMS, type ItemKey } from '../schemas/poll.ts';
import { eventId, fingerprint } from '../schemas/scalar.ts';
import { SourceId } from '../schemas/source.ts';
import { STORIES } from '../schemas/story.ts';
import { type Bench, type Figure, figureOf, type Given, issueKeys, quantile, startChild } from './bench.ts';
import { growthChart } from './recorded-figures.ts';

/** Items of a day: ten sources with 25 each, as in the plans of deploy/SCALING.md. */
const DAY_OF_ITEMS = 250;
const SCALES = [1, 10, 100];
/** After so many seconds a scale is cut. */
const LIMIT_SECONDS = 480;
/** Items that come alone after the others, of which the way to the page is measured. */
const PROBES = 25;
const ACCOUNTS = 1_000;
/** Any port, and more pages a minute than the probes request. */
const SETTINGS = { PORT: '0', PAGE_LIMIT: '1000000' };

const Grown = z.object({
  items: z.int(),
  seconds: z.number(),
  /** Processor time of an item in ms: the service, and PostgreSQL. */
  service: z.number(),
  postgres: z.number(),
  /** Milliseconds from the topic to the page, of each probe that became an entry. */
  delays: z.array(z.number()),
  megabytes: z.number(),
  stories: z.int(),
  signals: z.int(),
  events: z.int(),
  /** Bytes of the front page. */
  page: z.number(),
  /** Bytes on disk. */
  topics: z.number(),
  log: z.number(),
  models: z.number(),
  index: z.number(),
});
type Grown = z.infer<typeof Grown>;

/** Bytes of tables with indexes in schemas that match a pattern, of one table when it is named. */
async function bytesOf(database: Database, schemas: string, table = '%'): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname SIMILAR TO $1 AND c.relname LIKE $2 AND c.relkind IN ('r', 'm')`,
    [schemas, table],
  );
  return rows[0]?.bytes ?? 0;
}

/** Everything that is neither a log, nor access, nor the index of matching, nor of PostgreSQL. */
async function bytesOfModels(database: Database): Promise<number> {
  return (await bytesOf(database, '%')) - (await bytesOf(database, '(log|access|match|pg\\_%|information\\_schema)'));
}

const figuresOf = (scale: number, grown: Grown, first: Grown): Figure[] => {
  const wanted = scale * DAY_OF_ITEMS;
  const cut = grown.items < wanted ? `, cut at ${grown.items} after ${Math.round(grown.seconds)} s` : '';
  const about = `${scale} x ${DAY_OF_ITEMS} items${cut}`;
  const figure = (name: string, unit: string, of: (one: Grown) => number): Figure =>
    figureOf({
      figure: `${name}, ${about}`,
      unit,
      measured: of(grown),
      baseline: scale === 1 ? null : { what: '1 x', measured: of(first) },
    });
  return [
    figure('item to page, p50', 'ms', ({ delays }) => quantile(delays, 0.5)),
    figure('item to page, p95', 'ms', ({ delays }) => quantile(delays, 0.95)),
    figure('processor time of an item, service', 'ms', ({ service }) => service),
    figure('processor time of an item, PostgreSQL', 'ms', ({ postgres }) => postgres),
    figure('memory of the service', 'MB', ({ megabytes }) => megabytes),
    figure('topics on disk', 'bytes/item', ({ topics, items }) => topics / items),
    figure('events on disk', 'bytes/signal', ({ log, signals }) => log / signals),
    figure('read models on disk', 'bytes/signal', ({ models, signals }) => models / signals),
    figure('index of matching on disk', 'bytes/signal', ({ index, signals }) => index / signals),
    figure('stories of an item', 'stories', ({ stories, items }) => stories / (items + PROBES)),
    figure('stories of a signal', 'stories', ({ stories, signals }) => stories / signals),
    figure('events of a signal', 'events', ({ events, signals }) => events / signals),
    figure('front page', 'bytes', ({ page }) => page),
  ];
};

/** @returns bytes of an account with a key: its event, its row, its place in the read models */
async function bytesOfAccount({ database }: Given): Promise<number> {
  const size = async (): Promise<number> => (await bytesOf(database, '(log|access)')) + (await bytesOfModels(database));
  const before = await size();
  const store = postgresEventStore(database);
  await issueKeys(database, store, ACCOUNTS);
  await store.close();
  return ((await size()) - before) / ACCOUNTS;
}

export const growth: Bench = {
  name: 'growth',
  async run({ empty, record, log }) {
    const grown: Grown[] = [];
    let account = 0;
    for (const scale of SCALES) {
      const given = await empty();
      log(`  ${scale} x ${DAY_OF_ITEMS} items`);
      const child = startChild('growth-bench.ts', [given.url, String(scale * DAY_OF_ITEMS)], Grown, SETTINGS);
      for await (const one of child.lines) grown.push(one);
      await child.ended();
      if (scale === 1) account = await bytesOfAccount(given);
    }
    const [first] = grown;
    if (!first) throw new Error('the process ended without a figure');
    if (record) {
      const of = (name: string, value: (one: Grown) => number) => ({ name, values: grown.map(value) });
      const series = [
        of('item to page, p50', ({ delays }) => quantile(delays, 0.5)),
        of('processor time of an item', ({ service, postgres }) => service + postgres),
        of('memory of the service', ({ megabytes }) => megabytes),
        of('disk for an item', ({ topics, log, models, index, items }) => (topics + log + models + index) / items),
      ];
      const chart = growthChart(
        series,
        grown.map(({ items }) => items),
      );
      await writeFile(fileURLToPath(new URL('../deploy/growth.svg', import.meta.url)), chart);
    }
    return [
      ...SCALES.flatMap((scale, place) => (grown[place] ? figuresOf(scale, grown[place], first) : [])),
      figureOf({ figure: 'an account with a key on disk', unit: 'bytes/account', measured: account }),
    ];
  },
};

/** Processor time of PostgreSQL so far, in seconds: of its main process, of those that ended, and of those that run. */
async function secondsOfPostgres(database: Database): Promise<number> {
  const stat = async (pid: number): Promise<number[]> => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  };
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const [, main = 0] = await stat(rows[0]?.pid ?? 0);
  let ticks = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = await stat(Number(entry));
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    if (Number(entry) === main) ticks += user + system + endedUser + endedSystem;
    else if (fields[1] === main) ticks += user + system;
  }
  return ticks / 100;
}

/** Milliseconds between looks: each costs processor time too. */
const LOOK = 200;
const CHUNK = 125;

/** Items of the invented newsroom from a tick on, without end. */
function* entriesFrom(tick: number): Generator<Entry> {
  for (;;) yield* publishTick(tick++).entries.filter(({ role }) => role === 'report' || role === 'noise');
}

const messageOf = ({ outlet, headline, summary, path }: Entry, number: number, at: Date) => {
  const url = `https://${outlet}.example${path}`;
  const time = at.toISOString();
  const data = {
    source_id: SourceId.parse(`demo-${outlet}`),
    outlet,
    role: 'news' as const,
    authority: 0.5,
    language: 'en',
    item_key: url as ItemKey,
    url,
    title: headline,
    summary,
    fingerprint: fingerprint(headline, summary),
    published_at: time,
    first_seen_at: time,
  };
  return { key: url, event: newEvent('ItemFound', data, { id: eventId('growth item', number), time }) };
};

/** The process that the bench watches. */
async function grow([url = '', wanted = '0']: readonly string[]): Promise<void> {
  const logger = pino({ level: 'silent' });
  const configuration = readConfiguration({ ...process.env, DATABASE_URL: url });
  const database = openDatabase(url, { name: 'bench growth', max: 16 });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const services: Services = {
    configuration,
    logger,
    database,
    databaseUrl: url,
    store,
    topics,
    dataDir: null,
    now: () => new Date(),
    close: async () => undefined,
  };
  await migrateAccess(database);
  const stop = new AbortController();
  const parts = [await understandPart(services), matchPart(services), projectPart(services)];
  const running = parts.map((part) => part(stop.signal));
  const models = readModels({ baseUrl: configuration.BASE_URL });
  const until = async (reached: () => Promise<boolean>): Promise<void> => {
    while (!(await reached())) await sleep(LOOK);
  };
  for (const { name, version } of models)
    await until(async () => (await liveBuild(database, name).catch(() => null))?.version === version);
  const closing = new Closing();
  const port = await listen(services, closing);

  const entries = entriesFrom(1);
  let number = 0;
  async function handle(items: number): Promise<void> {
    const at = new Date();
    const messages = Array.from({ length: items }, () => messageOf(entries.next().value as Entry, number++, at));
    await topics.topic(ITEMS).publish(messages);
    await until(async () => (await topics.topic(ITEMS).lag(UNDERSTAND_GROUP)) === 0n);
    await until(async () => (await topics.topic(STORIES).lag(MATCH_GROUP)) === 0n);
    const head = await store.head();
    for (const { name, prefixes } of models)
      if (prefixes.length > 0) await until(() => waitForPosition(database, name, head, 1_000));
  }

  // The compilers warm up on half of the first day, which counts for the size, not for the cost.
  await handle(CHUNK);
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const [before, postgresBefore, warm] = [process.cpuUsage(), await secondsOfPostgres(database), number];
  do await handle(CHUNK);
  while (number < Number(wanted) && seconds() < LIMIT_SECONDS);
  const { user, system } = process.cpuUsage(before);
  const postgres = (await secondsOfPostgres(database)) - postgresBefore;
  const counted = number - warm;
  const took = seconds();
  const items = number;

  /** The front page. @throws when it is refused: the figures would be those of an error */
  async function frontPage(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    if (!response.ok) throw new Error(`the front page answered ${response.status}`);
    return await response.text();
  }

  const delays: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    const entry = entries.next().value as Entry;
    const message = messageOf(entry, number++, new Date());
    const from = performance.now();
    await topics.topic(ITEMS).publish([message]);
    const place = message.event.data.url;
    // Noise, and what joins an older entry, never comes to the front page.
    while (performance.now() - from < 4_000) {
      if ((await frontPage()).includes(place)) {
        delays.push(performance.now() - from);
        break;
      }
      await sleep(10);
    }
  }
  const { rows } = await database.query<{ signals: number; events: number; stories: number }>(
    `SELECT count(DISTINCT stream)::int AS signals, count(*)::int AS events,
      (SELECT count(*)::int FROM log.topic_message WHERE topic = $1) AS stories
      FROM log.event WHERE stream LIKE 'signal-%'`,
    [STORIES],
  );
  const page = await frontPage();
  const grown: Grown = {
    items,
    seconds: took,
    service: (user + system) / 1_000 / counted,
    postgres: (postgres * 1_000) / counted,
    delays,
    megabytes: process.memoryUsage().rss / 1e6,
    stories: rows[0]?.stories ?? 0,
    signals: rows[0]?.signals ?? 0,
    events: rows[0]?.events ?? 0,
    page: Buffer.byteLength(page),
    topics: await bytesOf(database, 'log', 'topic_message%'),
    log: await bytesOf(database, 'log', 'event%'),
    models: await bytesOfModels(database),
    index: await bytesOf(database, 'match'),
  };
  process.stdout.write(`${JSON.stringify(grown)}\n`);
  await closing.run();
  stop.abort();
  await Promise.all(running);
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

if (import.meta.main) await grow(process.argv.slice(2));
