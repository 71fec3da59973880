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
import { type Bench, type Figure, figureOf, median, startChild } from './bench.ts';
import { seedEvents, signalHistory, type Written } from './generated-history.ts';

/** More would take long with the double, which keeps its events in memory. */
const MAX_EVENTS = 50_000;
const TIMEOUT_MS = 600_000;

const models = readModels({ baseUrl: 'http://localhost:8080' });

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

/** Seconds from the start of a projector until every read model is live and up to date. */
async function secondsUntilFresh(where: readonly string[], database: Database, store: EventStore): Promise<number> {
  await prepareReadModels(database, models);
  const head = await store.head();
  const started = performance.now();
  const projector = startChild('visible-bench.ts', where, z.unknown());
  try {
    for (;;) {
      const passed = performance.now() - started;
      if ((await upToDate(database, head)) === models.length) return passed / 1_000;
      if (passed > TIMEOUT_MS) throw new Error('the read models are still not up to date');
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
    const server = await startDouble(signalHistory(events));
    const store = await eventStoreDb({ url: server.url });
    try {
      const [own, other]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        const inPostgres = await empty();
        await seedEvents(inPostgres.database, signalHistory(events));
        const inDatabase = postgresEventStore(inPostgres.database);
        own.push(await secondsUntilFresh([inPostgres.url], inPostgres.database, inDatabase));
        await inDatabase.close();
        const inServer = await empty();
        other.push(await secondsUntilFresh([inServer.url, server.url], inServer.database, store));
        log(`  ${own.at(-1)?.toFixed(1)} s in PostgreSQL, ${other.at(-1)?.toFixed(1)} s by the double of EventStoreDB`);
      }
      return [
        figureOf({
          figure: `all read models from ${events} events by the double of EventStoreDB`,
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
