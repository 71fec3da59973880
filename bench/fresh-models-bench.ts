/** All read models from nothing until each is up to date, with the events in PostgreSQL and in EventStoreDB. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { EventStore } from '../log/event-store.ts';
import { eventStoreDb } from '../log/eventstore/eventstore-adapter.ts';
import { recordOf } from '../log/eventstore/eventstore-records.ts';
import { type Database, query } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { STORE } from '../projector/model-builds.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { doubleStore } from '../test/log/double/store.ts';
import { adopt, type Bench, type Figure, figureOf, median, startChild } from './bench.ts';
import { appendHistory, seedEvents, signalHistory, type Written } from './generated-history.ts';

/** More would take long with the double, which keeps its events in memory. */
const MAX_EVENTS = 50_000;
/** Milliseconds without any progress after which the bench fails. */
const STALLED_MS = 60_000;

const models = readModels({ baseUrl: 'http://localhost:8080' });

const Progress = z.object({ position: z.string(), hindrance: z.string().nullable() });

/** How far all builds are together, and why a rebuild has ended. */
async function progressOf(database: Database): Promise<z.infer<typeof Progress>> {
  const text = `SELECT (SELECT coalesce(sum(position), 0) FROM projector.checkpoints)::text AS position,
      (SELECT string_agg(error, '; ') FROM projector.rebuilds WHERE error IS NOT NULL) AS hindrance`;
  const [found] = await query(database, text, [], Progress);
  return found ?? { position: '0', hindrance: null };
}

/** Up to date are those that are live in this program's version, with the head behind them; topics are empty here. */
async function upToDate(database: Database, head: bigint): Promise<number> {
  const builds = await query(
    database,
    `SELECT b.model, b.version FROM projector.builds b
       LEFT JOIN projector.checkpoints c ON c.build = b.name AND c.input = '${STORE}'
      WHERE b.state = 'live' AND (c.position >= $1 OR b.model = ANY ($2::text[]))`,
    [head, models.filter(({ prefixes }) => prefixes.length === 0).map(({ name }) => name)],
    z.object({ model: z.string(), version: z.string() }),
  );
  return models.filter(({ name, version }) => builds.some((one) => one.model === name && one.version === version))
    .length;
}

/**
 * Seconds from the start of a projector until every read model is live and up to date.
 * @throws Error with the reason when a rebuild stops at an event, or when nothing has moved for a minute
 */
export async function secondsUntilFresh(
  where: readonly string[],
  database: Database,
  store: EventStore,
): Promise<number> {
  await prepareReadModels(database, models);
  const head = await store.head();
  const started = performance.now();
  const projector = startChild('visible-bench.ts', where, z.unknown());
  let [last, since] = ['', started];
  try {
    for (;;) {
      const now = performance.now();
      const fresh = await upToDate(database, head);
      if (fresh === models.length) return (now - started) / 1_000;
      const { position, hindrance } = await progressOf(database);
      const reached = `${fresh} of ${models.length} read models are up to date`;
      if (hindrance?.includes('the rebuild of')) throw new Error(`${reached}: ${hindrance}`);
      if (position !== last) [last, since] = [position, now];
      if (now - since > STALLED_MS) throw new Error(`${reached}, and none has moved for a minute: ${hindrance ?? ''}`);
      await sleep(50);
    }
  } finally {
    projector.process.kill('SIGTERM');
    await projector.ended();
  }
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** The double finds the history in its file: appending it call by call would take longer than the bench. */
async function startDouble(history: Iterable<Written>): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-bench-double-'));
  const file = join(folder, 'events');
  const kept = doubleStore(file);
  for (const { stream, revision, event } of history) {
    const { id, type, data, metadata } = recordOf(event, 'bench');
    const [bytes, about] = [Buffer.from(JSON.stringify(data)), Buffer.from(JSON.stringify(metadata))];
    const record = { id, type, contentType: 'application/json', data: bytes, metadata: about };
    kept.append(stream, [record], revision === 0 ? 'none' : revision - 1);
  }
  kept.close();
  const path = fileURLToPath(new URL('../test/log/double/serve.ts', import.meta.url));
  const child = spawn(process.execPath, [path, '--data', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  adopt(child);
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null ? once(child, 'close') : null;
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /esdb:\S+/.exec(line)?.[0];
    if (url) return { url, stop };
  }
  await stop();
  throw new Error('the double of EventStoreDB ended at its start');
}

export const freshModels: Bench = {
  name: 'fresh',
  async run({ events: wanted, rounds, empty, log }): Promise<Figure[]> {
    const events = Math.min(wanted, MAX_EVENTS);
    log(`  writing ${events} events`);
    const { EVENTSTORE_BENCH_URL: real } = process.env;
    const what = real ? 'EventStoreDB' : 'the double of EventStoreDB';
    const server = real ? { url: real, stop: async () => undefined } : await startDouble(signalHistory(events));
    const store = await eventStoreDb({ url: server.url });
    try {
      if (real) await appendHistory(store, signalHistory(events));
      const [own, other]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        const inPostgres = await empty();
        await seedEvents(inPostgres.database, signalHistory(events));
        const inDatabase = postgresEventStore(inPostgres.database);
        own.push(await secondsUntilFresh([inPostgres.url], inPostgres.database, inDatabase));
        await inDatabase.close();
        const inServer = await empty();
        other.push(await secondsUntilFresh([inServer.url, server.url], inServer.database, store));
        log(`  ${own.at(-1)?.toFixed(1)} s in PostgreSQL, ${other.at(-1)?.toFixed(1)} s by ${what}`);
      }
      return [
        figureOf({
          figure: `all read models from ${events} events by ${what}`,
          unit: 's',
          measured: median(other),
          baseline: { what: 'events in PostgreSQL', measured: median(own) },
          limit: { of: 'ratio', at: 'most', value: 1.5 },
        }),
      ];
    } finally {
      await store.close();
      await server.stop();
    }
  },
};
