/**
 * The double as a process of its own: `node test/log/double/serve.ts --port 2113 --data file --latency 5`. With
 * `--not-ready 3` it refuses the first three reads and appends, as a server does that has just started.
 */
import { parseArgs } from 'node:util';
import { notReady } from './errors.ts';
import { startDouble } from './eventstore-double.ts';
import { doubleStore } from './store.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    latency: { type: 'string' },
    'not-ready': { type: 'string' },
  },
});
const double = await startDouble({
  store: doubleStore(values.data),
  port: Number(values.port ?? 0),
  latency: Number(values.latency ?? 0),
});
for (const method of ['read', 'append'] as const) double.refuse(method, Number(values['not-ready'] ?? 0), notReady());
process.stdout.write(`the double of EventStoreDB listens on esdb://127.0.0.1:${double.port}?tls=false\n`);
