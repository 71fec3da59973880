/** From the append of a signal to the moment at which readers see it, with a projector in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { EventStore } from '../log/event-store.ts';
import { eventStoreDb } from '../log/eventstore.ts';
import type { Database } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/event-store.ts';
import { prepareReadModels } from '../projector/builds/promote.ts';
import { readModels } from '../projector/models/index.ts';
import { waitForPosition } from '../projector/wait.ts';
import { startEventStore } from '../test/harness/eventstore.ts';
import type { Bench } from './bench.ts';
import { startChild } from './child.ts';
import { type Figure, figureOf, quantile } from './figure.ts';
import { signalHistory } from './history.ts';

const SIGNALS = 300;
const PATIENCE = 30_000;

/** Milliseconds until readers see a signal, looking as often as answers come. */
async function untilSeen(database: Database, key: string, from: number): Promise<number> {
  const look = { name: 'look', text: 'SELECT 1 FROM read.signals WHERE key = $1', values: [key] };
  for (;;) {
    const { rowCount } = await database.query(look);
    const passed = performance.now() - from;
    if (rowCount === 1) return passed;
    if (passed > PATIENCE) throw new Error(`${key} is still not to be seen`);
    await sleep(1);
  }
}

/** Milliseconds from append to visible, of one signal after another; the first one waits for the projector to start. */
async function waits(url: string, database: Database, store: EventStore, storeUrl?: string): Promise<number[]> {
  await prepareReadModels(database, readModels({ baseUrl: 'http://localhost:8080' }));
  const projector = startChild('visible-process.ts', [url, ...(storeUrl ? [storeUrl] : [])], z.unknown());
  const times: number[] = [];
  const found = signalHistory(2 * SIGNALS, 3).filter(({ revision }) => revision === 0);
  for (const { stream, event } of found.take(SIGNALS + 1)) {
    const from = performance.now();
    const { position } = await store.append(stream, [event], 'none');
    times.push(await untilSeen(database, stream.slice('signal-'.length), from));
    if (!(await waitForPosition(database, 'brands', position, PATIENCE))) throw new Error('brands stand still');
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

/** Where the events stand in EventStoreDB: `EVENTSTORE_URL`, else the double of its protocol that the tests run on. */
async function onEventStoreDb(url: string, database: Database): Promise<Figure[]> {
  const server = await startEventStore();
  try {
    const times = await waits(url, database, await eventStoreDb({ url: server.url }), server.url);
    return figuresOf(times, server.double ? ' by the double of EventStoreDB' : ' by EventStoreDB', 250);
  } finally {
    await server.stop();
  }
}

export const visible: Bench = {
  name: 'visible',
  async run({ empty }) {
    const [own, beside] = [await empty(), await empty()];
    const times = await waits(own.url, own.database, postgresEventStore(own.database));
    return [...figuresOf(times, '', 100), ...(await onEventStoreDb(beside.url, beside.database))];
  },
};
