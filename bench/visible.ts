/** From the append of a signal to the moment at which readers see it, with a projector in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/event-store.ts';
import { prepareReadModels } from '../projector/builds/promote.ts';
import { readModels } from '../projector/models/index.ts';
import { waitForPosition } from '../projector/wait.ts';
import type { Bench } from './bench.ts';
import { startChild } from './child.ts';
import { figureOf, quantile } from './figure.ts';
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

export const visible: Bench = {
  name: 'visible',
  async run({ empty }) {
    const { url, database } = await empty();
    await prepareReadModels(database, readModels({ baseUrl: 'http://localhost:8080' }));
    const store = postgresEventStore(database);
    const projector = startChild('visible-process.ts', [url], z.unknown());
    const times: number[] = [];
    const found = signalHistory(2 * SIGNALS, 3).filter(({ revision }) => revision === 0);
    for (const { stream, event } of found.take(SIGNALS + 1)) {
      const from = performance.now();
      const { position } = await store.append(stream, [event], 'none');
      const milliseconds = await untilSeen(database, stream.slice('signal-'.length), from);
      // The first one waits for the projector to start.
      if (position > 1n) times.push(milliseconds);
      if (!(await waitForPosition(database, 'brands', position, PATIENCE))) throw new Error('brands stand still');
      await sleep(20);
    }
    projector.process.kill('SIGTERM');
    await projector.ended();
    await store.close();
    return [
      figureOf({
        figure: 'from append to visible, p95',
        unit: 'ms',
        measured: quantile(times, 0.95),
        limit: { of: 'measured', at: 'most', value: 100 },
      }),
      figureOf({ figure: 'from append to visible, median', unit: 'ms', measured: quantile(times, 0.5) }),
    ];
  },
};
